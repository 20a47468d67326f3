// Series of stored values: what counts, what is a gap, what is left out, and where a segment ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daemon/quality/spc/spc_report.h"
#include "tests/daemon/quality/quality_boards.h"

namespace datum::quality {
namespace series_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::valued_board;

BoardVerdict numbered(BoardVerdict v, std::uint64_t sequence) {
  v.sequence = sequence;
  return v;
}

SeriesBook book_of(const std::vector<BoardVerdict>& boards, SeriesFilter filter = {"", "", "", true}) {
  SeriesBook book(std::move(filter));
  std::uint64_t sequence = 0;
  for (const BoardVerdict& v : boards) book.add(numbered(v, ++sequence));
  return book;
}

const SegmentSums& newest(const SeriesBook& book) {
  return book.series().begin()->second.segments.rbegin()->second;
}

TEST(SeriesBook, TakesAnInvalidValueAsAGapAndNeverAsANumber) {
  const SeriesBook book = book_of(
      {valued_board(1, 1200), valued_board(2, std::nullopt), valued_board(3, 1210), valued_board(4, 1212)});
  EXPECT_EQ(newest(book).values.n, 3u);
  EXPECT_EQ(exact(newest(book).values).mean(series_digits), 3622 / 3.0);
  EXPECT_EQ(newest(book).invalid, 1u);
  EXPECT_EQ(newest(book).ranges.n, 1u) << "none across the gap";
  EXPECT_EQ(exact(newest(book).ranges).mean(series_digits), 2);
}

TEST(SeriesBook, OfABoardThatIsInvalidAsAWholeTakesNoNumber) {
  BoardVerdict whole = valued_board(2, 1300);
  whole.decision = Decision::invalid;
  whole.reason = Reason::frame_unproven;
  BoardVerdict empty = valued_board(3, 1300);
  empty.decision = Decision::invalid;
  empty.reason = Reason::frame;
  empty.components.clear();
  const SeriesBook book = book_of({valued_board(1, 1200), whole, empty, valued_board(4, 1202)});
  EXPECT_EQ(newest(book).values.n, 2u);
  EXPECT_EQ(newest(book).invalid, 2u);
  EXPECT_EQ(newest(book).ranges.n, 0u);
  EXPECT_EQ(book.series().begin()->second.points.size(), 4u);
}

TEST(SeriesBook, OfASkippedBoardOfAPanelCountsNothing) {
  BoardVerdict skipped = valued_board(2, std::nullopt);
  skipped.components[0].checks[0].reason = Reason::skipped;
  const SeriesBook book = book_of({valued_board(1, 1200), skipped, valued_board(3, 1202)});
  EXPECT_EQ(newest(book).values.n, 2u);
  EXPECT_EQ(newest(book).invalid, 0u);
  EXPECT_EQ(newest(book).ranges.n, 0u) << "they are no neighbours";
}

TEST(SeriesBook, CountsTheFirstMeasurementOfAUnitAndNoStudy) {
  SeriesFilter filter{"", "", "", true};
  filter.excluded = {3};
  const SeriesBook book =
      book_of({valued_board(1, 1200, "SN1"), valued_board(2, 1210, "SN1"), valued_board(3, 1220, "SN2"),
               valued_board(4, 1202, "SN3"), valued_board(5, 1204), valued_board(6, 1206)},
              filter);
  EXPECT_EQ(newest(book).values.n, 4u);
  EXPECT_EQ(book.repeats(), 1u);
  EXPECT_EQ(book.excluded(), 1u);
}

TEST(SeriesBook, BeginsASegmentWhereRecipeCalibrationOrCodeChange) {
  std::vector<BoardVerdict> boards{valued_board(1, 1200), valued_board(2, 1201)};
  for (int n = 3; n < 6; ++n) boards.push_back(valued_board(n, 1200 + n));
  boards[2].recipe_sha256 = "cd34";
  boards[3].recipe_sha256 = "cd34";
  boards[3].calibration_sha256 = "ef56";
  boards[4] = boards[3];
  boards[4].code = "0.2.0 test";
  const SeriesBook book = book_of(boards);
  EXPECT_EQ(book.segments().size(), 4u);
  const auto& series = book.series().begin()->second;
  EXPECT_EQ(series.segments.at(0).values.n, 2u);
  EXPECT_EQ(series.segments.at(3).values.n, 1u);
  // Another recipe in between ends no segment.
  BoardVerdict other = valued_board(9, 1);
  other.recipe = "other";
  EXPECT_EQ(book_of({valued_board(1, 1200), other, valued_board(2, 1201)}).segments().size(), 2u);
}

TEST(SeriesBook, HasTheSameBitsInOnePieceOrContinued) {
  std::vector<BoardVerdict> boards;
  for (int n = 1; n < 200; ++n) boards.push_back(valued_board(n, 1200 + 0.1 * (n * 37 % 11) + 1e-6 * n));
  const SeriesBook whole = book_of(boards, {});
  SeriesBook continued({});
  for (std::size_t i = 0; i < boards.size(); ++i) continued.add(numbered(boards[i], i + 1));
  EXPECT_EQ(exact(newest(whole).values).variance(series_digits),
            exact(newest(continued).values).variance(series_digits));
  EXPECT_TRUE(whole.series().begin()->second.points.empty()) << "sums alone are kept";
}

TEST(SeriesBook, KeepsTheLargestUncertaintyOfItsValuesAlone) {
  std::vector<BoardVerdict> boards{valued_board(1, 1200), valued_board(2, 1201),
                                   valued_board(3, std::nullopt)};
  boards[1].components[0].checks[0].u = 1.5;
  boards[2].components[0].checks[0].u = 9;
  EXPECT_EQ(newest(book_of(boards)).largest_u, 1.5);
}

SpcReport chart_of(const SeriesBook& book, const SpcSettings& settings = {}) {
  return spc_chart(book, book.series().begin()->first, settings);
}

TEST(SpcReport, OfTheWorkedSeriesHasItsNumbers) {
  const double worked[] = {1201.2, 1199.8, 1200.5, 1202.1, 1198.9, 1200.0, 1201.7, 1199.4, 1200.9, 1201.1,
                           1198.6, 1200.3, 1202.4, 1199.9, 1200.7, 1201.5, 1199.2, 1200.2, 1201.9, 1200.6};
  std::vector<BoardVerdict> boards;
  for (int n = 0; n < 20; ++n) {
    boards.push_back(valued_board(n, worked[n]));
    boards.back().components[0].checks[0].check.lower = 1192;
    boards.back().components[0].checks[0].check.upper = 1208;
    boards.back().components[0].checks[0].check.nominal = 1200;
  }
  const SpcReport report = chart_of(book_of(boards));
  const auto& c = report.json["segments"][0]["capability"];
  EXPECT_NEAR(c["cp"]["value"], 1.880632, 5.1e-7);
  EXPECT_NEAR(c["cpk"]["value"], 1.752514, 5.1e-7);
  EXPECT_NEAR(c["pp"]["value"], 2.484435, 5.1e-7);
  EXPECT_NEAR(c["ppk"]["noncentral_t"][0], 1.569383, 5.1e-7);
  EXPECT_NEAR(c["cpm_n"], 2.260618, 5.1e-7);
  // The guard band 2 x 1: the upper limit 1206 is nearer.
  EXPECT_NEAR(c["ppk_gb"]["value"], 5.455 / (3 * 1.073349), 2e-6);
  EXPECT_EQ(c["guard_band"], 2);
  EXPECT_THAT(report.text, HasSubstr("Ppk_gb, guard band 2.000000 = 2 x 1.000000, 1.69407"));
  EXPECT_NEAR(spc_summary(book_of(boards), {}).json["series"][0]["capability"]["ppk_gb"]["value"],
              5.455 / (3 * 1.073349), 2e-6);
  EXPECT_THAT(report.text, HasSubstr("trial limits"));
  EXPECT_NEAR(spc_summary(book_of(boards), {}).json["series"][0]["capability"]["ppk"]["value"], 2.315183,
              5.1e-7);
}

TEST(SpcReport, FindsAShiftAndNamesTheRuleWithItsFalseAlarms) {
  std::vector<BoardVerdict> boards;
  for (int n = 0; n < 60; ++n)
    boards.push_back(valued_board(n, 1200 + 0.5 * (n * 7 % 5) + (n >= 40 ? 3 : 0)));
  SpcSettings settings;
  settings.baseline = 40;
  settings.rules = "nelson";
  const SpcReport report = chart_of(book_of(boards), settings);
  EXPECT_FALSE(report.json["segments"][0]["hits"].empty());
  EXPECT_FALSE(report.json["segments"][0]["cusum"]["out"].empty());
  EXPECT_GE(report.json["segments"][0]["cusum"]["out"][0]["sequence"], 41);
  EXPECT_NEAR(report.json["segments"][0]["rules"]["points_to_a_false_alarm"], 75, 75 * 0.06);
}

TEST(SpcReport, RefusesAnIndexOfTooManyInvalidValues) {
  std::vector<BoardVerdict> boards;
  for (int n = 0; n < 60; ++n)
    boards.push_back(n % 10 == 0 ? valued_board(n, std::nullopt) : valued_board(n, 1200 + 0.5 * (n * 7 % 5)));
  const SpcReport refused = chart_of(book_of(boards));
  EXPECT_TRUE(refused.json["segments"][0]["capability"]["ppk"].is_null());
  EXPECT_THAT(refused.text, HasSubstr("6 of 60 values are INVALID, above 5 %"));
  SpcSettings lenient;
  lenient.largest_invalid_share = 0.1;
  EXPECT_FALSE(chart_of(book_of(boards), lenient).json["segments"][0]["capability"]["ppk"].is_null());
}

TEST(SpcReport, OfOneValueEqualValuesOrNoneSaysSo) {
  EXPECT_THAT(chart_of(book_of({valued_board(1, 1200)})).text, HasSubstr("1 values: no index"));
  EXPECT_THAT(chart_of(book_of({valued_board(1, std::nullopt)})).text, HasSubstr("0 values"));
  std::vector<BoardVerdict> equal;
  for (int n = 0; n < 30; ++n) equal.push_back(valued_board(n, 1200));
  EXPECT_THAT(chart_of(book_of(equal)).text, HasSubstr("all values are equal"));
  EXPECT_TRUE(spc_summary(book_of({}), {}).json["series"].empty());
}

TEST(SpcReport, OfAPackageTellsBoardsFromComponents) {
  std::vector<BoardVerdict> boards;
  for (int n = 0; n < 30; ++n) {
    BoardVerdict v = valued_board(n, 1200 + 2 * (n * 7 % 5));
    for (int i = 2; i < 5; ++i) {
      v.components.push_back(v.components[0]);
      v.components.back().reference = "U" + std::to_string(i);
      v.components.back().checks[0].value += 0.25 * i;
    }
    boards.push_back(v);
  }
  const SpcReport report = spc_package(book_of(boards), "mainboard", "die", Characteristic::median, {});
  const auto& groups = report.json["segments"][0]["groups"];
  EXPECT_EQ(groups["rows"].size(), 30u);
  EXPECT_NEAR(groups["sigma_between"], 2.8, 0.2);
  EXPECT_NEAR(groups["sigma_within"], 0.45, 0.1);
}

}  // namespace
}  // namespace series_test
}  // namespace datum::quality
