// SPDX-License-Identifier: Apache-2.0
// The presets against the models' sizes, written down here once more; files of specs; storage orders.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "sweep/arguments.hpp"
#include "sweep/presets.hpp"
#include "sweep/spec_file.hpp"
#include "sweep/storage.hpp"
#include "sweep/temporary_file.hpp"
#include "workload.hpp"

namespace heed::perf {
namespace {

struct Sizes {
  const char* name;
  std::int64_t batch, q_heads, kv_heads, q_len, kv_len, head_dim, value_dim;
};

constexpr Sizes model_sizes[] = {
    {"tp3-s1-induce-5k", 4, 8, 8, 128, 5000, 16, 16},
    {"tp3-s1-induce-50k", 4, 8, 8, 128, 50000, 16, 16},
    {"tp3-s1-spread", 20, 8, 8, 2048, 128, 16, 16},
    {"tp3-s2-row-f10", 2048, 8, 8, 14, 14, 16, 16},
    {"tp3-s2-row-f100", 2048, 8, 8, 104, 104, 16, 16},
    {"tp3-s2-row-f500", 256, 8, 8, 504, 504, 16, 16},
    {"tp3-s2-cls-f100", 2048, 8, 8, 4, 104, 16, 16},
    {"tp3-s3-train-1k", 1, 8, 8, 1000, 1000, 64, 64},
    {"tp3-s3-train-5k", 1, 8, 8, 5000, 5000, 64, 64},
    {"tp3-s3-train-10k", 1, 8, 8, 10000, 10000, 64, 64},
    {"tp3-s3-test-mqa-5k", 1, 8, 1, 1000, 5000, 64, 64},
    {"tp3-s3-cached-1row", 1, 8, 1, 1, 10000, 64, 64},
    {"tp3-s3-cached-1row-100k", 1, 8, 1, 1, 100000, 64, 64},
    {"tp3-dec-10cls", 1, 6, 6, 1000, 5000, 64, 10},
    {"tp3-dec-160cls", 1, 6, 6, 1000, 5000, 64, 160},
    {"tp35-s3-train-5k", 1, 16, 16, 5000, 5000, 64, 64},
    {"tp35-s3-test-mqa", 1, 16, 1, 1000, 5000, 64, 64},
    {"tp25-feat-f100", 2048, 3, 3, 35, 35, 64, 64},
    {"tp25-feat-f500", 256, 3, 3, 168, 168, 64, 64},
    {"tp25-item-f100-1k", 35, 3, 3, 1064, 1064, 64, 64},
    {"tp25-item-test-mqa", 35, 3, 1, 500, 1064, 64, 64},
    {"tp2-feat-f100", 2048, 6, 6, 51, 51, 32, 32},
    {"tp2-item-f10-1k", 6, 6, 6, 1000, 1000, 32, 32},
    {"ticl2-s3-5k", 1, 8, 8, 6000, 5000, 64, 64},
    {"ticl1-s3-1k", 8, 4, 4, 1200, 1000, 128, 128},
    {"ticl1-s1-induce", 80, 4, 4, 128, 1000, 32, 32},
    {"ticl-row-keymask", 512, 8, 8, 104, 104, 16, 16},
    {"mini-latent-kpm", 8, 8, 8, 128, 4096, 16, 16},
    {"set-isab-up", 8, 4, 4, 32, 1000, 32, 32},
    {"perceiver-io-x", 1, 8, 8, 256, 2048, 32, 160},
    {"perceiver-io-self", 1, 8, 8, 256, 256, 32, 160},
    {"minilm-b1-n128", 1, 12, 12, 128, 128, 32, 32},
    {"minilm-b32-n128", 32, 12, 12, 128, 128, 32, 32},
    {"minilm-b64-n32", 64, 12, 12, 32, 32, 32, 32},
    {"bert-base-b1-n512", 1, 12, 12, 512, 512, 64, 64},
    {"bert-base-b8-n128", 8, 12, 12, 128, 128, 64, 64},
    {"vit-b16-224", 1, 12, 12, 197, 197, 64, 64},
    {"clip-l14-224", 1, 16, 16, 257, 257, 64, 64},
    {"clip-l14-336", 1, 16, 16, 577, 577, 64, 64},
    {"clip-text", 8, 12, 12, 77, 77, 64, 64},
    {"swin-t-s1", 64, 3, 3, 49, 49, 32, 32},
    {"swin-t-s3", 4, 12, 12, 49, 49, 32, 32},
    {"ft-transformer", 1024, 8, 8, 101, 101, 24, 24},
    {"whisper-tiny-enc", 1, 6, 6, 1500, 1500, 64, 64},
    {"whisper-small-enc", 1, 12, 12, 1500, 1500, 64, 64},
    {"whisper-small-xdec", 5, 12, 12, 1, 1500, 64, 64},
    {"whisper-small-sdec", 5, 12, 12, 1, 224, 64, 64},
    {"llama8b-prefill-1k", 1, 32, 8, 1024, 1024, 128, 128},
    {"llama8b-dec-4k", 1, 32, 8, 1, 4096, 128, 128},
    {"llama8b-dec-32k", 1, 32, 8, 1, 32768, 128, 128},
    {"llama8b-chunk-512-4k", 1, 32, 8, 512, 4608, 128, 128},
    {"llama1b-dec-8k", 1, 32, 8, 1, 8192, 64, 64},
    {"qwen05b-dec-4k", 1, 14, 2, 1, 4096, 64, 64},
    {"phi3mini-dec-4k", 1, 32, 32, 1, 4096, 96, 96},
    {"gemma2-2b-dec-4k", 1, 8, 4, 1, 4096, 256, 256},
};

Spec spec_of(const std::string& name) {
  Spec spec;
  const auto preset =
      std::find_if(std::begin(presets), std::end(presets), [&](const Preset& other) { return name == other.name; });
  REQUIRE(preset != std::end(presets));
  REQUIRE(parse_spec(preset->spec, spec) == "");
  return spec;
}

Spec parsed(const char* text) {
  Spec spec;
  REQUIRE(parse_spec(text, spec) == "");
  return spec;
}

}  // namespace

TEST_CASE("every model's shape is a preset, and every other preset a square or what is compared with one") {
  for (const Sizes& sizes : model_sizes) {
    CAPTURE(sizes.name);
    const Spec spec = spec_of(sizes.name);
    CHECK(spec.batch == sizes.batch);
    CHECK(spec.q_heads == sizes.q_heads);
    CHECK(spec.kv_heads == sizes.kv_heads);
    CHECK(spec.q_len == sizes.q_len);
    CHECK(spec.kv_len == sizes.kv_len);
    CHECK(spec.head_dim == sizes.head_dim);
    CHECK(spec.value_dim == sizes.value_dim);
  }
  const auto is_plain = [](const Preset& preset) {
    const std::string name = preset.name;
    return name.starts_with("square-") || preset.base != nullptr;
  };
  CHECK(std::size(presets) == std::size(model_sizes) + static_cast<std::size_t>(std::count_if(
                                                           std::begin(presets), std::end(presets), is_plain)));
}

TEST_CASE("a tier holds what is as large as it says") {
  for (const Preset& preset : presets) {
    CAPTURE(preset.name);
    const Spec spec = spec_of(preset.name);
    const double flops = 2.0 * static_cast<double>(spec.batch * spec.q_heads * spec.q_len * spec.kv_len *
                                                   (spec.head_dim + spec.value_dim));
    if (std::string(preset.name).ends_with("-n2048")) continue;  // quick all the same: what causal saves
    if (preset.tier == Tier::quick) CHECK(flops <= 3e9);
    if (preset.tier == Tier::full) CHECK(flops <= 35e9);
    if (preset.tier == Tier::all) CHECK(flops > 35e9);
  }
}

TEST_CASE("presets share what their models share, and hide what they hide") {
  for (const char* name : {"tp3-s1-induce-5k", "tp3-s1-induce-50k", "ticl1-s1-induce"})
    CHECK(strides_of(spec_of(name).q, spec_of(name).q_shape())[0] == 0);
  for (const char* name : {"tp3-dec-10cls", "tp3-dec-160cls"})
    CHECK(strides_of(spec_of(name).v, spec_of(name).v_shape())[1] == 0);
  const Spec beams = spec_of("whisper-small-xdec");
  CHECK(strides_of(beams.k, beams.k_shape())[0] == 0);
  CHECK(strides_of(beams.v, beams.v_shape())[0] == 0);
  for (const char* name : {"ticl-row-keymask", "perceiver-io-x", "minilm-b1-n128", "minilm-b32-n128", "minilm-b64-n32",
                           "bert-base-b1-n512", "bert-base-b8-n128"})
    CHECK(spec_of(name).key_mask == Polarity::blocked);
  CHECK(spec_of("mini-latent-kpm").has_lengths);
  CHECK(spec_of("gemma2-2b-dec-4k").soft_cap == 50.0f);
  CHECK(*spec_of("set-isab-up").scale == doctest::Approx(0.0883883476));
  for (const char* name : {"clip-text", "llama8b-prefill-1k", "llama8b-chunk-512-4k"}) CHECK(spec_of(name).causal);
  CHECK(spec_of("llama8b-chunk-512-4k").offset == 4096);
  const Spec swin = spec_of("swin-t-s1");
  CHECK(*swin.bias == Dims{1, 3, 49, 49});
  CHECK(swin.mask == Polarity::blocked);
  CHECK(swin.mask_shape == Dims{64, 1, 49, 49});
  CHECK(*spec_of("swin-t-s3").bias == Dims{1, 12, 49, 49});
  CHECK(spec_of("swin-t-s3").mask_shape == Dims{4, 1, 49, 49});
}

TEST_CASE("a larger tier has the rows of the smaller ones, and quick is what nothing named means") {
  const auto rows_of = [](std::optional<Tier> tier) {
    SweepArguments arguments;
    arguments.tier = tier;
    std::size_t rows = 0;
    for (const std::vector<Subject>& group : groups_of(arguments)) rows += group.size();
    return rows;
  };
  CHECK(rows_of(std::nullopt) == rows_of(Tier::quick));
  CHECK(rows_of(Tier::quick) < rows_of(Tier::full));
  CHECK(rows_of(Tier::full) < rows_of(Tier::all));
  CHECK(rows_of(Tier::all) == std::size(presets));
}

TEST_CASE("a storage order is every tensor's, and what is shared stays shared") {
  const Spec spec = parsed("b=4 h=6:2 n=7:9 d=8:10 q=0:56:8:1 v=90:0:10:1");
  CHECK(storage_name(spec) == "bhnd");
  const Spec turned = in_storage(spec, Storage::Order::bnhd);
  CHECK(to_text(turned) == "b=4 h=6:2 n=7:9 d=8:10 q=0:8:48:1 k=bnhd v=90:0:10:1 out=bnhd");
  CHECK(storage_name(turned) == "bnhd");
  CHECK(storage_name(in_storage(turned, Storage::Order::bhnd)) == "bhnd");
  CHECK(storage_name(parsed("b=4 h=6:2 n=7:9 d=8:10 q=bnhd")) == "mixed");
  CHECK(storage_name(parsed("b=4 h=6:2 n=7:9 d=8:10 q=1000:56:8:1")) == "mixed");
  CHECK(storage_name(in_storage(parsed("b=2 h=1:1 n=3:3 d=4:4"), Storage::Order::bnhd)) == "bnhd");
  CHECK(to_text(in_storage(parsed("b=4 h=6:2 n=7:9 d=8:10 q=1000:56:8:1"), Storage::Order::bhnd)) ==
        "b=4 h=6:2 n=7:9 d=8:10");
  // It still runs: a shared tensor holds its elements once.
  const Workload workload(turned);
  CHECK(workload.memory()[0].size() == 6 * 7 * 8 * sizeof(float));
}

TEST_CASE("both storage orders stand in one group, each beside its own base") {
  SweepArguments arguments;
  arguments.presets = {"causal-d64-n2048"};
  arguments.storages = {"bhnd", "bnhd"};
  const auto groups = groups_of(arguments);
  REQUIRE(groups.size() == 1);
  REQUIRE(groups[0].size() == 4);
  CHECK(groups[0][2].preset == "square-d64-n2048");
  CHECK(groups[0][3].base == "square-d64-n2048");
  CHECK(storage_name(groups[0][3].spec) == "bnhd");
  arguments.storages = {"nhwc"};
  CHECK_THROWS_AS(groups_of(arguments), ArgumentError);
}

TEST_CASE("a file of specs has names, comments and empty lines") {
  const TemporaryFile file("# ours\n\nencoder  b=1 h=2:2 n=3:4 d=8:8 causal  # rows\n  b=2 h=2:2 n=3:4 d=8:8\r\n");
  const auto specs = read_spec_file(file.path());
  REQUIRE(specs.size() == 2);
  CHECK(specs[0].name == "encoder");
  CHECK(specs[0].spec.causal);
  CHECK(specs[1].name == "-");
  CHECK(specs[1].spec.batch == 2);
}

TEST_CASE("a mistake in a file of specs is told by its line") {
  const auto message_of = [](const std::string& path) -> std::string {
    try {
      read_spec_file(path);
    } catch (const ArgumentError& error) {
      return error.message;
    }
    return "";
  };
  const TemporaryFile wrong("b=1 h=2:2 n=3:4 d=8:8\nname b=1 h=2\n");
  CHECK(message_of(wrong.path()) == "--specs: " + wrong.path() + ":2: spec: 'h=2', expected q_heads:kv_heads");
  const TemporaryFile nameless("only-a-name\n");
  CHECK(message_of(nameless.path()).find(":1: spec: '' ends early") != std::string::npos);
  const TemporaryFile empty("# nothing\n");
  CHECK(message_of(empty.path()).find("holds no spec") != std::string::npos);
  CHECK(message_of("/nonexistent/specs").find("can't be read") != std::string::npos);
}

}  // namespace heed::perf
