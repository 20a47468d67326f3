// datumctl report study, spc: pages of the worked study, number by number those of the commands' JSON and of the store.
#include <gmock/gmock.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include "tests/daemon/quality/study_cell.h"

namespace datum::quality {
namespace report_command_test {
namespace {

using ::testing::HasSubstr;
using testing::Output;
using Json = nlohmann::ordered_json;

class ReportOfQuality : public testing::StudyOfACell {
 public:
  Output report(const std::string& arguments) const {
    return ctl("report " + arguments + " -o " + page_.string() + " --store " +
               (folder_ / "results.db").string());
  }
  void read_page() {
    std::ifstream in(page_, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const auto parsed = document_.load_string(text.c_str(), pugi::parse_full);
    ASSERT_TRUE(parsed) << parsed.description() << " at "
                        << text.substr(static_cast<std::size_t>(parsed.offset), 90);
  }
  /// The number of a row's cell, from 1 behind the row's name.
  std::string number(const std::string& table, const std::string& row, int cell) const {
    return document_
        .select_node(("//table[@id='" + table + "']/tbody/tr[th='" + row + "']/td[" + std::to_string(cell) +
                      "]/data/@value")
                         .c_str())
        .attribute()
        .value();
  }
  std::vector<std::string> all(const std::string& path) const {
    std::vector<std::string> found;
    for (const auto& node : document_.select_nodes(path.c_str()))
      found.emplace_back(node.attribute() ? node.attribute().value() : node.node().text().get());
    return found;
  }

  std::filesystem::path page_ = folder_ / "page.html";
  pugi::xml_document document_;
};

TEST_F(ReportOfQuality, AStudyHasSixPanelsWithTheNumbersOfItsSolution) {
  start();
  measure_all();
  const Output written = report("study grr-1 --component U1");
  ASSERT_EQ(written.status, 0) << written.text;
  read_page();
  const auto solved = Json::parse(study("solve grr-1 --component U1 --json").text)["series"][0]["result"];
  EXPECT_THAT(all("//h3"),
              ::testing::ElementsAre(HasSubstr("1 Components"), HasSubstr("2 Ranges"), HasSubstr("3 Means"),
                                     HasSubstr("4 Values by part"), HasSubstr("5 Values by operator"),
                                     HasSubstr("6 Parts by operator")));
  EXPECT_EQ(all("//svg[title and desc]").size(), 6u);
  EXPECT_EQ(number("s1_variation", "gauge (GRR)", 2), solved["sigma_gauge"].dump());
  EXPECT_EQ(number("s1_variation", "gauge (GRR)", 4), solved["percent_study"].dump());
  EXPECT_EQ(number("s1_variation", "gauge (GRR)", 5), solved["percent_tolerance"].dump());
  EXPECT_EQ(number("s1_anova", "part", 2).substr(0, 10), "888.611333");
  // Values of the worked set as they were measured: 1211.2 and 1210.6 of P4 by A.
  EXPECT_EQ(number("s1_cells", "P4, A", 2), "1210.9");
  EXPECT_EQ(number("s1_cells", "P4, A", 3), "0.6");
  EXPECT_EQ(number("s1_by_part", "P3", 3), "1194.1");
  EXPECT_EQ(number("s1_by_operator", "B", 1), "10.0");
  EXPECT_EQ(all("//table[@id='records']/tbody/tr").size(), 30u);
  EXPECT_EQ(all("//table[@id='s1_cells']/tbody/tr").size(), 15u);
  // Panel 3: a point for each part and operator; panel 4: each value.
  EXPECT_EQ(all("//svg[title='Means by operator']/circle | //svg[title='Means by "
                "operator']/path[@class='fail mark']")
                .size(),
            15u);
  EXPECT_EQ(all("//svg[title='Values by part']/circle").size(), 30u);
}

TEST_F(ReportOfQuality, AnUnfinishedStudySaysSoAndListsItsInvalidResults) {
  start("--attempts 1");
  put(std::nullopt, file().runs()[0].part);
  ASSERT_EQ(study("next grr-1 --result last").status, 0);
  ASSERT_EQ(report("study grr-1").status, 0);
  read_page();
  EXPECT_THAT(all("//*[@id='incomplete']"), ::testing::ElementsAre(HasSubstr("not complete")));
  EXPECT_THAT(all("//table[@id='records']//td"), ::testing::Contains("INVALID"));
  EXPECT_EQ(report("study nobody").status, 4);
}

TEST_F(ReportOfQuality, ChartsHaveEachValueOfTheStoreAndTheNumbersOfSpc) {
  for (int i = 0; i < 40; ++i)
    put(i == 20 ? std::nullopt : std::optional(1200.123456 + (i * 7919 % 13) * 0.1));
  put(1216.5);
  ASSERT_EQ(report("spc demo-board --component U1 --rules 1").status, 0);
  read_page();
  const auto chart =
      Json::parse(ctl("spc --component U1 --rules 1 --json --store " + (folder_ / "results.db").string())
                      .text)["segments"][0];
  std::vector<std::string> stored;
  for (const StoredResult& r : store_.list({}, 100, ResultOrder::oldest_first)) {
    const Json check = Json::parse(r.json)["components"][0]["checks"][0];
    stored.push_back(check["decision"] == "INVALID"
                         ? "-"
                         : Json(ratio(decimal_of(check["value_um"].get<double>(), 6).count, 1, 6)).dump());
  }
  EXPECT_EQ(all("//table[@id='s1_1_values']/tbody/tr/td/data/@value"), stored);
  EXPECT_EQ(number("s1_1_limits", "individuals", 3), chart["individuals"]["values"]["upper"].dump());
  EXPECT_EQ(number("s1_1_limits", "moving ranges", 1),
            chart["individuals"]["moving_ranges"]["centre"].dump());
  EXPECT_EQ(number("s1_1_capability", "Ppk", 1), chart["capability"]["ppk"]["value"].dump());
  EXPECT_EQ(number("s1_1_capability", "Ppk_gb", 1), chart["capability"]["ppk_gb"]["value"].dump());
  EXPECT_EQ(number("s1_1_capability", "Ppk", 2), chart["capability"]["ppk"]["interval"][0].dump());
  EXPECT_EQ(all("//table[@id='s1_1_hits']/tbody/tr").size(), chart["hits"].size());
  ASSERT_GT(chart["hits"].size(), 0u);
  // The gap of the INVALID board: the line begins twice, and the point beyond the limit is a diamond.
  const std::string line = all("//svg[title='Individuals, um']/path[@class='line']/@d").at(0);
  EXPECT_EQ(std::count(line.begin(), line.end(), 'M'), 2);
  EXPECT_EQ(all("//svg[title='Individuals, um']/path[@class='fail mark']").size(), chart["hits"].size());
  EXPECT_EQ(all("//svg[title='Individuals, um']/circle").size() + chart["hits"].size(), stored.size() - 1);
}

TEST_F(ReportOfQuality, SaysWhereThereIsNothingOrTooMuchIsAsked) {
  EXPECT_THAT(report("spc nobody").text, HasSubstr("no value of these"));
  EXPECT_EQ(report("spc nobody").status, 4);
  EXPECT_EQ(report("spc demo-board --rules 9").status, 4);
  EXPECT_FALSE(std::filesystem::exists(page_));
}

}  // namespace
}  // namespace report_command_test
}  // namespace datum::quality
