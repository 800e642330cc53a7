// SPDX-License-Identifier: Apache-2.0
// Train and test rows go through every stage in calls of their own: oneDNN's bits depend on the number of rows that are
// projected together, and train rows must not change when test rows come or go.
#include "tabular/forward.hpp"

#include <algorithm>
#include <stdexcept>

#include "heed/classes.hpp"
#include "heed/induced.hpp"
#include "tabular/tokens.hpp"

namespace heed::perf {
namespace {

// What stages work on at a time, as the models' own code does to bound its memory.
constexpr std::int64_t rows_at_a_time = 2048, tokens_at_a_time = 1 << 16;

// Rows [begin, end) of the table.
struct Part {
  std::int64_t begin, end;
  std::int64_t rows() const { return end - begin; }
};

class Forward {
 public:
  Forward(const ModelWeights& weights, const DataTable& table, std::int64_t train_rows, Probe& probe)
      : weights_(weights),
        sizes_(weights.sizes()),
        table_(table),
        probe_(probe),
        train_{0, train_rows},
        test_{train_rows, table.rows()},
        cells_(table.rows(), sizes_.readers + table.features(), sizes_.cell_channels),
        row_vectors_(1, table.rows(), sizes_.row_channels()) {}

  Prediction run() {
    embed();
    column_stage();
    row_stage();
    context_stage();
    return decode();
  }

 private:
  template <class Body>
  void for_each_part(const Body& body) {
    for (const Part& part : {train_, test_})
      if (part.rows() > 0) body(part);
  }

  // A cell: three features of its row, its own and two neighbours, circularly. Readers stand before the cells.
  void embed() {
    const std::int64_t features = table_.features(), channels = sizes_.cell_channels;
    for (std::int64_t n = 0; n < table_.rows(); ++n) {
      std::copy(weights_.readers.begin(), weights_.readers.end(), cells_.view().row(n, 0));
      const float* const values = table_.values.data() + n * features;
      for (std::int64_t f = 0; f < features; ++f) {
        const float inputs[3] = {values[f], values[(f + 1) % features], values[(f + 3) % features]};
        float* const cell = cells_.view().row(n, sizes_.readers + f);
        for (std::int64_t c = 0; c < channels; ++c)
          cell[c] = inputs[0] * weights_.cell.weights[c * 3] + inputs[1] * weights_.cell.weights[c * 3 + 1] +
                    inputs[2] * weights_.cell.weights[c * 3 + 2];
      }
    }
  }

  // Columns [begin, begin + count) as batch items, the rows of the part as their tokens.
  TokenView columns(std::int64_t begin, std::int64_t count, const Part& part) const {
    const TokenView& cells = cells_.view();
    return {cells.row(part.begin, sizes_.readers + begin),
            count,
            part.rows(),
            cells.channels,
            cells.token_stride,
            cells.batch_stride};
  }

  // Points read the train rows of each column, all rows read the points.
  void column_stage() {
    probe_.begin_stage("column");
    const std::int64_t group = std::max<std::int64_t>(1, tokens_at_a_time / std::max<std::int64_t>(train_.rows(), 1));
    const std::int64_t features = table_.features();
    for (const ColumnWeights& block : weights_.columns)
      for (std::int64_t begin = 0; begin < features; begin += group) {
        const std::int64_t count = std::min(group, features - begin);
        column_block(block, begin, count);
        probe_.progress(begin + count, features);
      }
    probe_.end_stage();
  }

  void column_block(const ColumnWeights& block, std::int64_t begin, std::int64_t count) {
    const TokenView points{const_cast<float*>(block.points.data()),
                           1,
                           sizes_.points,
                           sizes_.cell_channels,
                           sizes_.points * sizes_.cell_channels,
                           sizes_.cell_channels};
    const Tokens hidden(count, sizes_.points, sizes_.cell_channels);
    {
      const Tokens queries(1, sizes_.points, sizes_.cell_channels), keys(count, train_.rows(), sizes_.cell_channels);
      normalise(points, queries.view());
      normalise(columns(begin, count, train_), keys.view());
      const ConstTensor shared = for_each_item(queries.view().tensor(), count);
      module_call("induce", block.induce, shared, keys.view().tensor(), hidden.view().tensor());
    }
    add(hidden.view(), points);
    normalise(hidden.view(), hidden.view());
    for_each_part([&](const Part& part) {
      const Tokens queries(count, part.rows(), sizes_.cell_channels), read(count, part.rows(), sizes_.cell_channels);
      const TokenView cells = columns(begin, count, part);
      normalise(cells, queries.view());
      module_call("spread", block.spread, queries.view().tensor(), hidden.view().tensor(), read.view().tensor());
      add(cells, read.view());
    });
  }

