// SPDX-License-Identifier: Apache-2.0
// Matrix products and softmax by oneDNN, created once per shape and kept. No type of oneDNN shows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "heed/status.hpp"
#include "plan/matrices.hpp"

namespace heed {

// Either of the two. Ready to run on any thread, by several at once: what a run needs besides is passed in.
class OneDnnPrimitive;
using OneDnnHandle = std::shared_ptr<const OneDnnPrimitive>;

// These create (or find) and run. Inside a handler of what they throw, failure_code() says what it was.
OneDnnHandle find_product(const Matrices& a, const Matrices& b, const Matrices& c, float scale, bool has_bias = false);
OneDnnHandle find_softmax(std::int64_t rows, std::int64_t columns);

// Weights [inputs, outputs] in the layout that oneDNN itself chooses for products of few rows. Such a product of
// dense rows; null where oneDNN has only plain code for it.
std::size_t packed_bytes(std::int64_t inputs, std::int64_t outputs);
void pack(const Matrices& weights, const float* from, std::byte* packed);
OneDnnHandle find_packed_product(std::int64_t rows, std::int64_t inputs, std::int64_t outputs, bool has_bias);

std::size_t scratchpad_bytes(const OneDnnPrimitive& primitive);
void run_product(const OneDnnPrimitive& product, const float* a, const float* b, float* c, std::byte* scratchpad,
                 const float* bias = nullptr);                                         // of c's columns
void run_softmax(const OneDnnPrimitive& softmax, float* rows, std::byte* scratchpad);  // in place

StatusCode failure_code() noexcept;  // out_of_memory or unsupported

// Shapes kept at most; the least recently used goes first.
inline constexpr std::size_t most_primitives = 256;
std::size_t primitives_kept();

}  // namespace heed
