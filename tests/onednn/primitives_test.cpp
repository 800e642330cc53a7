// SPDX-License-Identifier: Apache-2.0
// oneDNN's products and softmax behind onednn_primitives.hpp: right, kept in bounds, usable by any thread.
#include "paths/onednn_primitives.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <new>
#include <oneapi/dnnl/dnnl.hpp>
#include <string>
#include <thread>
#include <vector>

#include "heed/attention.hpp"

namespace heed::tests {
namespace {

// Small whole numbers, whose products float holds exactly.
float number(std::int64_t n) { return static_cast<float>(n * 7 % 11 - 5); }

std::vector<float> numbers(std::int64_t count) {
  std::vector<float> values(static_cast<std::size_t>(count));
  for (std::int64_t n = 0; n < count; ++n) values[static_cast<std::size_t>(n)] = number(n);
  return values;
}

struct Product {
  Matrices a, b, c;
  std::vector<float> a_data = numbers(4000), b_data = numbers(4000), c_data = std::vector<float>(4000, 99.0f);

  void run(const OneDnnPrimitive& product) {
    std::vector<std::byte> scratchpad(scratchpad_bytes(product));
    run_product(product, a_data.data(), b_data.data(), c_data.data(), scratchpad.data());
  }
  int wrong_cells(float scale) const {
    int wrong = 0;
    for (std::int64_t n = 0; n < c.count; ++n)
      for (std::int64_t i = 0; i < c.rows; ++i)
        for (std::int64_t j = 0; j < c.columns; ++j) {
          float sum = 0.0f;
          for (std::int64_t k = 0; k < a.columns; ++k)
            sum += a_data[static_cast<std::size_t>(a.offset(n, i, k))] *
                   b_data[static_cast<std::size_t>(b.offset(n, k, j))];
          wrong += c_data[static_cast<std::size_t>(c.offset(n, i, j))] == scale * sum ? 0 : 1;
        }
    return wrong;
  }
};

long resident_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmRSS:")) return std::stol(line.substr(6));
  return 0;
}

}  // namespace

TEST_CASE("products of stacks, by rows and by columns, with gaps and with a scale") {
  const Matrices by_columns = transposed(dense(3, 5, 7));      // [7, 5]
  const Matrices with_gaps = {3, 7, 5, 7 * 20, 20, 1};         // rows 20 apart
  const Matrices among_others = {3, 7, 5, 5, 15, 1};           // the matrices' rows take turns
  const Matrices single_row = {1, 1, 5, 0, 0, 1};              // strides of size-1 dimensions hold anything
  const Matrices single_column = {1, 5, 1, 123456789, 1, -3};  // likewise
  for (const float scale : {1.0f, 0.5f})
    for (Product product :
         {Product{dense(3, 4, 7), dense(3, 7, 5), dense(3, 4, 5)}, Product{dense(3, 4, 7), by_columns, dense(3, 4, 5)},
          Product{dense(3, 4, 7), with_gaps, dense(3, 4, 5)},
          Product{dense(3, 4, 7), among_others, Matrices{3, 4, 5, 40, 9, 1}},
          Product{single_row, dense(1, 5, 6), dense(1, 1, 6)}, Product{dense(1, 6, 5), single_column, dense(1, 6, 1)},
          Product{dense(1, 1, 1), dense(1, 1, 1), dense(1, 1, 1)}}) {
      product.run(*find_product(product.a, product.b, product.c, scale));
      CAPTURE(product.a.rows);
      CAPTURE(product.b.row_stride);
      CHECK_EQ(product.wrong_cells(scale), 0);
    }
}

TEST_CASE("softmax of rows, in place") {
  std::vector<float> rows = {0.0f, std::log(3.0f), -1000.0f, 5.0f, 5.0f, 5.0f};
  const OneDnnHandle softmax = find_softmax(2, 3);
  std::vector<std::byte> scratchpad(scratchpad_bytes(*softmax));
  run_softmax(*softmax, rows.data(), scratchpad.data());
  const double wanted[] = {0.25, 0.75, 0.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0};
  for (std::size_t n = 0; n < rows.size(); ++n) CHECK_EQ(static_cast<double>(rows[n]), doctest::Approx(wanted[n]));
  CHECK_EQ(rows[2], 0.0f);
}

TEST_CASE("a primitive made by one thread is run by eight others at once") {
  const Matrices a = dense(2, 20, 30), b = dense(2, 30, 40), c = dense(2, 20, 40);
  const OneDnnHandle made = find_product(a, b, c, 1.0f);
  std::vector<Product> products(8, Product{a, b, c});
  std::vector<std::thread> threads;
  for (Product& product : products)
    threads.emplace_back([&] {
      for (int turn = 0; turn < 50; ++turn) product.run(*made);
    });
  for (std::thread& thread : threads) thread.join();
  for (const Product& product : products) CHECK_EQ(product.wrong_cells(1.0f), 0);
}

TEST_CASE("the same shape is the same primitive, and the least recently used one goes first") {
  const auto find = [](std::int64_t rows) { return find_softmax(rows, 5); };
  const OneDnnHandle first = find(1), second = find(2);
  CHECK_EQ(find(1), first);
  for (std::int64_t rows = 3; rows <= static_cast<std::int64_t>(most_primitives) + 1; ++rows) find(rows);
  CHECK_EQ(primitives_kept(), most_primitives);
  CHECK_EQ(find(1), first);  // used after the second, which has left
  CHECK_NE(find(2), second);
}

TEST_CASE("failures of oneDNN are a lack of memory, or unsupported") {
  const auto code_of = [](const auto& thrown) {
    try {
      throw thrown;
    } catch (...) {
      return failure_code();
    }
  };
  CHECK_EQ(code_of(std::bad_alloc()), StatusCode::out_of_memory);
  CHECK_EQ(code_of(dnnl::error(dnnl_out_of_memory, "")), StatusCode::out_of_memory);
  CHECK_EQ(code_of(dnnl::error(dnnl_unimplemented, "")), StatusCode::unsupported);
  // No product fits these: oneDNN refuses them.
  try {
    find_product(dense(1, 2, 3), dense(1, 4, 5), dense(1, 2, 5), 1.0f);
    FAIL("a product of 2 x 3 and 4 x 5");
  } catch (...) {
    CHECK_EQ(failure_code(), StatusCode::unsupported);
  }
}

TEST_CASE("10,000 shapes leave no memory behind") {
  std::vector<float> q(128, 0.5f), k(128 * 128, 0.25f), out(128);
  long after_warm_up = 0;
  for (std::int64_t n = 0; n < 10000; ++n) {
    const std::int64_t kv_len = 1 + n % 125, head_dim = 1 + n / 125;  // 125 * 80 shapes
    const Status status = attention(bhnd(std::as_const(q).data(), 1, 1, 1, head_dim),
                                    bhnd(std::as_const(k).data(), 1, 1, kv_len, head_dim),
                                    bhnd(std::as_const(k).data(), 1, 1, kv_len, head_dim),
                                    bhnd(out.data(), 1, 1, 1, head_dim), {.threads = 1, .path = Path::onednn});
    REQUIRE_EQ(std::string(status.message()), "");
    REQUIRE(std::abs(out[0] - 0.25f) < 1e-5f);
    if (n == 4000) after_warm_up = resident_kib();  // oneDNN's own cache, of 1024, is full
  }
  CHECK_LE(primitives_kept(), most_primitives);
  CHECK_LT(resident_kib() - after_warm_up, 16 * 1024);
}

}  // namespace heed::tests