  // Tokens of a row read each other; at last the readers read them, and their outputs side by side are the row's
  // vector.
  void row_stage() {
    probe_.begin_stage("row");
    std::vector<float> cosines, sines;
    const HeadRotation rotation = make_rotation(cosines, sines);
    for_each_part([&](const Part& part) {
      for (std::int64_t begin = part.begin; begin < part.end; begin += rows_at_a_time) {
        const std::int64_t count = std::min(rows_at_a_time, part.end - begin);
        row_blocks(rotation, begin, count);
        probe_.progress(begin + count, table_.rows());
      }
    });
    probe_.end_stage();
  }

  void row_blocks(const HeadRotation& rotation, std::int64_t begin, std::int64_t count) {
    const TokenView x = cells_.view().some_items(begin, count);
    const Tokens normed(count, x.tokens, x.channels);
    for (const AttentionWeights& block : weights_.rows) {
      const Tokens read(count, x.tokens, x.channels);
      normalise(x, normed.view());
      module_call("self", turned(block, rotation), normed.view().tensor(), normed.view().tensor(),
                  read.view().tensor());
      add(x, read.view());
    }
    normalise(x, normed.view());
    const TokenView readers = x.some_tokens(0, sizes_.readers);
    const Tokens read(count, sizes_.readers, x.channels);
    module_call("read-out", turned(weights_.read_out, rotation), normed.view().some_tokens(0, sizes_.readers).tensor(),
                normed.view().tensor(), read.view().tensor());
    add(readers, read.view());
    for (std::int64_t n = 0; n < count; ++n)
      std::copy_n(readers.row(n, 0), sizes_.row_channels(), row_vectors_.view().row(0, begin + n));
  }

  // Train rows read all KV heads of the train rows, test rows the first of the same keys and values.
  void context_stage() {
    probe_.begin_stage("context");
    const TokenView& rows = row_vectors_.view();
    for (std::int64_t n = 0; n < train_.rows(); ++n) {
      const auto known = static_cast<std::int64_t>(table_.classes[static_cast<std::size_t>(n)]);
      for (std::int64_t c = 0; c < rows.channels; ++c)
        rows.row(0, n)[c] += weights_.classes[static_cast<std::size_t>(known * rows.channels + c)];
    }
    std::int64_t done = 0;
    for (const AttentionWeights& block : weights_.context) {
      context_block(block);
      probe_.progress(++done, sizes_.blocks);
    }
    probe_.end_stage();
  }

  void context_block(const AttentionWeights& block) {
    const std::int64_t heads = block.module.kv_heads, head_dim = block.module.w_k.outputs / heads;
    const Tokens k(1, train_.rows(), heads * head_dim), v(1, train_.rows(), heads * head_dim);
    const Tensor keys = bnhd(k.view().data, 1, heads, train_.rows(), head_dim);
    const Tensor values = bnhd(v.view().data, 1, heads, train_.rows(), head_dim);
    for_each_part([&](const Part& part) {
      const TokenView x = row_vectors_.view().some_tokens(part.begin, part.rows());
      const Tokens normed(1, part.rows(), x.channels), read(1, part.rows(), x.channels);
      normalise(x, normed.view());
      const bool is_train = part.begin == 0;
      if (is_train)
        probe_.call("keys", keys, [&](const Options& options) {
          return project_kv(block.module, normed.view().tensor(), keys, values, options.threads);
        });
      ConstTensor some_keys = keys, some_values = values;
      if (!is_train) some_keys.shape[1] = some_values.shape[1] = sizes_.test_kv_heads;
      probe_.call(is_train ? "train" : "test", read.view().tensor(), [&](Options options) {
        options.query_scaling = block.scaling;
        return attend(block.module, normed.view().tensor(), some_keys, some_values, read.view().tensor(), options);
      });
      add(x, read.view());
    });
  }

