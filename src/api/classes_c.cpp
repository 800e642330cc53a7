// SPDX-License-Identifier: Apache-2.0
// Attention over labelled keys for C: converts structs and calls the C++ API.
#include "heed/classes.h"

#include "api/convert_c.hpp"
#include "api/results_c.hpp"
#include "heed/classes.hpp"

namespace heed {
namespace {

struct ClassArguments {
  ConstTensor q, k;
  ClassIndices classes;
  Tensor out;
  Options options;
};

Status read_arguments(const heed_const_tensor* q, const heed_const_tensor* k, const heed_class_indices* classes,
                      const heed_tensor* out, const heed_options* options, ClassArguments& call) {
  if (Status status = need_structs({{"q", q}, {"k", k}, {"classes", classes}, {"out", out}}); !status.ok())
    return status;
  call.q = convert(*q);
  call.k = convert(*k);
  call.classes = {classes->data, {classes->shape[0], classes->shape[1]}, {classes->strides[0], classes->strides[1]}};
  call.out = convert(*out);
  return convert(options, call.options);
}

}  // namespace
}  // namespace heed

using namespace heed;

heed_class_indices heed_class_indices_of(const int32_t* data, int64_t batch, int64_t kv_len) {
  const ClassIndices classes = class_indices(data, batch, kv_len);
  return {classes.data, {classes.shape[0], classes.shape[1]}, {classes.strides[0], classes.strides[1]}};
}

int32_t heed_attention_classes(const heed_const_tensor* q, const heed_const_tensor* k,
                               const heed_class_indices* classes, const heed_tensor* out, const heed_options* options,
                               char* message, size_t message_size) {
  ClassArguments call;
  Status status = read_arguments(q, k, classes, out, options, call);
  if (status.ok()) status = attention_classes(call.q, call.k, call.classes, call.out, call.options);
  return answer(status, message, message_size);
}

int32_t heed_scratch_size_classes(const heed_const_tensor* q, const heed_const_tensor* k,
                                  const heed_class_indices* classes, const heed_tensor* out,
                                  const heed_options* options, size_t* bytes, char* message, size_t message_size) {
  ClassArguments call;
  Status status = read_arguments(q, k, classes, out, options, call);
  if (status.ok() && bytes == nullptr) status = null_result("bytes");
  if (status.ok()) status = scratch_size_classes(call.q, call.k, call.classes, call.out, call.options, *bytes);
  return answer(status, message, message_size);
}
