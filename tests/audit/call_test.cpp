// SPDX-License-Identifier: Apache-2.0
// Files and options lowered to a call: the same bits as the library called directly, and blocks of
// rows that see what the whole call's rows see.
#include <doctest/doctest.h>

#include <algorithm>
#include <limits>

#include "audit/path_run.hpp"
#include "audit_run.hpp"

namespace heed::tests {
namespace {

constexpr std::int64_t batch = 2, q_heads = 4, kv_heads = 2, q_len = 70, kv_len = 90, head_dim = 16, value_dim = 5;

// Every rule and option at once.
struct Everything {
  Folder folder;
  Array<float> q = normal({batch, q_heads, q_len, head_dim}, 1);
  Array<float> k = normal({batch, kv_heads, kv_len, head_dim}, 2);
  Array<float> v = normal({batch, kv_heads, kv_len, value_dim}, 3);
  Array<std::uint8_t> mask = random_cells({1, q_heads, q_len, kv_len}, 0.3, 4);
  Array<std::uint8_t> keys = random_cells({batch, kv_len}, 0.2, 5);
  Array<float> bias = normal({batch, 1, q_len, kv_len}, 6);
  std::vector<std::int64_t> lengths = {61, 90};

  Everything() {
    for (std::size_t i = 0; i < bias.values.size(); i += 7) bias.values[i] = -std::numeric_limits<float>::infinity();
    mask.type = audit::NpyType::boolean;
    write(folder.file("q.npy"), q);
    write(folder.file("k.npy"), k);
    write(folder.file("v.npy"), v);
    write(folder.file("mask.npy"), mask);
    write(folder.file("keys.npy"), keys);
    write(folder.file("bias.npy"), bias);
    write(folder.file("lengths.npy"), Array<std::int64_t>{{batch}, lengths});
  }

  Arguments arguments() const {
    return {"--q",
            folder.file("q.npy"),
            "--k",
            folder.file("k.npy"),
            "--v",
            folder.file("v.npy"),
            "--bias",
            folder.file("bias.npy"),
            "--lengths",
            folder.file("lengths.npy"),
            "--scale",
            "0.3",
            "--soft-cap",
            "20",
            "--mask-blocked",
            folder.file("mask.npy"),
            "--causal",
            "--position",
            "bottom_right",
            "--key-blocked",
            folder.file("keys.npy"),
            "--window",
            "40,0"};
  }

  audit::Arguments parsed() const {
    audit::Arguments arguments;
    arguments.q.path = folder.file("q.npy");
    arguments.k.path = folder.file("k.npy");
    arguments.v.path = folder.file("v.npy");
    arguments.bias.path = folder.file("bias.npy");
    arguments.lengths.path = folder.file("lengths.npy");
    arguments.mask_blocked.path = folder.file("mask.npy");
    arguments.key_blocked.path = folder.file("keys.npy");
    arguments.scale = 0.3f;
    arguments.soft_cap = 20.0f;
    arguments.causal = true;
    arguments.position = Position::bottom_right();
    arguments.window = {40, 0};
    return arguments;
  }

