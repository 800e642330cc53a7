// SPDX-License-Identifier: Apache-2.0
// heed: what every call answers. heed/status.hpp is the same in C++.
#pragma once

#define HEED_C_API __attribute__((visibility("default")))

enum heed_status {
  HEED_OK = 0,
  HEED_NULL_DATA = 1,          // a tensor with elements, or a struct that must be given, is a null pointer
  HEED_BAD_SIZE = 2,           // a negative size, or one that the operation or a struct can't have
  HEED_SIZE_OVERFLOW = 3,      // sizes or strides whose product doesn't fit 64 bits
  HEED_SHAPE_MISMATCH = 4,     // two shapes or counts that must agree don't
  HEED_BAD_HEADS = 5,          // q_heads is not a multiple of kv_heads, or kv_heads is 0
  HEED_BAD_VALUE = 6,          // NaN or infinite scale, negative soft cap, no polarity, ...
  HEED_POSITION_MISSING = 7,   // q_len != kv_len, and causal, window or slopes need a position
  HEED_OVERLAP = 8,            // an output overlaps an input, another output, the scratch, or itself
  HEED_SCRATCH_TOO_SMALL = 9,  // see heed_scratch_size()
  HEED_UNKNOWN_NAME = 10,      // no such ISA or path; the message lists the valid ones
  HEED_UNSUPPORTED = 11,       // heed, this build or this CPU can't do it; the message says which
  HEED_OUT_OF_MEMORY = 12      // scratch, texts or memory of oneDNN could not be allocated
};

// Bytes that hold every message.
#define HEED_MESSAGE_SIZE 252
