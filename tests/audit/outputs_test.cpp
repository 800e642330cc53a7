// SPDX-License-Identifier: Apache-2.0
// Output files: checked before the work, written in the layout and rank of q, read back as answers.
#include <doctest/doctest.h>

#include <filesystem>

#include "audit_run.hpp"
#include "heed/attention.hpp"

namespace heed::tests {
namespace {

constexpr std::int64_t batch = 2, heads = 3, q_len = 4, kv_len = 5, head_dim = 8, value_dim = 6;

// q, k, v of one call, stored bhnd, bnhd or 3-D.
Arguments write_tensors(const Folder& folder, const std::string& storage) {
  const auto stored = [&](std::int64_t tokens, std::int64_t channels, std::uint32_t seed) {
    const Array<float> bhnd = normal({batch, heads, tokens, channels}, seed);
    if (storage == "bhnd") return bhnd;
    Array<float> bnhd{{batch, tokens, heads, channels}, {}};
    if (storage == "3-D") bnhd.shape = {batch, tokens, heads * channels};
    for (std::int64_t b = 0; b < batch; ++b)
      for (std::int64_t n = 0; n < tokens; ++n)
        for (std::int64_t h = 0; h < heads; ++h)
          for (std::int64_t c = 0; c < channels; ++c)
            bnhd.values.push_back(bhnd.values[static_cast<std::size_t>(((b * heads + h) * tokens + n) * channels + c)]);
    return bnhd;
  };
  write(folder.file("q.npy"), stored(q_len, head_dim, 1));
  write(folder.file("k.npy"), stored(kv_len, head_dim, 2));
  write(folder.file("v.npy"), stored(kv_len, value_dim, 3));
  Arguments arguments = {"--q", folder.file("q.npy"), "--k", folder.file("k.npy"), "--v", folder.file("v.npy")};
  if (storage == "bnhd") return arguments + Arguments{"--layout", "bnhd"};
  return storage == "3-D" ? arguments + Arguments{"--heads", "3"} : arguments;
}

Arguments output_files(const Folder& folder) {
  return {"--out", folder.file("out.npy"), "--lse", folder.file("lse.npy"), "--weights", folder.file("weights.npy")};
}

}  // namespace

TEST_CASE("out, lse and weights have the layout and rank of q, and the same values in each") {
  using Shape = std::vector<std::int64_t>;
  const Folder folder;
  Array<float> outs[3];
  int n = 0;
  for (const std::string storage : {"bhnd", "bnhd", "3-D"}) {
    CAPTURE(storage);
    const AuditRun run = run_audit(write_tensors(folder, storage) + output_files(folder));
    REQUIRE_MESSAGE(run.status == audit::exit_ok, run.out, run.err);
    const auto out = read<float>(folder.file("out.npy"));
    const auto lse = read<float>(folder.file("lse.npy"));
    const auto weights = read<float>(folder.file("weights.npy"));
    if (storage == "bhnd") {
      CHECK(out.shape == Shape{batch, heads, q_len, value_dim});
      CHECK(lse.shape == Shape{batch, heads, q_len, 1});
      CHECK(weights.shape == Shape{batch, heads, q_len, kv_len});
    } else if (storage == "bnhd") {
      CHECK(out.shape == Shape{batch, q_len, heads, value_dim});
      CHECK(lse.shape == Shape{batch, q_len, heads, 1});
      CHECK(weights.shape == Shape{batch, q_len, heads, kv_len});
    } else {
      CHECK(out.shape == Shape{batch, q_len, heads * value_dim});
      CHECK(lse.shape == Shape{batch, q_len, heads});
      CHECK(weights.shape == Shape{batch, q_len, heads * kv_len});
    }
    outs[n++] = out;
  }
  CHECK(outs[1].values == outs[2].values);
  for (std::int64_t b = 0; b < batch; ++b)
    for (std::int64_t h = 0; h < heads; ++h)
      for (std::int64_t i = 0; i < q_len; ++i)
        for (std::int64_t c = 0; c < value_dim; ++c)
          CHECK(outs[0].values[static_cast<std::size_t>(((b * heads + h) * q_len + i) * value_dim + c)] ==
                outs[1].values[static_cast<std::size_t>(((b * q_len + i) * heads + h) * value_dim + c)]);
}

TEST_CASE("what one run writes is a good answer for the next") {
  const Folder folder;
  for (const std::string storage : {"bhnd", "bnhd", "3-D"})
    for (const std::string& path : available_paths()) {
      CAPTURE(storage);
      CAPTURE(path);
      const Arguments tensors = write_tensors(folder, storage);
      REQUIRE(run_audit(tensors + output_files(folder) + Arguments{"--path", path}).status == audit::exit_ok);
      const AuditRun again = run_audit(tensors + Arguments{"--expect", folder.file("out.npy"), "--expect-lse",
                                                           folder.file("lse.npy"), "--json", folder.file("r.json")});
      CHECK_MESSAGE(again.status == audit::exit_ok, again.out, again.err);
      const auto json = json_of(folder.file("r.json"));
      CHECK(path_in(json, path).at("expect").at("max") == 0.0);
      CHECK(path_in(json, path).at("expect_lse").at("max") == 0.0);
    }
}

TEST_CASE("an output that can't be written is an error before the work starts") {
  const Folder folder;
  const Arguments tensors = write_tensors(folder, "bhnd");
  for (const std::string option : {"--out", "--lse", "--weights", "--json", "--html", "--svg"}) {
    CAPTURE(option);
    const std::string file = folder.file("no/such/folder.npy");
    const AuditRun run = run_audit(tensors + Arguments{option, file});
    CHECK(run.status == audit::exit_error);
    CHECK(run.out.empty());
    CHECK(run.err == "heed-audit: " + option + " " + file + ": cannot be written\n");
  }
  const AuditRun full = run_audit(tensors + Arguments{"--out", "/dev/full"});
  CHECK(full.status == audit::exit_error);
  CHECK(full.err.find("--out /dev/full: could not be written in full") != std::string::npos);
}

TEST_CASE("an output never replaces an input or another output") {
  const Folder folder;
  const Arguments tensors = write_tensors(folder, "bhnd");
  const std::string before = bytes_of(folder.file("v.npy"));
  const AuditRun input = run_audit(tensors + Arguments{"--out", folder.file("./v.npy")});
  CHECK(input.status == audit::exit_error);
  CHECK(input.err.find("is the file of --v too") != std::string::npos);
  CHECK(bytes_of(folder.file("v.npy")) == before);
  const AuditRun output = run_audit(tensors + Arguments{"--out", folder.file("o.npy"), "--lse", folder.file("o.npy")});
  CHECK(output.status == audit::exit_error);
  CHECK(output.err.find("is the file of --out too") != std::string::npos);
}

TEST_CASE("a refused call leaves older output files alone") {
  const Folder folder;
  const Arguments tensors = write_tensors(folder, "bhnd");
  write_bytes(folder.file("out.npy"), "older");
  CHECK(run_audit(tensors + Arguments{"--causal", "--out", folder.file("out.npy")}).status == audit::exit_error);
  CHECK(bytes_of(folder.file("out.npy")) == "older");
}

}  // namespace heed::tests