  Options options() const {
    Options options;
    options.scale = 0.3f;
    options.soft_cap = 20.0f;
    options.bias = bhnd(bias.values.data(), batch, 1, q_len, kv_len);
    options.key_mask = blocked_keys(keys.values.data(), batch, kv_len);
    options.lengths = lengths;
    options.mask = blocked(mask.values.data(), {1, q_heads, q_len, kv_len});
    options.position = Position::bottom_right();
    options.causal = true;
    options.window = {40, 0};
    return options;
  }
};

}  // namespace

TEST_CASE("a call with every option is the library's call, bit by bit") {
  const Everything all;
  std::vector<float> out(static_cast<std::size_t>(batch * q_heads * q_len * value_dim));
  for (const std::string& path : available_paths()) {
    CAPTURE(path);
    Options options = all.options();
    options.path = path == "reference" ? Path::reference : path == "onednn" ? Path::onednn : Path::streaming;
    REQUIRE(attention(bhnd(all.q.values.data(), batch, q_heads, q_len, head_dim),
                      bhnd(all.k.values.data(), batch, kv_heads, kv_len, head_dim),
                      bhnd(all.v.values.data(), batch, kv_heads, kv_len, value_dim),
                      bhnd(out.data(), batch, q_heads, q_len, value_dim), options)
                .ok());
    const std::string file = all.folder.file("out.npy");
    const AuditRun run = run_audit(all.arguments() + Arguments{"--path", path, "--out", file});
    REQUIRE_MESSAGE(run.status == audit::exit_ok, run.out, run.err);
    CHECK(read<float>(file).values == out);
  }
}

TEST_CASE("float64 tensors and the other polarity are the same call") {
  const Everything all;
  const auto out_of = [&](const Arguments& arguments) {
    const std::string file = all.folder.file("out.npy");
    const AuditRun run = run_audit(arguments + Arguments{"--out", file});
    REQUIRE_MESSAGE(run.status == audit::exit_ok, run.out, run.err);
    return read<float>(file).values;
  };
  const auto out = out_of(all.arguments());

  write(all.folder.file("q.npy"), Array<double>{all.q.shape, {all.q.values.begin(), all.q.values.end()}});
  write(all.folder.file("bias.npy"), Array<double>{all.bias.shape, {all.bias.values.begin(), all.bias.values.end()}});
  write(all.folder.file("lengths.npy"), Array<std::int32_t>{{batch}, {61, 90}});
  Arguments arguments = all.arguments();
  for (const char* name : {"mask", "keys"}) {
    auto cells = name == std::string("mask") ? all.mask : all.keys;
    for (std::uint8_t& cell : cells.values) cell = cell == 0;
    write(all.folder.file(std::string(name) + ".npy"), cells);
  }
  std::replace(arguments.begin(), arguments.end(), std::string("--mask-blocked"), std::string("--mask-allowed"));
  std::replace(arguments.begin(), arguments.end(), std::string("--key-blocked"), std::string("--key-allowed"));
  CHECK(out_of(arguments) == out);
}

TEST_CASE("heads of 3-D and 4-D files may differ between q and k") {
  const Folder folder;
  write(folder.file("q.npy"), normal({1, 5, 4 * 8}, 1));
  write(folder.file("k.npy"), normal({1, 5, 2 * 8}, 2));
  write(folder.file("v.npy"), normal({1, 2, 5, 3}, 3));
  const AuditRun run = run_audit({"--q", folder.file("q.npy"), "--k", folder.file("k.npy"), "--v", folder.file("v.npy"),
                                  "--heads", "4", "--kv-heads", "2", "--out", folder.file("out.npy")});
  CHECK_MESSAGE(run.status == audit::exit_ok, run.err);
  CHECK(read<float>(folder.file("out.npy")).shape == std::vector<std::int64_t>{1, 5, 4 * 3});
}

TEST_CASE("calls without elements are audited too") {
  const Folder folder;
  for (const std::vector<std::int64_t>& q_shape : {std::vector<std::int64_t>{0, 2, 3, 4}, {1, 2, 0, 4}, {1, 0, 3, 4}}) {
    CAPTURE(audit::shape_text(q_shape));
    const std::vector<std::int64_t> kv_shape = {q_shape[0], q_shape[1], 3, 4};
    write(folder.file("q.npy"), normal(q_shape, 1));
    write(folder.file("k.npy"), normal(kv_shape, 1));
    write(folder.file("v.npy"), normal(kv_shape, 1));
    const AuditRun run =
        run_audit({"--q", folder.file("q.npy"), "--k", folder.file("k.npy"), "--v", folder.file("v.npy")});
    CHECK_MESSAGE(run.status == audit::exit_ok, run.err);
  }
}

TEST_CASE("sampled weights see what the whole call sees") {
  const Everything all;
  const audit::Call call(all.parsed());
  const audit::AllRowFacts facts(call, 2);
  for (const Path path : {Path::streaming, Path::reference}) {
    CAPTURE(path_name(path));
    audit::Outputs outputs;
    const audit::PathReport whole = audit::PathRunner(call, facts).run(path, nullptr, false, outputs);
    const audit::PathReport sampled = audit::PathRunner(call, facts, 0).run(path, nullptr, false, outputs);
    CHECK(whole.is_ok());
    CHECK(sampled.is_ok());
    CHECK_FALSE(whole.weights_are_sampled);
    CHECK(sampled.weights_are_sampled);
    // Four (batch, KV head) pairs of two blocks each: all of them fit the sample.
    CHECK(sampled.weights.rows == whole.weights.rows);
    CHECK(sampled.weights.rows == batch * q_heads * q_len);
  }
}

TEST_CASE("a block of rows gives the weights of the whole call's rows") {
  const Everything all;
  const audit::Call call(all.parsed());
  std::vector<float> out(static_cast<std::size_t>(batch * q_heads * q_len * value_dim));
  std::vector<float> whole(static_cast<std::size_t>(batch * q_heads * q_len * kv_len));
  Options options = call.whole().options;
  options.path = Path::reference;
  options.weights = bhnd(whole.data(), batch, q_heads, q_len, kv_len);
  REQUIRE(attention(call.whole().q, call.whole().k, call.whole().v, bhnd(out.data(), batch, q_heads, q_len, value_dim),
                    options)
              .ok());
  constexpr std::int64_t group = 2, first = 33, rows = 17;
  for (std::int64_t b = 0; b < batch; ++b)
    for (std::int64_t kv_head = 0; kv_head < kv_heads; ++kv_head) {
      audit::CallView part = call.block({b, kv_head, first, rows});
      std::vector<float> weights(static_cast<std::size_t>(group * rows * kv_len));
      part.options.path = Path::reference;
      part.options.weights = bhnd(weights.data(), 1, group, rows, kv_len);
      REQUIRE(attention(part.q, part.k, part.v, bhnd(out.data(), 1, group, rows, value_dim), part.options).ok());
      for (std::int64_t h = 0; h < group; ++h)
        for (std::int64_t i = 0; i < rows; ++i) {
          const auto row = ((b * q_heads + kv_head * group + h) * q_len + first + i) * kv_len;
          CHECK(
              std::equal(whole.begin() + row, whole.begin() + row + kv_len, weights.begin() + (h * rows + i) * kv_len));
        }
    }
}

}  // namespace heed::tests
