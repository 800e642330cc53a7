// SPDX-License-Identifier: Apache-2.0
#include "tabular/probe.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <stdexcept>

#include "tabular/resident.hpp"
#include "timer.hpp"

namespace heed::perf {
namespace {

template <class Body>
void for_each_row(const Tensor& tensor, const Body& body) {
  for (std::int64_t b = 0; b < tensor.shape[0]; ++b)
    for (std::int64_t h = 0; h < tensor.shape[1]; ++h)
      for (std::int64_t n = 0; n < tensor.shape[2]; ++n)
        body(static_cast<float*>(tensor.data) + b * tensor.strides[0] + h * tensor.strides[1] + n * tensor.strides[2]);
}

std::vector<float> copy_of(const Tensor& tensor) {
  std::vector<float> values;
  for_each_row(tensor, [&](const float* row) { values.insert(values.end(), row, row + tensor.shape[3]); });
  return values;
}

// NaN is further away than anything.
double difference(const Tensor& tensor, const std::vector<float>& values) {
  double largest = 0.0;
  std::size_t next = 0;
  for_each_row(tensor, [&](const float* row) {
    for (std::int64_t c = 0; c < tensor.shape[3]; ++c) {
      const double distance = std::abs(static_cast<double>(row[c]) - static_cast<double>(values[next++]));
      largest = std::isnan(distance) ? std::numeric_limits<double>::infinity() : std::max(largest, distance);
    }
  });
  return largest;
}

void assign(const Tensor& tensor, const std::vector<float>& values) {
  std::size_t next = 0;
  for_each_row(tensor, [&](float* row) {
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(next), tensor.shape[3], row);
    next += static_cast<std::size_t>(tensor.shape[3]);
  });
}

}  // namespace

void Probe::begin_stage(const std::string& name) {
  stages_.push_back({name});
  stage_began_ = now_seconds();
  other_paths_ = 0.0;
}

void Probe::end_stage() {
  stages_.back().seconds = now_seconds() - stage_began_ - other_paths_;
  resident_peak_ = std::max(resident_peak_, peak_mib());
}

CallFigures& Probe::figures_of(const char* name) {
  const std::string& stage = stages_.back().name;
  const auto found = std::find_if(calls_.begin(), calls_.end(),
                                  [&](const CallFigures& call) { return call.stage == stage && call.name == name; });
  if (found != calls_.end()) return *found;
  calls_.push_back({stage, name, 0, std::vector<PathFigures>(paths_.size()), 0.0});
  return calls_.back();
}

void Probe::call(const char* name, const Tensor& out, const std::function<Status(const Options&)>& run) {
  CallFigures& figures = figures_of(name);
  ++figures.calls;
  std::vector<float> first;
  for (std::size_t n = 0; n < paths_.size(); ++n) {
    Options options;
    options.path = paths_[n];
    options.threads = threads_;
    resident_peak_ = std::max(resident_peak_, peak_mib());
    const bool knows_peak = restart_peak();
    const double before = resident_mib(), began = now_seconds();
    const Status status = run(options);
    const double seconds = now_seconds() - began;
    if (!status.ok())
      throw std::runtime_error(std::string(name) + ": " + path_name(paths_[n]) + ": " + status.message());
    figures.paths[n].seconds += seconds;
    figures.paths[n].memory_mib = knows_peak ? std::max(figures.paths[n].memory_mib, peak_mib() - before)
                                             : std::numeric_limits<double>::quiet_NaN();
    const double compares = now_seconds();
    if (n > 0) {
      figures.difference = std::max(figures.difference, difference(out, first));
      other_paths_ += seconds;
    } else if (paths_.size() > 1) {
      first = copy_of(out);
    }
    other_paths_ += now_seconds() - compares;
  }
  if (paths_.size() > 1) assign(out, first);
}

void Probe::progress(std::int64_t done, std::int64_t all) const {
  if (!shows_progress_) return;
  std::fprintf(stderr, "\r%s %lld/%lld%s", stages_.back().name.c_str(), static_cast<long long>(done),
               static_cast<long long>(all), done == all ? "\r                              \r" : "");
  std::fflush(stderr);
}

}  // namespace heed::perf
