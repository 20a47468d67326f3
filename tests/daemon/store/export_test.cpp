// Rows for spreadsheets: names from hosts and producers are never formulas.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daemon/store/result_export.h"
#include "tests/daemon/scpi/fixture.h"

namespace datum {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string row_of_unit(const std::string& unit) {
  BoardVerdict v = testing::board();
  v.unit_id = unit;
  return export_rows(ExportRows::boards, row_of(v, to_json(v)), "");
}

TEST(ResultExport, ATextThatASpreadsheetWouldComputeHasAnApostrophe) {
  EXPECT_THAT(row_of_unit("=cmd|'/C calc'!A0"), HasSubstr(",'=cmd|'/C calc'!A0,"));
  for (const char* unit : {"+1", "-1", "@SUM(A1)"})
    EXPECT_THAT(row_of_unit(unit), HasSubstr(fmt::format(",'{},", unit)));
  EXPECT_THAT(row_of_unit("SN=1"), HasSubstr(",SN=1,"));
  EXPECT_THAT(row_of_unit("SN=1"), Not(HasSubstr("'")));
}

TEST(ResultExport, ABoundIsADayOrSecondThatExists) {
  EXPECT_EQ(from_bound("2026-01-31"), "2026-01-31");
  EXPECT_EQ(from_bound("2026-01-31T10:00:00Z"), "2026-01-31T10:00:00");
  for (const char* time : {"2026-13-45", "2026-02-29", "2026-01-31T25:00:00Z", "2026-01-31T10:00:00",
                           "20260131", "", "yesterday"})
    EXPECT_THROW(from_bound(time), std::invalid_argument) << time;
}

}  // namespace
}  // namespace datum
