// The page of a calibration: each number is the file's, its state and acceptance are the journal's, strangers' words stay text.
#include "daemon/report/calibration_section.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <pugixml.hpp>

#include "tests/a_calibration.h"
#include "tests/fresh_folder.h"

namespace datum {
namespace calibration_section_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string evil = "<script>alert(1)</script>'&";

/// A folder of calibrations that grows by the test's own hand.
struct Folder {
  testing::FreshFolder folder;
  CalibrationJournal journal;
  std::string lines;

  Calibration put(Calibration c) {
    c.sha256 = checksum_of(c);
    folder.write(c.id + ".toml", to_toml(c));
    return c;
  }
  void note(JournalEvent event, const Calibration& c, const std::string& utc, const std::string& by) {
    JournalEntry e = testing::journal_entry(event, c);
    e.from = journal_from(c);
    e.utc = utc;
    e.operator_name = by;
    lines += journal.append(e);
    folder.write("journal", lines);
  }
};

struct Page : pugi::xml_document {
  explicit Page(const std::string& html) {
    const auto parsed = load_string(("<div>" + html + "</div>").c_str(), pugi::parse_full);
    EXPECT_TRUE(parsed) << parsed.description();
    EXPECT_FALSE(select_node("//script"));
  }
  std::string words(const std::string& id) const {
    return select_node(("//*[@id='" + id + "']").c_str()).node().text().get();
  }
  /// Cells of a row of a table, numbers with all their digits.
  std::vector<std::string> row(const std::string& table, const std::string& name) const {
    std::vector<std::string> cells;
    const auto path = "//table[@id='" + table + "']/tbody/tr[th=\"" + name + "\"]/td";
    for (const auto& cell : select_nodes(path.c_str()))
      cells.emplace_back(cell.node().child("data") ? cell.node().child("data").attribute("value").value()
                                                   : cell.node().text().get());
    return cells;
  }
  std::vector<double> numbers(const std::string& table, const std::string& name) const {
    std::vector<double> all;
    for (const std::string& cell : row(table, name)) all.push_back(std::stod(cell));
    return all;
  }
};

constexpr std::int64_t day_s = 86'400;
const std::int64_t may_utc_s = *utc_from_iso8601("2026-05-01T00:00:00Z");

/// No number of it is round in binary.
Calibration a_full_one(const std::string& id) {
  Calibration c = testing::a_calibration(id);
  c.artefact_serial = "AS120-0001";
  c.drawing_sha256 = std::string(64, 'd');
  c.temperature = TemperatureWindow{20.1, 18.30000000000001, 21.9};
  c.residual_rms_um = 1.0 / 3;
  c.residuals = {{"LP", 612, 0.1 + 0.2}, {"RP", 598, 2.0 / 7}};
  Vector6d move;
  move << 0.001 / 3, -0.0021, 0.0123456789012345, 312.418, -1.0 / 7, 95.2;
  c.machine_from_sensor = corrected(c.machine_from_sensor, move);
  c.covariance = Matrix6d::Identity() * 1e-6 / 3;
  c.covariance(0, 4) = c.covariance(4, 0) = 1e-8 / 7;
  c.stage.q_cal_mm = {120.1, 80.2, 35.3};
  c.squareness_rad = {8e-5 / 3, 1e-6, 0};
  c.scale_ppm = {12.3, -9.1, 0.7};
  c.stage.a = stage_matrix(c.squareness_rad, c.scale_ppm);
  c.stage_u.squareness_rad = {2e-6, 2.1e-6, 2.2e-6};
  c.stage_u.scale_ppm = {2.3, 2.4, 2.5};
  c.stage_u.position_um = {0.5, 0.6, 0.7};
  return c;
}

}  // namespace

