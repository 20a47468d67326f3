// Columns of exported CSV files: their header, and the list in datumctl(1).
#pragma once

#include <span>

namespace datum {

struct ExportColumn {
  const char* name;
  const char* meaning;
};

/// Of every row.
std::span<const ExportColumn> board_columns();
/// After them in a row per board.
std::span<const ExportColumn> count_columns();
/// After them in a row per component and characteristic.
std::span<const ExportColumn> check_columns();

}  // namespace datum
