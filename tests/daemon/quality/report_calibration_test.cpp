// datumctl report calibration: which calibrations it takes, and what it says where there is none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <pugixml.hpp>

#include "tests/a_calibration.h"
#include "tests/fresh_folder.h"
#include "tests/house/output_of.h"

namespace datum::quality {
namespace report_calibration_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Calibrations {
  testing::FreshFolder folder;
  CalibrationJournal journal;
  std::string lines;

  void put(const std::string& id, const std::string& sensor, bool accept) {
    Calibration c = testing::a_calibration(id);
    c.sensor_serial = sensor;
    c.sha256 = checksum_of(c);
    folder.write("calibrations/" + id + ".toml", to_toml(c));
    if (accept) lines += journal.append(testing::journal_entry(JournalEvent::accept, c));
    folder.write("calibrations/journal", lines);
  }
  testing::Output report(const std::string& arguments, const std::string& page = "page.html") const {
    return testing::output_of(std::string(DATUMCTL) + " report calibration " + arguments + " --folder " +
                              (folder / "calibrations").string() + " -o " + (folder.path() / page).string());
  }
  std::vector<std::string> titles() const {
    pugi::xml_document page;
    EXPECT_TRUE(page.load_file((folder / "page.html").c_str(), pugi::parse_full));
    std::vector<std::string> found;
    for (const auto& node : page.select_nodes("//h2")) found.emplace_back(node.node().text().get());
    return found;
  }
};

TEST(ReportCalibration, TakesAnIdOrTheCurrentOneOfEachSensor) {
  Calibrations c;
  c.put("march", "S7", true);
  c.put("april", "S7", true);
  c.put("other", "S8", true);
  c.put("draft", "S9", false);
  const testing::Output written = c.report("current");
  ASSERT_EQ(written.status, 0) << written.text;
  EXPECT_THAT(c.titles(), ElementsAre("Calibration april", "Calibration other", "History of sensor S7",
                                      "History of sensor S8"));
  ASSERT_EQ(c.report("march").status, 0);
  EXPECT_THAT(c.titles(), ElementsAre("Calibration march", "History of sensor S7"));
  c.folder.write("calibrations/broken.toml", "schema = 3\n");
  ASSERT_EQ(c.report("draft").status, 0);
  EXPECT_THAT(c.titles(), ElementsAre("Calibration draft", "History of sensor S9", "Refused in the folder"));
}

TEST(ReportCalibration, SaysWhatIsMissingAndWritesNothing) {
  Calibrations c;
  c.put("draft", "S7", false);
  EXPECT_EQ(c.report("current").status, 6);
  EXPECT_THAT(c.report("current").text, HasSubstr("no calibration is current"));
  EXPECT_EQ(c.report("nobody").status, 6);
  EXPECT_THAT(c.report("nobody").text, AllOf(HasSubstr("'nobody' is not in"), HasSubstr("there is draft")));
  EXPECT_EQ(c.report("draft", "page.txt").status, 4);
  c.folder.write("calibrations/journal", "{}\n");
  EXPECT_EQ(c.report("current").status, 6);
  EXPECT_THAT(c.report("current").text, HasSubstr("journal"));
  EXPECT_FALSE(std::filesystem::exists(c.folder / "page.html"));
}

TEST(ReportCalibration, IsAPdfWhereChromiumIs) {
  if (testing::output_of("chromium-headless-shell --version || chromium --version").status != 0)
    GTEST_SKIP() << "Chromium (Debian package chromium) is not installed";
  Calibrations c;
  c.put("march", "S7", true);
  const testing::Output written = c.report("march", "page.pdf");
  ASSERT_EQ(written.status, 0) << written.text;
  std::ifstream in(c.folder / "page.pdf", std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  EXPECT_TRUE(bytes.starts_with("%PDF-"));
}

}  // namespace
}  // namespace report_calibration_test
}  // namespace datum::quality