TEST(CalibrationSection, EachNumberIsTheFilesDigitByDigit) {
  Folder f;
  f.note(JournalEvent::accept, f.put(a_full_one("march")), "2026-03-02T00:00:00Z", "A. Berger");
  const CalibrationStore store(f.folder.path());
  const Calibration& c = store.find("march");
  const Page page(calibration_section(store, c, may_utc_s, "c1"));
  for (int i = 0; i < 4; ++i) {
    const auto cells = page.numbers("c1_matrix", std::to_string(i + 1));
    ASSERT_EQ(cells.size(), 4u);
    for (std::size_t j = 0; j < 4; ++j)
      EXPECT_EQ(cells[j], c.machine_from_sensor.matrix()(i, static_cast<int>(j))) << i << ", " << j;
  }
  EXPECT_THAT(page.words("c1_state"), HasSubstr("from 18.30000000000001 to 21.9 degC"));
  constexpr const char* rows[] = {"turn x", "turn y", "turn z", "shift x", "shift y", "shift z"};
  for (int i = 0; i < 6; ++i) {
    const auto cells = page.numbers("c1_covariance", rows[i]);
    ASSERT_EQ(cells.size(), 6u);
    for (std::size_t j = 0; j < 6; ++j) EXPECT_EQ(cells[j], c.covariance(i, static_cast<int>(j)));
  }
  EXPECT_THAT(page.row("c1_residuals", "LP"), ElementsAre("0.30000000000000004", "612"));
  EXPECT_THAT(page.row("c1_residuals", "RP"), ElementsAre("0.2857142857142857", "598"));
  EXPECT_THAT(page.row("c1_residuals", "all"), ElementsAre("0.3333333333333333", ""));
  EXPECT_THAT(page.row("c1_facts", "valid from, degC"), ElementsAre("18.30000000000001"));
  EXPECT_THAT(page.row("c1_facts", "SHA-256"), ElementsAre(c.sha256));
  EXPECT_THAT(page.row("c1_facts", "by"), ElementsAre("J. M\xc3\xbcller"));
  EXPECT_THAT(page.row("c1_facts", "expires (UTC)"), ElementsAre("2026-09-01T00:00:00Z"));
  EXPECT_THAT(page.numbers("c1_stage", "y"), ElementsAre(80.2, -9.1, 2.4, 0.6));
  EXPECT_THAT(page.numbers("c1_squareness", "x, y"), ElementsAre(8e-5 / 3, 2e-6));
  // U by k = 2 of the variances 1e-6 / 3 rad^2 and mm^2, and the shift as the file has it.
  const auto u = page.numbers("c1_u", "y");
  ASSERT_EQ(u.size(), 4u);
  EXPECT_EQ(u[0], c.machine_from_sensor.translation_mm()[1]);
  EXPECT_NEAR(u[1], 1.1547005383792515, 1e-12);
  EXPECT_NEAR(u[3], 2 * std::sqrt(1e-6 / 3) * 180e3 / std::numbers::pi, 1e-11);  // rounding of doubles
}

TEST(CalibrationSection, SaysWhetherItMayBeUsedAndWhoAcceptedIt) {
  Folder f;
  const Calibration c = f.put(testing::a_calibration("march"));
  const auto page = [&](std::int64_t now_utc_s) {
    const CalibrationStore store(f.folder.path());
    return Page(calibration_section(store, store.find("march"), now_utc_s, "c1"));
  };
  EXPECT_EQ(page(may_utc_s).words("c1_accepted"), "Nobody has accepted it.");
  f.note(JournalEvent::accept, c, "2026-03-02T00:00:00Z", "A. Berger");
  EXPECT_THAT(page(may_utc_s).words("c1_accepted"),
              HasSubstr("Accepted by A. Berger at 2026-03-02T00:00:00Z (UTC), entry 1"));
  EXPECT_EQ(page(may_utc_s).words("c1_state"), "It may be used at 2026-05-01T00:00:00Z (UTC).");
  EXPECT_THAT(page(may_utc_s + 365 * day_s).words("c1_state"), HasSubstr("expired at 2026-09-01T00:00:00Z"));
  f.note(JournalEvent::drift, c, "2026-04-02T00:00:00Z", "B. Curie");
  EXPECT_THAT(page(may_utc_s).words("c1_state"), AllOf(HasSubstr("must not be used"), HasSubstr("drifted")));
  f.note(JournalEvent::withdraw, c, "2026-04-03T00:00:00Z", "B. Curie");
  EXPECT_THAT(page(may_utc_s).words("c1_state"), HasSubstr("withdrawn"));
  // Sealed again with other content.
  f.note(JournalEvent::accept, c, "2026-04-04T00:00:00Z", "A. Berger");
  Calibration other = c;
  other.residual_rms_um = 0.1;
  f.put(other);
  EXPECT_THAT(page(may_utc_s).words("c1_state"), HasSubstr("content was changed and sealed again"));
  EXPECT_THAT(page(may_utc_s).words("c1_accepted"), HasSubstr("another one then, SHA-256 " + c.sha256));
  f.folder.write("journal", "{}\n" + f.lines);
  EXPECT_THAT(page(may_utc_s).words("c1_accepted"), HasSubstr("not known: the journal is not valid"));
  EXPECT_THAT(page(may_utc_s).words("c1_state"), HasSubstr("must not be used"));
}

