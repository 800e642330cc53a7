// SPDX-License-Identifier: Apache-2.0
#include "cases/run_model.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "cases/model_attention.hpp"
#include "heed/classes.hpp"

namespace heed::tests {
namespace {

class ModelRun {
 public:
  ModelRun(const Golden& golden, const Way& way, int threads, Boundaries& boundaries)
      : golden_(golden), way_(way), threads_(threads), boundaries_(boundaries) {}

  void mha() {
    const Tokens context = tokens("x");
    boundaries_.compare("out", attention("", golden_.has("x_query") ? tokens("x_query") : context, context));
  }

  void whole_block() {
    const Tokens x = tokens("x");
    const std::int64_t keys = golden_.size_or("train_rows", x.tokens);
    std::vector<std::int64_t> rows = {golden_.config.contains("cached_kv") ? keys : 0, x.tokens};
    if (golden_.config.contains("query_rows")) rows = integers(golden_.config["query_rows"]);
    boundaries_.compare("out", block("", some_tokens(x, rows.at(0), rows.at(1)), some_tokens(x, 0, keys)));
  }

  void tabicl_induced() {
    const Tokens all = tokens("x");
    Tokens taken{0, all.tokens, all.channels}, out = all;
    std::vector<std::int64_t> items;
    for (std::int64_t b = 0; b < all.batch; ++b) {
      const auto item = std::span(all.data).subspan(static_cast<std::size_t>(b * all.tokens * all.channels),
                                                    static_cast<std::size_t>(all.tokens * all.channels));
      if (std::ranges::all_of(item, [](double value) { return value == -100.0; })) continue;  // comes back as it is
      items.push_back(b);
      taken.data.insert(taken.data.end(), item.begin(), item.end());
      ++taken.batch;
    }
    const Tokens read = induced(taken);
    for (std::int64_t item = 0; item < read.batch; ++item)
      for (std::int64_t n = 0; n < read.tokens; ++n)
        std::ranges::copy(read.row(item, n), out.row(items.at(static_cast<std::size_t>(item)), n).begin());
    boundaries_.compare("out", out);
  }

  // x is [batch, rows, columns, channels]; each column is a batch item.
  void tabpfn_induced() {
    const std::vector<std::int64_t>& shape = golden_.need("x").shape;
    const std::int64_t batch = shape.at(0), rows = shape.at(1), columns = shape.at(2);
    const Tokens x = tokens("x");
    Tokens by_column = zeros(batch * columns, rows, x.channels), out = x;
    const auto for_each_token = [&](const auto& body) {
      for (std::int64_t b = 0; b < batch; ++b)
        for (std::int64_t n = 0; n < rows; ++n)
          for (std::int64_t c = 0; c < columns; ++c) body(b * rows + n, b * columns + c, n, c);
    };
    for_each_token(
        [&](auto row, auto item, auto n, auto c) { std::ranges::copy(x.row(row, c), by_column.row(item, n).begin()); });
    const Tokens read = induced(by_column);
    for_each_token(
        [&](auto row, auto item, auto n, auto c) { std::ranges::copy(read.row(item, n), out.row(row, c).begin()); });
    boundaries_.compare("out", out);
  }

  void row_stage() {
    const Tokens x = with_tokens_before(tokens("cls"), tokens("x"));
    const Tokens read = block("block0.", x, x);
    const Tokens out = block("block1.", some_tokens(read, 0, golden_.size("cls_tokens")), read);
    boundaries_.compare("out", norm(golden_, "out_norm", out));
  }

  // Train rows read all KV heads of the train rows, test rows the first of them.
  void icl_attention() {
    boundaries_.compare("out", icl([](const Tokens& x) { return x; }));
  }
  void icl_block() {
    const Tokens y = sum(queries_of_icl(tokens("x")), icl([&](const Tokens& x) { return norm(golden_, "norm", x); }));
    boundaries_.compare("out", sum(y, feed_forward(golden_, "", norm(golden_, "norm2", y))));
  }

  void decoder() {
    ModelAttention module(golden_, "", way_, threads_, boundaries_);
    const GuardedTensor q = module.project_queries(tokens("x_test")), k = module.project_keys(tokens("x_train"));
    module.check_scaling(q);
    const std::int64_t batch = q.shape()[0], heads = q.shape()[1], rows = q.shape()[2], keys = k.shape()[2];
    const std::int64_t classes = golden_.size("classes");
    const GuardedTensor out({batch, heads, rows, classes}, Storage::bnhd);
    GuardedTensor weights({batch, heads, rows, keys}, Storage::bnhd);
    Options options = module.options();
    options.weights = weights.tensor();
    const Stored& targets = golden_.need("targets");
    const std::vector<std::int32_t> labels(targets.data.begin(), targets.data.end());
    const Stored& dense = golden_.need("v");
    const std::vector<float> values(dense.data.begin(), dense.data.end());
    ConstTensor v = bnhd(values.data(), batch, 1, keys, classes);
    v.shape[1] = heads;
    v.strides[1] = 0;
    const Status status = way_.path == Path::onednn
                              ? heed::attention(q.tensor(), k.tensor(), v, out.tensor(), options)
                              : attention_classes(q.tensor(), k.tensor(), class_indices(labels.data(), batch, keys),
                                                  out.tensor(), options);
    if (!status.ok()) return boundaries_.add(std::string("decoder: ") + status.message());
    boundaries_.compare("attention_out", static_cast<ConstTensor>(out.tensor()));
    const Tokens mean = mean_over_heads(out);
    boundaries_.compare("mean_over_heads", mean);
    if (golden_.has("weights_mean")) boundaries_.compare("weights_mean", mean_over_heads(weights));
    boundaries_.compare("out", log_of_classes(mean));
  }