  // The share of each class among the train rows that a test row reads, by the decoder's heads.
  Prediction decode() {
    probe_.begin_stage("decoder");
    Prediction prediction;
    const std::int64_t classes = table_.class_count(), heads = sizes_.decoder_heads;
    if (test_.rows() > 0 && train_.rows() > 0) {
      const std::vector<float> q = decoder_heads(weights_.decoder.w_q, test_);
      const std::vector<float> k = decoder_heads(weights_.decoder.w_k, train_);
      std::vector<float> shares(static_cast<std::size_t>(heads * test_.rows() * classes));
      const Tensor out = bnhd(shares.data(), 1, heads, test_.rows(), classes);
      const ConstTensor queries = bnhd(q.data(), 1, heads, test_.rows(), sizes_.decoder_head_dim);
      const ConstTensor keys = bnhd(k.data(), 1, heads, train_.rows(), sizes_.decoder_head_dim);
      probe_.call("classes", out, [&](const Options& options) { return read_classes(queries, keys, out, options); });
      for (std::int64_t n = 0; n < test_.rows(); ++n)
        for (std::int64_t c = 0; c < classes; ++c) {
          float sum = 0.0f;
          for (std::int64_t h = 0; h < heads; ++h)
            sum += shares[static_cast<std::size_t>((n * heads + h) * classes + c)];
          prediction.probabilities.push_back(sum / static_cast<float>(heads));
        }
    }
    probe_.end_stage();
    prediction.train_rows = std::move(row_vectors_).take();
    prediction.train_rows.resize(static_cast<std::size_t>(train_.rows() * sizes_.row_channels()));
    return prediction;
  }

  // By class indices; the onednn path has none, and reads one-hot values.
  Status read_classes(const ConstTensor& q, const ConstTensor& k, const Tensor& out, const Options& options) const {
    const std::int64_t keys = k.shape[2], classes = out.shape[3];
    if (options.path != Path::onednn)
      return attention_classes(q, k, class_indices(table_.classes.data(), 1, keys), out, options);
    std::vector<float> one_hot(static_cast<std::size_t>(keys * classes));
    for (std::int64_t n = 0; n < keys; ++n)
      one_hot[static_cast<std::size_t>(n * classes + table_.classes[static_cast<std::size_t>(n)])] = 1.0f;
    ConstTensor v = bnhd(one_hot.data(), 1, 1, keys, classes);
    v.shape[1] = q.shape[1];
    v.strides[1] = 0;
    return attention(q, k, v, out, options);
  }

  // [rows][heads][head_dim] of one projection, by a module that has it in the place of its keys.
  std::vector<float> decoder_heads(const Linear& projection, const Part& part) {
    MultiHeadAttention module = weights_.decoder;
    module.w_k = module.w_v = projection;
    std::vector<float> heads(static_cast<std::size_t>(part.rows() * projection.outputs)), unused(heads.size());
    const Tokens normed(1, part.rows(), sizes_.row_channels());
    normalise(row_vectors_.view().some_tokens(part.begin, part.rows()), normed.view());
    const auto tensor = [&](std::vector<float>& values) {
      return bnhd(values.data(), 1, sizes_.decoder_heads, part.rows(), sizes_.decoder_head_dim);
    };
    const Status status = project_kv(module, normed.view().tensor(), tensor(heads), tensor(unused), probe_.threads());
    if (!status.ok()) throw std::runtime_error(std::string("decoder: ") + status.message());
    return heads;
  }

  void module_call(const char* name, const AttentionWeights& weights, const ConstTensor& x, const ConstTensor& context,
                   const Tensor& out) {
    probe_.call(name, out, [&](Options options) {
      if (!weights.scaling.base.w1.empty()) options.query_scaling = weights.scaling;
      return multi_head_attention(weights.module, x, context, out, options);
    });
  }

  HeadRotation make_rotation(std::vector<float>& cosines, std::vector<float>& sines) const {
    const std::int64_t positions = sizes_.readers + table_.features(), width = sizes_.cell_channels / sizes_.cell_heads;
    cosines.resize(static_cast<std::size_t>(positions * width / 2));
    sines.resize(cosines.size());
    HeadRotation rotation;
    rotation.table = {cosines.data(), sines.data(), positions, width};
    const Status status = fill_rotary_table(rotation.table, 1e5);
    if (!status.ok()) throw std::runtime_error(std::string("rotary table: ") + status.message());
    return rotation;
  }
  static AttentionWeights turned(AttentionWeights weights, const HeadRotation& rotation) {
    weights.module.rotation = rotation;
    return weights;
  }

  const ModelWeights& weights_;
  const ModelSizes& sizes_;
  const DataTable& table_;
  Probe& probe_;
  Part train_, test_;
  Tokens cells_;        // [rows][readers + features][cell_channels]
  Tokens row_vectors_;  // [1][rows][row_channels]
};

}  // namespace

Prediction predict(const ModelWeights& weights, const DataTable& table, std::int64_t train_rows, Probe& probe) {
  return Forward(weights, table, train_rows, probe).run();
}

}  // namespace heed::perf
