// SPDX-License-Identifier: Apache-2.0
// The README's table of dtypes and paths says what the library says.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "heed/attention.hpp"

namespace {

const std::map<std::string, heed::DType> dtypes = {
    {"f32", heed::DType::f32}, {"f16", heed::DType::f16}, {"bf16", heed::DType::bf16}, {"i8", heed::DType::i8}};
const std::vector<heed::Path> paths = {heed::Path::streaming, heed::Path::onednn, heed::Path::reference};

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> words;
  std::istringstream stream(line);
  for (std::string word; stream >> word;)
    if (word != "|") words.push_back(word);
  return words;
}

bool is_built(heed::Path path) {
  const std::vector<std::string> built = heed::available_paths();
  return std::find(built.begin(), built.end(), heed::path_name(path)) != built.end();
}

bool runs(heed::DType dtype, heed::Path path) {
  std::vector<float> cell(4 * 4, 1.0f);  // room for any dtype
  const auto tensor = [&](std::size_t index) {
    heed::Tensor view = heed::bhnd(cell.data() + 4 * index, 1, 1, 1, 1);
    view.dtype = dtype;
    return view;
  };
  const heed::Status status = heed::attention(tensor(0), tensor(1), tensor(2), tensor(3), {.path = path});
  if (!status.ok() && status.code() != heed::StatusCode::unsupported) {
    std::cerr << status.message() << '\n';
    std::exit(1);
  }
  return status.ok();
}

}  // namespace

int main(int argc, char** argv) {
  std::ifstream readme(argc == 2 ? argv[1] : "README.md");
  std::size_t rows = 0;
  bool agrees = true;
  for (std::string line; std::getline(readme, line);) {
    const std::vector<std::string> row = cells(line);
    if (row.size() != 1 + paths.size() || !dtypes.contains(row[0])) continue;
    ++rows;
    for (std::size_t n = 0; n < paths.size(); ++n) {
      if (!is_built(paths[n])) continue;
      const bool is_run = runs(dtypes.at(row[0]), paths[n]);
      if (row[n + 1] == (is_run ? "yes" : "no")) continue;
      std::cerr << "README.md: " << row[0] << " on " << heed::path_name(paths[n]) << " says " << row[n + 1]
                << ", it is " << (is_run ? "yes" : "no") << '\n';
      agrees = false;
    }
  }
  if (rows != dtypes.size())
    std::cerr << "README.md: " << rows << " rows of dtypes, expected " << dtypes.size() << '\n';
  return agrees && rows == dtypes.size() ? 0 : 1;
}