 private:
  Tokens tokens(const char* name) const { return read_tokens(golden_.need(name)); }

  Tokens attention_of(const std::string& prefix, const Tokens& queries, const Tokens& context,
                      const std::vector<QueryPart>& parts) {
    return ModelAttention(golden_, prefix, way_, threads_, boundaries_).run(queries, context, parts);
  }
  Tokens attention(const std::string& prefix, const Tokens& queries, const Tokens& context) {
    return attention_of(prefix, queries, context, {{0, queries.tokens, golden_.size("kv_heads")}});
  }

  // One norm for both, or one for the queries and one for the keys.
  Tokens block(const std::string& prefix, const Tokens& queries, const Tokens& context) {
    const auto named = [&](const char* own) {
      for (const char* name : {own, "norm1", "norm"})
        if (golden_.has(prefix + name + "_g")) return prefix + name;
      throw BadCase(prefix + "norm: missing");
    };
    const Tokens read =
        attention(prefix, norm(golden_, named("norm_q"), queries), norm(golden_, named("norm_kv"), context));
    const Tokens y = sum(queries, read);
    return sum(y, feed_forward(golden_, prefix, norm(golden_, prefix + "norm2", y)));
  }

  Tokens induced(const Tokens& x) {
    const Tokens hidden =
        block("induce.", tokens("inducing"), some_tokens(x, 0, golden_.size_or("train_rows", x.tokens)));
    boundaries_.compare("hidden", hidden);
    return block("spread.", x, hidden);
  }

  std::int64_t first_query_of_icl() const {
    return golden_.config.contains("cached_kv") ? golden_.size("train_rows") : 0;
  }
  Tokens queries_of_icl(const Tokens& x) const { return some_tokens(x, first_query_of_icl(), x.tokens); }
  Tokens icl(const std::function<Tokens(const Tokens&)>& prepare) {
    const Tokens x = prepare(tokens("x")), queries = queries_of_icl(x);
    const std::int64_t train_rows = golden_.size("train_rows"), train_queries = train_rows - first_query_of_icl();
    std::vector<QueryPart> parts;
    if (train_queries > 0) parts.push_back({0, train_queries, golden_.size("kv_heads")});
    if (queries.tokens > train_queries) parts.push_back({train_queries, queries.tokens, golden_.size("kv_heads_test")});
    return attention_of("", queries, some_tokens(x, 0, train_rows), parts);
  }

  static Tokens mean_over_heads(const GuardedTensor& tensor) {
    const Dims& shape = tensor.shape();
    Tokens mean = zeros(shape[0], shape[2], shape[3]);
    for_each_element(shape, [&](auto b, auto h, auto n, auto c) {
      mean.row(b, n)[static_cast<std::size_t>(c)] +=
          static_cast<double>(tensor.at(b, h, n, c)) / static_cast<double>(shape[1]);
    });
    return mean;
  }
  // [rows, batch, max_classes] in C order; a class that was never seen has the floor.
  Tokens log_of_classes(const Tokens& mean) const {
    const std::int64_t classes = golden_.size("max_classes");
    Tokens out{mean.tokens, mean.batch, classes};
    for (std::int64_t n = 0; n < mean.tokens; ++n)
      for (std::int64_t b = 0; b < mean.batch; ++b)
        for (std::int64_t c = 0; c < classes; ++c) {
          const double p = c < mean.channels ? mean.row(b, n)[static_cast<std::size_t>(c)] : 0.0;
          out.data.push_back(std::log(std::max(p, 1e-5) + 3e-5));
        }
    return out;
  }

  const Golden& golden_;
  Way way_;
  int threads_;
  Boundaries& boundaries_;
};

void run_module(ModelRun run, const std::string& module) {
  const std::map<std::string, void (ModelRun::*)()> modules = {
      {"tabicl_mha", &ModelRun::mha},
      {"tabicl_block", &ModelRun::whole_block},
      {"tabicl_induced", &ModelRun::tabicl_induced},
      {"tabpfn_induced", &ModelRun::tabpfn_induced},
      {"tabpfn_row_attention", &ModelRun::mha},
      {"tabpfn_row_block", &ModelRun::whole_block},
      {"tabpfn_row_readout", &ModelRun::whole_block},
      {"tabpfn_row_stage", &ModelRun::row_stage},
      {"tabpfn_icl_attention", &ModelRun::icl_attention},
      {"tabpfn_icl_block", &ModelRun::icl_block},
      {"tabpfn_decoder", &ModelRun::decoder},
  };
  const auto found = modules.find(module);
  if (found == modules.end()) throw BadCase("config.module: '" + module + "' is unknown");
  (run.*found->second)();
}

}  // namespace

std::vector<std::string> run_model(const std::string& name, const Golden& golden, const Selection& selection) {
  std::vector<std::string> failures;
  for (const Way& way : selection.ways)
    for (const int threads : selection.threads) {
      Boundaries boundaries(golden, name + ": " + way.text() + ", threads " + std::to_string(threads));
      run_module(ModelRun(golden, way, threads, boundaries), field(golden.config, "module").get<std::string>());
      failures.insert(failures.end(), boundaries.failures().begin(), boundaries.failures().end());
    }
  return failures;
}

}  // namespace heed::tests
