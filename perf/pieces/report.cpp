// SPDX-License-Identifier: Apache-2.0
// Names hold no commas, so that no field needs quotes.
#include "pieces/report.hpp"

#include "format.hpp"

namespace heed::perf {

std::string csv_header() {
  return "isa,piece,rows,keys,head_dim,median_us,spread_pct,gflops,gelements_s,peak_pct,bandwidth_pct,max_err,status,"
         "samples,peak_gflops,read_gbytes_s,instructions_per_cycle";
}

std::string csv_line(const PieceRow& row) {
  return row.isa + "," + row.piece + format(",%zu,%zu,%zu", row.sizes.rows, row.sizes.keys, row.sizes.head_dim) +
         format(",%.3f,%.1f,%.2f,%.3f,%.1f,", row.median_us, row.spread_pct, row.gflops, row.gelements_s,
                row.peak_pct) +
         (row.bandwidth_pct ? format("%.1f", *row.bandwidth_pct) : "") + format(",%.3g,", row.max_err) + row.status +
         format(",%zu,%.2f,%.2f,%.2f", row.samples, row.peak_gflops, row.read_gbytes_s, row.instructions_per_cycle);
}

std::string table_header() {
  return "isa          piece    rows x keys x dim       median  spread  GFLOP/s  Gelem/s  peak%  bandw%  instr  max_err"
         "  status";
}

std::string table_line(const PieceRow& row) {
  const std::string shape = format("%zu x %zu x %zu", row.sizes.rows, row.sizes.keys, row.sizes.head_dim);
  return format("%-11s  %-7s  %-17s  %8.2f us  %5.1f%%", row.isa.c_str(), row.piece.c_str(), shape.c_str(),
                row.median_us, row.spread_pct) +
         format("  %7.1f  %7.2f  %5.1f  ", row.gflops, row.gelements_s, row.peak_pct) +
         (row.bandwidth_pct ? format("%6.1f", *row.bandwidth_pct) : std::string(6, ' ')) +
         format("  %5.2f  %7.1e  ", row.instructions_per_cycle, row.max_err) + row.status;
}

}  // namespace heed::perf
