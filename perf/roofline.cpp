// SPDX-License-Identifier: Apache-2.0
// Runs the loops of peak.hpp on threads that start together, reads memory and copies it.
#include "roofline.hpp"

#include <time.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstdint>
#include <thread>
#include <utility>

#include "flush.hpp"
#include "peak.hpp"
#include "timer.hpp"
#include "workload.hpp"

namespace heed::perf {
namespace {

constexpr double window_seconds = 0.010;

double thread_cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Threads beyond the cores add no speed, and their CPU time would say that they do.
int at_most_cores(int threads) {
  const auto cores = static_cast<int>(std::thread::hardware_concurrency());
  return cores > 0 ? std::min(threads, cores) : threads;
}

// How often a second something is done, all threads together. The core's own speed is told by CPU
// time, which stops while another program has the core; what arrived is told by the clock.
struct Rate {
  double per_cpu_second = 0.0;
  double per_second = 0.0;
};

// work(thread) once on each thread, all from the same moment on.
template <class Work>
Rate run_together(int threads, Work work) {
  std::vector<Rate> rates(static_cast<std::size_t>(threads));
  std::barrier start_together(threads);
  const auto measure = [&](std::size_t thread) {
    start_together.arrive_and_wait();
    const double start = now_seconds();
    const double cpu_start = thread_cpu_seconds();
    work(thread);
    rates[thread] = {1.0 / (thread_cpu_seconds() - cpu_start), 1.0 / (now_seconds() - start)};
  };
  std::vector<std::thread> team;
  for (std::size_t thread = 1; thread < rates.size(); ++thread) team.emplace_back(measure, thread);
  measure(0);
  for (std::thread& member : team) member.join();
  Rate sum;
  for (const Rate& rate : rates) {
    sum.per_cpu_second += rate.per_cpu_second;
    sum.per_second += rate.per_second;
  }
  return sum;
}

// Rounds of a loop, in one window.
Rate measure_rounds(void (*run)(std::int64_t) noexcept, int threads) {
  std::int64_t rounds = 1000;
  for (double seconds = 0.0; seconds < window_seconds;) {
    const double start = now_seconds();
    run(rounds);
    seconds = std::max(now_seconds() - start, 1e-7);
    const double growth = std::min(1.2 * window_seconds / seconds, 100.0);
    if (growth > 1.2) rounds = static_cast<std::int64_t>(static_cast<double>(rounds) * growth) + 1;
  }
  const Rate windows = run_together(threads, [&](std::size_t) { run(rounds); });
  const auto done = static_cast<double>(rounds);
  return {done * windows.per_cpu_second, done * windows.per_second};
}

// An OpenMP team spins for some milliseconds after a call before it sleeps, and would take part.
void let_teams_sleep(int threads) {
  if (threads > 1) std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

// One word of each cache line, since whole lines are what memory delivers. `streams` parts of the
// memory are read side by side; an odd number of lines apart, lest they share cache sets.
template <std::size_t streams>
std::uint64_t read_lines(const std::uint64_t* words, std::size_t count) {
  constexpr std::size_t line_words = 8;
  const std::size_t part = (count / streams / line_words - 1) / 2 * 2 * line_words + line_words;
  std::uint64_t sum = 0;
  for (std::size_t at = 0; at < part; at += line_words)
    for (std::size_t stream = 0; stream < streams; ++stream) sum += words[stream * part + at];
  return sum;
}

// The first half over the second one, a line at a time, with plain stores: a loop that a compiler
// recognises becomes memcpy, which may store past the caches.
std::uint64_t copy_lines(std::uint64_t* words, std::size_t count) {
  constexpr std::size_t line_words = 8;
  const std::size_t half = count / 2 / line_words * line_words;
  for (std::size_t at = 0; at < half; at += line_words) {
    for (std::size_t word = 0; word < line_words; ++word) words[half + at + word] = words[at + word];
    asm volatile("" : : : "memory");
  }
  return words[half];
}

// Out of the caches before each pass, so it need not be larger than they are; long enough to be timed.
constexpr std::size_t bandwidth_bytes = std::size_t{128} << 20;

}  // namespace

const PeakLoop& peak_loop(std::string_view isa) {
  const PeakLoop* found = nullptr;
  for (const PeakLoop& loop : peak_loops())
    if (loop.isa == isa || (found == nullptr && loop.isa == std::string_view("baseline"))) found = &loop;
  return *found;
}

RateMeter::RateMeter(std::string isa, int threads) : isa_(std::move(isa)), threads_(at_most_cores(threads)) {}

void RateMeter::take_window() {
  let_teams_sleep(threads_);
  const PeakLoop& loop = peak_loop(isa_);
  const PeakLoop& clock = peak_loops().front();
  const double rounds = measure_rounds(loop.run, threads_).per_cpu_second;
  const double clock_rounds = &loop == &clock ? rounds : measure_rounds(clock.run, threads_).per_cpu_second;
  const double cycles_per_second = clock_rounds * clock.cycles_per_round;
  const double instructions = measure_rounds(run_scalar_loop, threads_).per_second * scalar_instructions_per_round;
  flops_per_second_.push_back(rounds * loop.flops_per_round);
  instructions_per_cycle_.push_back(instructions / cycles_per_second);
}

double RateMeter::flops_per_second() const { return median(flops_per_second_); }
double RateMeter::instructions_per_cycle() const { return median(instructions_per_cycle_); }

Bandwidth measure_bandwidth(int wanted_threads) {
  const auto threads = static_cast<std::size_t>(at_most_cores(wanted_threads));
  const Buffer buffer(bandwidth_bytes, 0);
  const std::size_t words = bandwidth_bytes / sizeof(std::uint64_t);
  auto* const memory = reinterpret_cast<std::uint64_t*>(buffer.data());
  std::fill_n(memory, words, 1);  // pages must exist, each on its own
  let_teams_sleep(wanted_threads);
  const std::size_t share = words / threads / 16 * 16;  // pairs of lines
  std::vector<std::uint64_t> sums(threads);
  const auto bytes_per_second = [&](auto move_share) {
    std::vector<double> rates;
    const auto move = [&](std::size_t thread) { sums[thread] += move_share(memory + thread * share, share); };
    for (int pass = 0; pass < 7; ++pass) {
      flush_from_caches(memory, bandwidth_bytes);
      rates.push_back(static_cast<double>(share * sizeof(std::uint64_t)) *
                      run_together(static_cast<int>(threads), move).per_cpu_second);
    }
    return median(rates);
  };
  Bandwidth bandwidth{bytes_per_second(read_lines<1>), bytes_per_second(read_lines<8>), bytes_per_second(copy_lines)};
  // The sums are used, so that the reads happen.
  if (sums[0] == 0) bandwidth = {};
  return bandwidth;
}

}  // namespace heed::perf
