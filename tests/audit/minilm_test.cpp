// SPDX-License-Identifier: Apache-2.0
// Real tensors: two attention layers of a sentence encoder, with float64 answers (tests/data/minilm).
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "audit_run.hpp"
#include "heed/attention.hpp"

namespace heed::tests {
namespace {

constexpr std::int64_t batch = 8, tokens = 19, heads = 12;
const std::string data = "tests/data/minilm/";

struct Layer {
  std::string name;
  double lse_error;  // scores of layer 0 reach 40
};
const std::vector<Layer> layers = {{"layer0", 2e-5}, {"layer5", 3e-6}};

Arguments tensors(const std::string& layer) {
  return {"--q", data + layer + "_q.npy", "--k",     data + layer + "_k.npy",
          "--v", data + layer + "_v.npy", "--heads", "12"};
}
Arguments key_padding() { return {"--key-allowed", data + "key_allowed.npy"}; }
Arguments answers(const std::string& layer) {
  return {"--expect", data + layer + "_out_f64.npy", "--expect-lse", data + layer + "_lse_f64.npy"};
}

}  // namespace

TEST_CASE("MiniLM: every path and ISA meets the float64 answers, and padding weighs exactly 0") {
  const Folder folder;
  for (const auto& [layer, lse_error] : layers)
    for (const std::string& isa : available_isas())
      for (const char* threads : {"1", "2"}) {
        CAPTURE(layer);
        CAPTURE(isa);
        CAPTURE(threads);
        const std::string report = folder.file("report.json");
        const AuditRun run = run_audit(tensors(layer) + key_padding() + answers(layer) +
                                       Arguments{"--isa", isa, "--threads", threads, "--json", report});
        REQUIRE_MESSAGE(run.status == audit::exit_ok, run.out, run.err);
        const auto json = json_of(report);
        CHECK(json.at("verdict") == "ok");
        CHECK(json.at("paths").size() == available_paths().size());
        CHECK(path_in(json, "streaming").at("isa") == isa);
        for (const auto& path : json.at("paths")) {
          CAPTURE(path.dump());
          CHECK(path.at("expect").at("max") < 2e-6);
          CHECK(path.at("expect_lse").at("max") < lse_error);
          CHECK(path.at("row_sum_error") <= 1e-6);
          CHECK(path.at("hidden_weight") == 0.0);
          CHECK(path.at("weights_rows") == batch * heads * tokens);
        }
      }
}

TEST_CASE("MiniLM: the model's own float32 output agrees") {
  for (const Layer& layer : layers) {
    const AuditRun run =
        run_audit(tensors(layer.name) + key_padding() + Arguments{"--expect", data + layer.name + "_out.npy"});
    CHECK_MESSAGE(run.status == audit::exit_ok, run.out, run.err);
  }
}

TEST_CASE("MiniLM: the files that are written hold the answers, and weights of padding are exactly 0") {
  const Folder folder;
  const auto allowed_keys = read<std::uint8_t>(data + "key_allowed.npy");
  for (const auto& [layer, lse_error] : layers) {
    CAPTURE(layer);
    const AuditRun run = run_audit(tensors(layer) + key_padding() +
                                   Arguments{"--out", folder.file("out.npy"), "--lse", folder.file("lse.npy"),
                                             "--weights", folder.file("weights.npy")});
    REQUIRE_MESSAGE(run.status == audit::exit_ok, run.out, run.err);

    const auto out = read<float>(folder.file("out.npy"));
    const auto right = read<double>(data + layer + "_out_f64.npy");
    REQUIRE(out.shape == right.shape);
    double error = 0.0;
    for (std::size_t i = 0; i < right.values.size(); ++i)
      error = std::max(error, std::abs(static_cast<double>(out.values[i]) - right.values[i]));
    CHECK(error < 2e-6);

    const auto lse = read<float>(folder.file("lse.npy"));
    const auto weights = read<float>(folder.file("weights.npy"));
    const auto right_lse = read<double>(data + layer + "_lse_f64.npy");
    REQUIRE(lse.shape == std::vector<std::int64_t>{batch, tokens, heads});
    REQUIRE(weights.shape == std::vector<std::int64_t>{batch, tokens, heads * tokens});
    double lse_off = 0.0, row_sum_off = 0.0;
    float padding = 0.0f;
    const float* weight = weights.values.data();
    for (std::int64_t b = 0; b < batch; ++b)
      for (std::int64_t i = 0; i < tokens; ++i)
        for (std::int64_t h = 0; h < heads; ++h) {
          const auto at = static_cast<std::size_t>((b * heads + h) * tokens + i);
          const auto written = static_cast<double>(lse.values[static_cast<std::size_t>((b * tokens + i) * heads + h)]);
          lse_off = std::max(lse_off, std::abs(written - right_lse.values[at]));
          double sum = 0.0;
          for (std::int64_t j = 0; j < tokens; ++j, ++weight) {
            sum += static_cast<double>(*weight);
            if (allowed_keys.values[static_cast<std::size_t>(b * tokens + j)] == 0)
              padding = std::max(padding, *weight);
          }
          row_sum_off = std::max(row_sum_off, std::abs(sum - 1.0));
        }
    CHECK(lse_off < lse_error);
    CHECK(row_sum_off < 1e-6);
    CHECK(padding == 0.0f);
  }
}

TEST_CASE("MiniLM: NaN in every padded row of K and V changes no bit") {
  const Folder folder;
  const auto allowed_keys = read<std::uint8_t>(data + "key_allowed.npy");
  for (const Layer& layer : layers) {
    std::int64_t poisoned = 0;
    for (const char* name : {"k", "v"}) {
      auto tensor = read<float>(data + layer.name + "_" + name + ".npy");
      const auto width = static_cast<std::size_t>(tensor.shape[2]);
      for (std::size_t key = 0; key < allowed_keys.values.size(); ++key) {
        if (allowed_keys.values[key] != 0) continue;
        std::fill_n(tensor.values.begin() + static_cast<std::ptrdiff_t>(key * width), width,
                    std::numeric_limits<float>::quiet_NaN());
        ++poisoned;
      }
      write(folder.file(std::string(name) + ".npy"), tensor);
    }
    REQUIRE(poisoned == 2 * 50);
    const Arguments with_nan = {"--q", data + layer.name + "_q.npy", "--k",     folder.file("k.npy"),
                                "--v", folder.file("v.npy"),         "--heads", "12"};
    for (const std::string& path : available_paths())
      for (const std::string& isa : available_isas()) {
        CAPTURE(layer.name);
        CAPTURE(path);
        CAPTURE(isa);
        const auto outputs = [&](const Arguments& inputs, const std::string& prefix) {
          const AuditRun run =
              run_audit(inputs + key_padding() +
                        Arguments{"--path", path, "--isa", isa, "--out", folder.file(prefix + "out.npy"), "--lse",
                                  folder.file(prefix + "lse.npy"), "--weights", folder.file(prefix + "weights.npy")});
          REQUIRE_MESSAGE(run.status == audit::exit_ok, run.out, run.err);
        };
        outputs(tensors(layer.name), "clean_");
        outputs(with_nan, "nan_");
        for (const char* name : {"out.npy", "lse.npy", "weights.npy"}) {
          CAPTURE(name);
          CHECK(bytes_of(folder.file(std::string("clean_") + name)) ==
                bytes_of(folder.file(std::string("nan_") + name)));
        }
      }
  }
}

TEST_CASE("MiniLM: the wrong polarity of the key padding, or none, is a failed verdict") {
  for (const Layer& layer : layers) {
    for (const Arguments& keys : {Arguments{"--key-blocked", data + "key_allowed.npy"}, Arguments{}}) {
      const AuditRun run = run_audit(tensors(layer.name) + keys + answers(layer.name));
      CHECK(run.status == audit::exit_verdict);
      CHECK(run.out.find("FAIL streaming: out against --expect: off by") != std::string::npos);
      CHECK(run.out.find("FAIL reference: lse against --expect-lse: off by") != std::string::npos);
    }
  }
}

}  // namespace heed::tests
