// SPDX-License-Identifier: Apache-2.0
// heed: tensors as views of the caller's memory. heed/tensor.hpp is the same in C++.
#pragma once

#include <stdint.h>

#include <heed/status.h>

#ifdef __cplusplus
extern "C" {
#endif

// Element types. HEED_F32 runs; the others answer HEED_UNSUPPORTED until they do.
enum heed_dtype { HEED_F32 = 0, HEED_F16 = 1, HEED_BF16 = 2, HEED_I8 = 3 };

// An input view that owns nothing: sizes and strides, logically [batch, heads, tokens, channels]
// whatever the storage order. Strides count elements; 0 broadcasts; negative is allowed; the stride of
// a size-1 dimension is ignored. A channel stride other than 1 is honoured but slower. Data has to be
// aligned to its element and no more; it may be NULL when the tensor has no elements.
typedef struct heed_const_tensor {
  const void* data;
  int64_t shape[4];
  int64_t strides[4];
  int32_t dtype;  // heed_dtype
} heed_const_tensor;

// The same, layout included, for outputs. An output must not broadcast.
typedef struct heed_tensor {
  void* data;
  int64_t shape[4];
  int64_t strides[4];
  int32_t dtype;
} heed_tensor;

// Contiguous float tensors stored as [batch, heads, tokens, channels] (bhnd), or as [batch, tokens,
// heads, channels] (bnhd), as a projection leaves them. The arguments stay in the logical order.
HEED_C_API heed_const_tensor heed_const_tensor_bhnd(const float* data, int64_t batch, int64_t heads, int64_t tokens,
                                                    int64_t channels);
HEED_C_API heed_const_tensor heed_const_tensor_bnhd(const float* data, int64_t batch, int64_t heads, int64_t tokens,
                                                    int64_t channels);
HEED_C_API heed_tensor heed_tensor_bhnd(float* data, int64_t batch, int64_t heads, int64_t tokens, int64_t channels);
HEED_C_API heed_tensor heed_tensor_bnhd(float* data, int64_t batch, int64_t heads, int64_t tokens, int64_t channels);

#ifdef __cplusplus
}
#endif
