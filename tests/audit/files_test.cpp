// SPDX-License-Identifier: Apache-2.0
// Bad files and bad arguments: one line on stderr that names the file and the reason, exit status 2.
#include <doctest/doctest.h>

#include <filesystem>

#include "audit_run.hpp"

namespace heed::tests {
namespace {

// A header of format version `major`.0 in front of `elements` bytes of zero.
std::string npy(const std::string& dictionary, std::size_t elements, int major = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(major);
  bytes += '\0';
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i) bytes += static_cast<char>(dictionary.size() >> (8 * i) & 0xff);
  return bytes + dictionary + std::string(elements, '\0');
}

std::string dictionary(const std::string& descr, const std::string& shape, const std::string& order = "False") {
  return "{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}

// Good q, k, v of [1, 2, 3, 4], and what is wrong with one of them.
struct Files {
  Folder folder;
  Files() {
    for (const char* name : {"q.npy", "k.npy", "v.npy"}) write(folder.file(name), normal({1, 2, 3, 4}, 1));
  }
  Arguments arguments() const {
    return {"--q", folder.file("q.npy"), "--k", folder.file("k.npy"), "--v", folder.file("v.npy")};
  }
  std::string refusal(const Arguments& more = {}) const { return tests::refusal(arguments() + more); }
  std::string refusal_of_q(const std::string& bytes) const {
    write_bytes(folder.file("q.npy"), bytes);
    const std::string text = refusal();
    CHECK(text.find("--q " + folder.file("q.npy") + ": ") != std::string::npos);
    return text;
  }
};

}  // namespace

TEST_CASE("good files run, in every version of the format and every spelling of its header") {
  const Files files;
  const std::string q = files.folder.file("q.npy");
  const auto runs = [&] {
    const AuditRun run = run_audit(files.arguments());
    CHECK_MESSAGE(run.status == audit::exit_ok, run.err);
  };
  runs();
  for (const int major : {1, 2, 3}) {
    write_bytes(q, npy(dictionary("'<f4'", "(1, 2, 3, 4)"), 96, major));
    runs();
  }
  write_bytes(q, npy("{ \"shape\":(1L,2L,3L,4L),\"fortran_order\":False,\"descr\":\"<f4\"}   \n", 96));
  runs();
  write_bytes(q, npy(dictionary("'<f8'", "(1, 2, 3, 4)"), 192));
  runs();
}

TEST_CASE("files that end early, or late, are named with what is missing") {
  const Files files;
  const std::string good = npy(dictionary("'<f4'", "(1, 2, 3, 4)"), 96);
  CHECK(says(files.refusal_of_q(good.substr(0, good.size() - 1)),
             "truncated: shape [1, 2, 3, 4] of float32 needs 96 bytes, the file has 95"));
  CHECK(
      says(files.refusal_of_q(good + "x"), "too long: shape [1, 2, 3, 4] of float32 needs 96 bytes, the file has 97"));
  CHECK(says(files.refusal_of_q(good.substr(0, 40)), "truncated: a header of"));
  CHECK(says(files.refusal_of_q(good.substr(0, 9)), "truncated: 1 of the 2 bytes of its header length"));
  CHECK(says(files.refusal_of_q(""), "not an .npy file"));
  CHECK(says(files.refusal_of_q("PK\x03\x04, an archive"), "not an .npy file"));
  CHECK(says(files.refusal_of_q(npy(dictionary("'<f4'", "(1, 2, 3, 4)"), 96, 4)), ".npy version 4.0"));
  // Every prefix of a good file is refused, and none crashes.
  for (std::size_t size = 0; size < good.size(); ++size) {
    CAPTURE(size);
    files.refusal_of_q(good.substr(0, size));
  }
}

TEST_CASE("huge shapes are refused without the memory they ask for") {
  const Files files;
  const auto with_shape = [&](const std::string& shape) {
    return files.refusal_of_q(npy(dictionary("'<f4'", shape), 96));
  };
  CHECK(says(with_shape("(1000000, 1000000, 100, 64)"), "truncated: shape [1000000, 1000000, 100, 64]"));
  CHECK(says(with_shape("(4611686018427387904, 4, 3, 4)"), "does not fit 64 bits"));
  CHECK(says(with_shape("(4611686018427387904, 1, 1, 1)"), "does not fit 64 bits"));
  CHECK(says(with_shape("(99999999999999999999, 2, 3, 4)"), "does not fit 64 bits"));
  CHECK(says(with_shape("(-1, 2, 3, 4)"), "negative size -1"));
  CHECK(
      says(files.refusal_of_q(npy(dictionary("'<f4'", "(4294967296, 4294967296, 1, 0)"), 0)), "does not fit 64 bits"));
  CHECK(says(files.refusal_of_q(npy(dictionary("'<f4'", "(1, 1, 4294967296, 0)"), 0)), "its other sizes are huge"));
  // A header that claims to be 4 GiB long.
  CHECK(says(files.refusal_of_q(std::string("\x93NUMPY\x02\0\xff\xff\xff\xff{}", 14)),
             "truncated: a header of 4294967295"));
}

TEST_CASE("wrong element types and orders say what was wanted") {
  const Files files;
  const auto with_descr = [&](const std::string& descr, std::size_t bytes) {
    return files.refusal_of_q(npy(dictionary(descr, "(1, 2, 3, 4)"), bytes));
  };
  CHECK(says(with_descr("'<f2'", 48), "dtype '<f2', expected float32"));
  CHECK(says(with_descr("'|O'", 192), "dtype '|O', expected float32"));
  CHECK(says(with_descr("'>f4'", 96), "big-endian dtype '>f4', expected little-endian"));
  CHECK(says(with_descr("[('a', '<f4')]", 96), "structured dtype"));
  CHECK(says(with_descr("'<i4'", 96), "dtype is int32, expected float32 or float64"));
  CHECK(says(with_descr("'|b1'", 24), "dtype is bool, expected float32 or float64"));
  CHECK(says(files.refusal_of_q(npy(dictionary("'<f4'", "(1, 2, 3, 4)", "True"), 96)),
             "Fortran order, expected C order"));
}

TEST_CASE("malformed headers are refused") {
  const Files files;
  const auto with_text = [&](const std::string& text) { return files.refusal_of_q(npy(text, 96)); };
  for (const char* text : {"", "{", "{}", "x", "{'descr'", "{'descr: '<f4'", "{'descr': '<f4', 'shape': (1, 2, 3, 4)}",
                           "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1, 2, 3, 4)}",
                           "{'descr': '<f4', 'fortran_order': False, 'shape': 24}",
                           "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2, 3.5, 4)}",
                           "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2, 3, 4",
                           "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2, 3, 4), 'more': 1}",
                           "{'descr': '<f4' 'fortran_order': False, 'shape': (1, 2, 3, 4)}",
                           "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2, 3, 4)} trailing"}) {
    CAPTURE(text);
    CHECK(says(with_text(text), "malformed header"));
  }
}

TEST_CASE("files that can't be read are named") {
  const Files files;
  const std::string q = files.folder.file("q.npy");
  std::filesystem::remove(q);
  CHECK(says(files.refusal(), "--q " + q + ": no such file"));
  std::filesystem::create_directory(q);
  CHECK(says(files.refusal(), "--q " + q + ": not a regular file"));
}

TEST_CASE("ranks and heads are told apart, or asked for") {
  const Files files;
  const std::string q = files.folder.file("q.npy");
  write(q, normal({1, 3, 8}, 2));
  CHECK(says(files.refusal(), "--heads is missing"));
  CHECK(says(files.refusal({"--heads", "3"}), "expected a last dimension that is a multiple of the 3 heads"));
  CHECK(says(files.refusal({"--heads", "0"}), "--heads"));
  CHECK(run_audit(files.arguments() + Arguments{"--heads", "2"}).status == audit::exit_ok);
  CHECK(run_audit(files.arguments() + Arguments{"--heads", "2", "--layout", "bhnd"}).status == audit::exit_ok);
  write(files.folder.file("k.npy"), normal({1, 3, 8}, 2));
  CHECK(says(files.refusal({"--heads", "2", "--kv-heads", "3"}), "--k " + files.folder.file("k.npy")));
  write(q, normal({3, 8}, 2));
  CHECK(says(files.refusal({"--heads", "2"}), "shape is [3, 8], expected 4 dimensions, or 3"));
  write(q, normal({1, 2, 3, 4}, 2));
  CHECK(says(files.refusal({"--heads", "4"}), "expected 4 heads (--heads)"));
}

TEST_CASE("masks, biases and lengths of the wrong kind are refused by file") {
  const Files files;
  const std::string m = files.folder.file("m.npy");
  const auto refusal = [&](const std::string& option) { return files.refusal({option, m}); };
  for (const std::string option : {"--mask-allowed", "--mask-blocked", "--bias"}) {
    CAPTURE(option);
    write(m, normal({2, 3, 3}, 3));
    if (option != "--bias") write(m, random_cells({2, 3, 3}, 0.5, 3));
    CHECK(
        says(refusal(option), option + " " + m + ": shape [2, 3, 3] is ambiguous, its first dimension may be B or H"));
  }
  write(m, random_cells({3}, 0.5, 3));
  CHECK(says(refusal("--mask-blocked"), "shape is [3], expected 2-D [N_q, N_k] or 4-D"));
  CHECK(says(refusal("--key-blocked"), "shape is [3], expected 2-D [B, N_k]"));
  CHECK(says(refusal("--bias"), "dtype is uint8, expected float32 or float64"));
  CHECK(says(refusal("--lengths"), "dtype is uint8, expected int32 or int64"));
  write(m, normal({3, 3}, 3));
  CHECK(says(refusal("--mask-blocked"),
             "dtype is float32, expected bool or uint8 (floats that add to the score are a --bias)"));
  CHECK(says(refusal("--key-allowed"), "dtype is float32, expected bool or uint8"));
  write(m, random_cells({3, 4}, 0.5, 3));
  CHECK(says(refusal("--mask-allowed"), "mask: dimension 3 is 4, expected 1 or 3"));
  CHECK(says(refusal("--mask-allowed"), "(--mask-allowed " + m + ")"));
  CHECK(says(refusal("--key-allowed"), "(--key-allowed " + m + ")"));
  write(m, Array<std::int64_t>{{2}, {1, 2}});
  CHECK(says(refusal("--lengths"), "shape is [2], expected [1], one length per batch item"));
  write(m, Array<std::int32_t>{{1}, {4}});
  CHECK(says(refusal("--lengths"), "(--lengths " + m + ")"));
}

TEST_CASE("expected answers of another shape are refused") {
  const Files files;
  const std::string e = files.folder.file("e.npy");
  write(e, normal({1, 2, 3, 5}, 4));
  CHECK(says(files.refusal({"--expect", e}),
             "--expect " + e + ": shape is [1, 2, 3, 5], expected [1, 2, 3, 4] or [1, 3, 8]"));
  write(e, normal({1, 3, 2}, 4));
  CHECK(says(files.refusal({"--expect-lse", e}), "shape is [1, 3, 2], expected [1, 2, 3]"));
  write(files.folder.file("q.npy"), normal({1, 2, 8}, 4));
  write(e, normal({1, 2, 2}, 4));
  CHECK(says(files.refusal({"--heads", "2", "--expect-lse", e}), "is ambiguous"));
}

TEST_CASE("what the library refuses is refused with its message and the file") {
  const Files files;
  write(files.folder.file("k.npy"), normal({1, 2, 4, 4}, 5));
  CHECK(says(files.refusal(), "(--"));
  write(files.folder.file("v.npy"), normal({1, 2, 4, 4}, 5));
  CHECK(says(files.refusal({"--causal"}), "position: "));
  CHECK(says(files.refusal({"--scale", "nan"}), "scale: nan"));
  CHECK(says(files.refusal({"--soft-cap", "-1"}), "soft_cap: "));
  CHECK(says(files.refusal({"--threads", "-1"}), "threads: "));
  CHECK(says(files.refusal({"--isa", "avx3"}), "isa: 'avx3' is unknown"));
}

TEST_CASE("arguments that can't be understood are refused") {
  const Files files;
  CHECK(says(files.refusal({"--window", "3"}), "--window: '3', expected LEFT,RIGHT"));
  CHECK(says(files.refusal({"--window", "3,x"}), "--window: '3,x'"));
  CHECK(says(files.refusal({"--position", "middle"}), "--position: 'middle', expected top_left, bottom_right"));
  CHECK(says(files.refusal({"--position", "9223372036854775807"}), "--position: "));
  CHECK(says(files.refusal({"--path", "fast"}), "--path: 'fast', expected one of: streaming"));
  CHECK(says(files.refusal({"--layout", "nbhd"}), "--layout: 'nbhd', expected bhnd or bnhd"));
  CHECK(says(files.refusal({"--scale", "big"}), "--scale"));
  CHECK(says(files.refusal({"--mask", "m.npy"}), "--mask"));
  CHECK(says(files.refusal({"--key-allowed", "a.npy", "--key-blocked", "b.npy"}), "excludes"));
  CHECK(run_audit({"--q", "q.npy"}).status == audit::exit_error);
  CHECK(run_audit({"--help"}).status == audit::exit_ok);
  CHECK(run_audit({"--version"}).status == audit::exit_ok);
}

}  // namespace heed::tests
