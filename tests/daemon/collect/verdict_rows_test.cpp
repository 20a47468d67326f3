// A verdict as rows: doubt never becomes a pass, and hostile texts stay texts.
#include "daemon/collect/verdict_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/daemon/collect/virtual_chain.h"
#include "tests/daemon/scpi/fixture.h"

namespace datum {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

VerdictRows rows_of_row(StoredResult row) {
  testing::VirtualChain chain("V.M.1");
  row.sequence = 1;
  const auto content = decode_plant_message(chain.result(row), 16 << 20);
  return rows_of(std::get<PlantEntry>(content), 1'700'000'000'000'000);
}
VerdictRows read(const BoardVerdict& verdict) { return rows_of_row(row_of(verdict, to_json(verdict))); }

/// The verdict's JSON changed, the fields of its entry not.
VerdictRows read_changed(const std::function<void(Json&)>& change) {
  const BoardVerdict board = testing::board();
  Json json = Json::parse(to_json(board));
  change(json);
  return rows_of_row(row_of(board, json.dump()));
}

BoardVerdict good_board() {
  BoardVerdict v = testing::board();
  v.decision = Decision::pass;
  v.reason = Reason::none;
  v.components.resize(1);
  return v;
}

TEST(VerdictRows, ABoardWithItsMeasurements) {
  const VerdictRows rows = read(good_board());
  EXPECT_EQ(rows.unreadable, "");
  EXPECT_EQ(rows.utc_us, 1'795'245'497'123'456);
  ASSERT_EQ(rows.boards.size(), 1u);
  EXPECT_EQ(rows.boards[0].unit, "SN-7");
  EXPECT_EQ(rows.boards[0].decision, 0);
  ASSERT_EQ(rows.measurements.size(), 1u);
  const MeasurementRow& row = rows.measurements[0];
  EXPECT_EQ(row.what.reference, "U1");
  EXPECT_EQ(row.what.characteristic, "median");
  EXPECT_EQ(row.what.unit, "um");
  EXPECT_EQ(row.what.lower, 1140.0);
  EXPECT_EQ(row.count, 1'160'250'000);
  EXPECT_EQ(row.u, 1.25);
}

TEST(VerdictRows, InvalidHasNoValue) {
  BoardVerdict v = good_board();
  v.decision = Decision::invalid;
  v.components[0].checks[0].decision = Decision::invalid;
  v.components[0].checks[0].reason = Reason::floor_tilt;
  const VerdictRows rows = read(v);
  EXPECT_EQ(rows.measurements.at(0).count, std::nullopt) << "1160.25 stands beside it";
  EXPECT_EQ(rows.measurements.at(0).reason, "FLOOR_TILT");
}

TEST(VerdictRows, ABoardThatIsInvalidAsAWholeHasNoGoodMeasurement) {
  const VerdictRows rows = read(testing::board());  // U1 passes, the board is INVALID with a reason
  ASSERT_EQ(rows.measurements.size(), 3u);
  for (const MeasurementRow& row : rows.measurements) {
    EXPECT_EQ(row.decision, 3);
    EXPECT_EQ(row.count, std::nullopt);
    EXPECT_EQ(row.reason, "FLOOR_INLIER_RATIO");
  }
}

TEST(VerdictRows, AVerdictThatCantBeReadIsAnInvalidBoard) {
  const auto refused = [](const std::function<void(Json&)>& change) {
    const VerdictRows rows = read_changed(change);
    EXPECT_EQ(rows.boards.size(), 1u);
    EXPECT_EQ(rows.boards.at(0).decision, 3);
    EXPECT_EQ(rows.boards.at(0).reason, "UNREADABLE");
    EXPECT_TRUE(rows.measurements.empty());
    return rows.unreadable;
  };
  EXPECT_THAT(refused([](Json& j) { j["decision"] = "PASS"; }), HasSubstr("contradicts"));
  EXPECT_THAT(refused([](Json& j) { j["recipe"] = "other"; }), HasSubstr("contradicts"));
  EXPECT_THAT(refused([](Json& j) { j["components"][0]["checks"][0]["decision"] = "GOOD"; }),
              HasSubstr("GOOD"));
  EXPECT_THAT(refused([](Json& j) { j["components"] = 7; }), HasSubstr("components"));
  EXPECT_THAT(refused([](Json& j) { j = Json::array(); }), HasSubstr("no JSON object"));
  EXPECT_THAT(refused([](Json& j) { j["components"][0]["reference"] = std::string(2000, 'x'); }),
              HasSubstr("too long"));
  StoredResult row = row_of(testing::board(), "");
  EXPECT_NE(rows_of_row(row).unreadable, "");
  row = row_of(good_board(), to_json(good_board()));
  row.measured_at = "yesterday";
  const VerdictRows late = rows_of_row(row);
  EXPECT_THAT(late.unreadable, HasSubstr("time"));
  EXPECT_EQ(late.utc_us, 1'700'000'000'000'000);
  EXPECT_EQ(late.boards.at(0).decision, 3) << "the entry says PASS";
}

TEST(VerdictRows, ACheckWithoutANumberThatIsNotInvalidIsRefused) {
  BoardVerdict v = good_board();
  v.components[0].checks[0].value = std::nan("");
  EXPECT_THAT(read(v).unreadable, HasSubstr("no value"));
  v.components[0].checks[0].value = 1e300;
  EXPECT_NE(read(v).unreadable, "");
}

TEST(VerdictRows, KeysOfANewerCellArePassedOver) {
  const VerdictRows rows = read_changed([](Json& j) {
    j["hologram"] = {{"a", 1}};
    j["components"][0]["checks"][0]["characteristic"] = "glow";
  });
  EXPECT_EQ(rows.unreadable, "");
  EXPECT_EQ(rows.measurements.at(0).what.characteristic, "glow");
}

TEST(VerdictRows, ArtefactsAreNoProducts) {
  BoardVerdict v = good_board();
  v.reference.emplace();
  EXPECT_FALSE(read(v).is_artefact);
  v.reference->artefact = "step";
  EXPECT_TRUE(read(v).is_artefact);
}

BoardVerdict panel() {
  BoardVerdict v = good_board();
  v.boards.resize(3);
  v.boards[0] = {"1-1", "SN-1", Decision::pass, Reason::none, "", {}, {}};
  v.boards[1] = {"2-1", "SN-2", Decision::fail, Reason::none, "", {}, {}};
  v.boards[2] = {"3-1", "", std::nullopt, Reason::skipped, "", {}, {}};
  v.components.resize(3, v.components[0]);
  for (int i = 0; i < 3; ++i)
    v.components[static_cast<std::size_t>(i)].reference = fmt::format("U1@{}-1", i + 1);
  v.components[2].checks[0].reason = Reason::skipped;
  v.components[2].checks[0].decision = Decision::invalid;
  return v;
}

TEST(VerdictRows, APanelIsItsBoards) {
  const VerdictRows rows = read(panel());
  ASSERT_EQ(rows.unreadable, "");
  ASSERT_EQ(rows.boards.size(), 2u) << "the skipped one is none";
  EXPECT_EQ(rows.boards[1].unit, "SN-2");
  EXPECT_EQ(rows.boards[1].place, "2-1");
  ASSERT_EQ(rows.measurements.size(), 2u);
  EXPECT_EQ(rows.measurements[1].board, 1u);
}

TEST(VerdictRows, APanelThatIsInvalidHasNoGoodBoard) {
  BoardVerdict v = panel();
  v.decision = Decision::invalid;
  v.reason = Reason::panel;
  const VerdictRows rows = read(v);
  ASSERT_EQ(rows.boards.size(), 2u);
  for (const BoardRow& board : rows.boards) EXPECT_EQ(board.decision, 3);
}

TEST(VerdictRows, TextsOfScannersStayTexts) {
  EXPECT_EQ(plain_text("SN-7 \xc3\xbc"), "SN-7 \xc3\xbc");
  EXPECT_EQ(plain_text(std::string_view("a\0b\n\x7f", 5)), "a%00b%0A%7F");
  EXPECT_EQ(plain_text("\xff\xfe"), "%FF%FE");
  EXPECT_EQ(plain_text("%FF"), "%25FF") << "not the text of another serial number";
}

TEST(VerdictRows, Times) {
  EXPECT_EQ(utc_us_of("2026-11-21T07:18:17Z"), 1'795'245'497'000'000);
  EXPECT_EQ(utc_us_of("2026-11-21T07:18:17.5Z"), 1'795'245'497'500'000);
  for (const char* text : {"", "2026-11-21", "2026-11-21T07:18:17", "2026-02-30T00:00:00Z",
                           "1999-12-31T23:59:59Z", "2200-01-01T00:00:00Z", "2026-11-21T07:18:17.Z",
                           "2026-11-21T07:18:17.12x456Z", "2026-11-21T07:18:17.1234567890123Z"})
    EXPECT_EQ(utc_us_of(text), std::nullopt) << text;
}

}  // namespace
}  // namespace datum
