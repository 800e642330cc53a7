// SPDX-License-Identifier: Apache-2.0
// A file for a test to read; gone when the test is over.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace heed::perf {

class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text) {
    static int count = 0;
    const std::string name = "heed_sweep_test_" + std::to_string(getpid()) + "_" + std::to_string(++count);
    path_ = (std::filesystem::temp_directory_path() / name).string();
    std::ofstream(path_) << text;
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace heed::perf
