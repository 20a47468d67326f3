// datumctl chart freeze, spc --frozen and export with a description apart, from a store.
#include <gmock/gmock.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "daemon/charts/control_limits.h"
#include "tests/daemon/quality/study_cell.h"

namespace datum::quality {
namespace chart_command_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::Output;
using Json = nlohmann::ordered_json;

class ChartOfACell : public testing::StudyOfACell {
 public:
  ChartOfACell() {
    std::ofstream(recipe_, std::ios::app) << "\n[control_charts]\nrules = \"1,2\"\ndisarm = \"1\"\n";
    sha256_ = load_recipe(recipe_).sha256;
  }
  Output freeze(const std::string& more) const {
    return ctl("chart freeze demo-board --recipes " + folder_.path().string() + " --store " +
               file_of_store() + " " + more);
  }
  std::string file_of_store() const { return (folder_ / "results.db").string(); }
  void alternate(int boards) {
    for (int i = 0; i < boards; ++i) put(1203 + (i % 2 == 0 ? 1 : -1));
  }
  static std::string bytes_of(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
};

TEST_F(ChartOfACell, APersonFreezesLimitsAndSpcNamesWhatIsHitBehindThem) {
  alternate(24);  // results 2 to 25, behind one of another recipe text
  EXPECT_THAT(freeze("--by 'A. Smith'").text, HasSubstr("U1 median: 24 values of 25 that are wanted"));
  put(1300);  // 26
  put(1203);  // 27
  EXPECT_THAT(freeze("").text, HasSubstr("--by is required"));
  const Output hit = freeze("--by 'A. Smith'");
  EXPECT_EQ(hit.status, 0) << hit.text;
  EXPECT_THAT(hit.text, HasSubstr("U1 median: rule 1 is hit within phase 1, results 26 to 26"));
  EXPECT_THAT(freeze("--by 'A. Smith' --without 26").text, HasSubstr("a result and its cause"));
  EXPECT_THAT(freeze("--by 'A. Smith' --without 99=dust").text,
              HasSubstr("result 99 is none of phase 1, 2 to 27"));
  const Output frozen = freeze("--by 'A. Smith' --without 26=dust");
  ASSERT_EQ(frozen.status, 0) << frozen.text;
  EXPECT_THAT(frozen.text, HasSubstr("1 series, results 2 to 27 (26), 1 left out"));
  EXPECT_THAT(frozen.text, HasSubstr("a false alarm each"));
  EXPECT_THAT(frozen.text, Not(HasSubstr("within phase 1")));

  const FrozenLimits limits = read_limits(limits_file(file_of_store(), "demo-board"));
  EXPECT_EQ(limits.by, "A. Smith");
  EXPECT_EQ(limits.removed[0].cause, "dust");
  // 25 values: 12 of 1204, 12 of 1202, one of 1203; 23 ranges of 2, and none across the result that was left out.
  EXPECT_DOUBLE_EQ(limits.series.begin()->second.mean, 1203);
  EXPECT_NEAR(limits.series.begin()->second.sigma, 2 / 1.128379167, 1e-9);

  for (int i = 0; i < 9; ++i) put(1203.5);  // 28 to 36
  const Output spc = ctl("spc --component U1 --frozen --json --store " + file_of_store());
  ASSERT_EQ(spc.status, 0) << spc.text;
  EXPECT_EQ(Json::parse(spc.text)["frozen"]["hits"].dump(), R"([{"rule":2,"first":28,"last":36}])");
  EXPECT_EQ(ctl("spc --frozen --store " + file_of_store()).status, 4);
}

TEST_F(ChartOfACell, LimitsAreOfTheRecipeTextInTheFolder) {
  alternate(30);
  std::ofstream(recipe_, std::ios::app) << "# another text\n";
  EXPECT_THAT(freeze("--by 'A. Smith'").text,
              HasSubstr("another text of the recipe than that in the folder"));
  EXPECT_FALSE(std::filesystem::exists(limits_file(file_of_store(), "demo-board")));
}

TEST_F(ChartOfACell, ADescriptionAndItsValuesAreTheDfqFileInTwo) {
  put(1203, "SN-1");
  const std::string which =
      "export --format aqdef --recipe-sha256 " + sha256_ + " --store " + file_of_store();
  ASSERT_EQ(ctl(which + " --output " + (folder_ / "lot.dfq").string()).status, 0);
  ASSERT_EQ(ctl(which + " --output " + (folder_ / "lot.dfd").string()).status, 0);
  const std::string description = bytes_of(folder_ / "lot.dfd"), values = bytes_of(folder_ / "lot.dfx");
  EXPECT_THAT(description, HasSubstr("K2142/1 um\r\n"));
  EXPECT_THAT(description, Not(HasSubstr("K0001/")));
  EXPECT_THAT(values, HasSubstr("K0001/1 1203\r\n"));
  EXPECT_EQ(description + values, bytes_of(folder_ / "lot.dfq"));
}

}  // namespace
}  // namespace chart_command_test
}  // namespace datum::quality