TEST(CalibrationSection, TheHistoryHasEachCalibrationOfTheSensorAndWhatMoved) {
  Folder f;
  Calibration first = testing::a_calibration("zeta"), second = testing::a_calibration("alpha"),
              foreign = testing::a_calibration("foreign"), left = testing::a_calibration("left");
  second.made_utc_s += 30 * day_s;
  second.residual_rms_um = 4.5;
  Vector6d move;
  move << 0, 0, 1e-4, 0.003, -0.004, 0;
  second.machine_from_sensor = corrected(first.machine_from_sensor, move);
  second.covariance(3, 3) = 4e-6;
  foreign.sensor_serial = "S8";
  left.head = HeadPosition{"left", {0, 90, 0}, 0.01, 0.5, 1.25};
  f.put(foreign);
  f.put(left);
  f.note(JournalEvent::accept, f.put(first), "2026-03-02T00:00:00Z", "A. Berger");
  f.note(JournalEvent::accept, f.put(second), "2026-04-02T00:00:00Z", "B. Curie");
  f.note(JournalEvent::verified, f.put(second), "2026-04-03T00:00:00Z", "C. Dirac");
  const CalibrationStore store(f.folder.path());
  const Page page(calibration_history(store, "S7", "sensor", "h1"));
  EXPECT_EQ(page.select_nodes("//table[@id='h1_calibrations']/tbody/tr").size(), 2u);
  EXPECT_THAT(page.row("h1_calibrations", "1"),
              ElementsAre("zeta", HasSubstr("2026-03-01"), "J. M\xc3\xbcller", "imported",
                          "2026-09-01T00:00:00Z", "2026-03-02T00:00:00Z", "A. Berger", "replaced"));
  EXPECT_EQ(page.row("h1_calibrations", "2").back(), "current");
  EXPECT_THAT(page.row("h1_values", "1"), ElementsAre("3.5", "2.0", ::testing::_, "-", "-", "-", "-"));
  // Shift (3, -4, 0) um: 5 um. Variances along it: 0.36 (4 + 1) + 0.64 (1 + 1) um^2; turn 0.1 mrad with sqrt(2) 10 urad.
  const auto moved = page.numbers("h1_values", "2");
  ASSERT_EQ(moved.size(), 7u);
  EXPECT_EQ(moved[0], 4.5);
  EXPECT_NEAR(moved[1], 4, 1e-12);
  EXPECT_NEAR(moved[3], 5, 1e-9);
  EXPECT_NEAR(moved[4], 2 * std::sqrt(0.36 * 5 + 0.64 * 2), 1e-9);
  EXPECT_NEAR(moved[5], 5.729577951, 1e-8);
  EXPECT_NEAR(moved[6], 2 * std::sqrt(2.0) * 0.5729577951, 1e-8);
  EXPECT_THAT(page.row("h1_events", "3"), ElementsAre("2026-04-03T00:00:00Z", "verified", "alpha",
                                                      store.find("alpha").sha256, "C. Dirac", "by a test"));
  EXPECT_EQ(page.select_nodes("//svg[title and desc]").size(), 2u);
  EXPECT_EQ(Page(calibration_history(store, "S7", "sensor/left", "h2")).row("h2_calibrations", "1").back(),
            "never accepted");
}

TEST(CalibrationSection, StrangersWordsStayText) {
  Folder f;
  Calibration c = testing::a_calibration("march");
  c.operator_name = c.software = c.artefact_serial = c.sensor_serial = evil;
  c.drawing_sha256 = std::string(64, 'd');
  c.residuals = {{evil, 3, 1.5}};
  c = f.put(c);
  f.note(JournalEvent::accept, c, "2026-03-02T00:00:00Z", evil);
  f.folder.write(evil.substr(0, 8) + ".toml", evil);
  const CalibrationStore store(f.folder.path());
  ASSERT_EQ(store.problems().size(), 1u);
  const Page page(calibration_section(store, store.find("march"), may_utc_s, "c1") +
                  calibration_history(store, evil, "sensor", "h1") + calibration_problems(store));
  EXPECT_THAT(page.row("c1_facts", "by"), ElementsAre(evil));
  EXPECT_THAT(page.row("c1_facts", "artefact"), ElementsAre(evil));
  EXPECT_THAT(page.words("c1_accepted"), HasSubstr("Accepted by " + evil));
  EXPECT_EQ(page.row("h1_calibrations", "1")[6], evil);
  EXPECT_EQ(page.row("h1_events", "1")[4], evil);
}

}  // namespace calibration_section_test
}  // namespace datum
