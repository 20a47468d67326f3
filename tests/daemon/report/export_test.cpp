// Rows for spreadsheets: what hosts and producers name is no formula there.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daemon/report/result_export.h"
#include "tests/daemon/report/fixture.h"

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

}  // namespace
}  // namespace datum
