// Rows for spreadsheets: names from hosts and producers are never formulas.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

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

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char c : line.substr(0, line.find('\r'))) {
    quoted ^= c == '"';
    if (c == ',' && !quoted)
      cells.emplace_back();
    else
      cells.back() += c;
  }
  return cells;
}

TEST(ResultExport, ABoardsRowNamesItsComponentsAndEveryRowHasACellForEachColumn) {
  BoardVerdict v = testing::board();
  v.reason = Reason::none;
  v.components[2].checks[0].detail = "";
  for (const ExportRows rows : {ExportRows::boards, ExportRows::components}) {
    const std::string text = export_rows(rows, row_of(v, to_json(v)), "c0de");
    EXPECT_EQ(split(text).size(), split(export_header(rows)).size());
  }
  const std::string row = export_rows(ExportRows::boards, row_of(v, to_json(v)), "c0de");
  EXPECT_THAT(row, HasSubstr(",1,0,1,1,U2 U3,\"U3 not measured: FLOOR_INLIER_RATIO, U2 "));
  EXPECT_THAT(export_header(ExportRows::boards), HasSubstr(",components_invalid,not_passed,why,panel_pass,"));
  EXPECT_THAT(row, ::testing::EndsWith(",,,,,\r\n")) << "no panel";
}

TEST(ResultExport, AValueHasTheDigitsThatItsUncertaintyJustifies) {
  const auto value_and_u = [](double value, double u) {
    BoardVerdict v = testing::board();
    v.components.resize(1);
    v.components[0].checks[0].value = value;
    v.components[0].checks[0].u = u;
    const auto cells = split(export_rows(ExportRows::components, row_of(v, to_json(v)), ""));
    const auto names = split(export_header(ExportRows::components));
    const auto at = std::find(names.begin(), names.end(), "value") - names.begin();
    return cells[static_cast<std::size_t>(at)] + " +- " + cells[static_cast<std::size_t>(at) + 1];
  };
  EXPECT_EQ(value_and_u(1099.0260135, 0.94201), "1099.0 +- 1.9");
  EXPECT_EQ(value_and_u(1382.4444, 13.1), "1382 +- 26");
  EXPECT_EQ(value_and_u(-0.000123456, 0.00000051), "-0.0001235 +- 0.0000010");
  EXPECT_EQ(value_and_u(477.5, 600), "478 +- 1200");
  EXPECT_EQ(value_and_u(0.5, 0), "0.500000000 +- 0.000000000") << "nothing is known of its digits";
}

}  // namespace
}  // namespace datum
