// DFQ files: what a reader of the format takes from a line, and what it must never take.
#include "daemon/exchange/aqdef.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/daemon/scpi/fixture.h"

namespace datum {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t from = 0, end; (end = text.find("\r\n", from)) != text.npos; from = end + 2)
    lines.push_back(text.substr(from, end - from));
  EXPECT_TRUE(text.empty() || text.ends_with("\r\n"));
  return lines;
}

std::string file_of(const std::vector<BoardVerdict>& boards) {
  AqdefFile file;
  for (const BoardVerdict& board : boards) file.describe(board);
  std::string text = file.description();
  for (const BoardVerdict& board : boards) text += file.values(board);
  return text;
}

BoardVerdict numbered(std::uint64_t sequence) {
  BoardVerdict board = testing::board();
  board.sequence = sequence;
  return board;
}

TEST(Aqdef, DescribesAPartAndItsCharacteristicsBeforeTheirValues) {
  const auto lines = lines_of(file_of({numbered(12)}));
  const BoardVerdict board = testing::board();
  ASSERT_EQ(board.components[0].checks.size(), 1u);
  EXPECT_EQ(lines[0], "K0100 3");
  EXPECT_EQ(lines[1], "K1001/1 mainboard");
  EXPECT_THAT(lines, Contains("K1004/1 ab12"));
  EXPECT_THAT(lines, Contains("K2001/1 U1 median"));
  EXPECT_THAT(lines, Contains("K2002/3 U3 median"));
  EXPECT_THAT(lines, Contains("K2110/1 1140"));
  EXPECT_THAT(lines, Contains("K2142/1 um"));
  EXPECT_THAT(lines, Contains("K0001/1 1160.25"));
  EXPECT_THAT(lines, Contains("K0002/1 0"));
  EXPECT_THAT(lines, Contains("K0004/1 21.11.2026/07:18:17"));
  EXPECT_THAT(lines, Contains("K0014/2 SN-7"));
  EXPECT_THAT(lines, Contains("K0009/2 FAIL, result 12, 2026-11-21T07:18:17.123456Z UTC"));
  EXPECT_THAT(lines, Each(MatchesRegex("K[0-9]{4}(/[0-9]+)? [ -~]*")));
}

TEST(Aqdef, AnInvalidValueIsNoNumber) {
  BoardVerdict without = numbered(13);  // nothing of it was measured
  without.components.clear();
  without.reason = Reason::pose_missing;
  const auto lines = lines_of(file_of({numbered(12), without}));
  EXPECT_THAT(lines,
              Contains("K0009/3 INVALID FLOOR_INLIER_RATIO, result 12, 2026-11-21T07:18:17.123456Z UTC"));
  EXPECT_THAT(lines, Contains("K0009/1 INVALID POSE_MISSING, result 13, 2026-11-21T07:18:17.123456Z UTC"));
  EXPECT_EQ(std::count(lines.begin(), lines.end(), "K0002/3 255"), 2);
  EXPECT_EQ(std::count(lines.begin(), lines.end(), "K0001/3 "), 2);
  EXPECT_EQ(std::count(lines.begin(), lines.end(), "K0002/1 255"), 1);
}

TEST(Aqdef, ASerialNumberBeginsNoLineOfItsOwn) {
  BoardVerdict hostile = numbered(1);
  hostile.unit_id = "A\r\nK0001/1 1.0\r\n\x14\xC3\xA4%41";
  const auto lines = lines_of(file_of({hostile}));
  EXPECT_THAT(lines, Contains("K0014/1 A%0D%0AK0001/1 1.0%0D%0A%14%C3%A4%2541"));
  EXPECT_EQ(std::count(lines.begin(), lines.end(), "K0001/1 1.0"), 0);
  hostile.unit_id = std::string(41, 'S');
  const auto longer = lines_of(file_of({hostile}));
  EXPECT_THAT(longer, Not(Contains(StartsWith("K0014"))));
  EXPECT_THAT(longer, Contains(HasSubstr("its serial number is longer than K0014 takes")));
}

TEST(Aqdef, NamesAreNotCut) {
  BoardVerdict board = numbered(1);
  board.components[0].reference = "CONNECTOR_OF_THE_LEFT_SIDE_1";
  board.components[1].reference = "CONNECTOR_OF_THE_LEFT_SIDE_2";
  const auto lines = lines_of(file_of({board}));
  EXPECT_THAT(lines, Contains("K2001/1 No.1"));
  EXPECT_THAT(lines, Contains("K2001/2 No.2"));
  EXPECT_THAT(lines, Contains("K2002/2 CONNECTOR_OF_THE_LEFT_SIDE_2 median"));
  board.components[0].reference = std::string(80, 'C');
  EXPECT_THROW(file_of({board}), std::invalid_argument);
}

TEST(Aqdef, ARequirementStatedTwiceIsTwoCharacteristics) {
  BoardVerdict board = numbered(1);
  board.components[0].checks.push_back(board.components[0].checks[0]);
  board.components[0].checks[1].value = 7;
  const auto lines = lines_of(file_of({board}));
  EXPECT_THAT(lines, Contains("K2002/2 U1 median #2"));
  EXPECT_THAT(lines, Contains("K0001/2 7"));
}

TEST(Aqdef, AFileIsOfOneRecipeAndOfSomething) {
  BoardVerdict other = numbered(2);
  other.recipe_sha256 = "cd34";
  EXPECT_THROW(file_of({numbered(1), other}), std::invalid_argument);
  EXPECT_THROW(file_of({}), std::invalid_argument);
}

}  // namespace
}  // namespace datum
