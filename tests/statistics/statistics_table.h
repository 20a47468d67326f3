// The table as text and as CSV.
#pragma once

#include <fstream>
#include <string>

#include "tests/statistics/statistics_design.h"
#include "tests/statistics/statistics_run.h"
#include "tests/statistics/statistics_surface_row.h"

namespace datum::statistics {

/// Significance level: some 1,000 cells cause less than one false alarm in ten runs.
constexpr double alpha = 1e-4;

class Table {
 public:
  /// `csv` may be empty; `budget`: also the root mean square of each budget term of accepted values. Throws
  /// std::runtime_error where it can't be written.
  Table(const std::string& csv, bool shortfalls_only, bool budget = false);
  void add(const Cells& cells);
  void add(const SurfaceCells& cells);
  void add(const DesignCells& cells);
  /// Prints the summary; returns the number of cells that fall short.
  int finish();

 private:
  void add(const std::string& row, const std::string& body, const std::string& column, const Tally& tally,
           const Wanted& wanted);
  std::ofstream csv_;
  bool shortfalls_only_, budget_;
  int cells_ = 0, short_ = 0;
};

}  // namespace datum::statistics
