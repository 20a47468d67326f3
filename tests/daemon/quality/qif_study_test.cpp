// Statistics of a QIF file by the command: those of datumctl spc, of the measurements that they name.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/daemon/exchange/qif_document.h"
#include "tests/daemon/quality/quality_boards.h"
#include "tests/fresh_folder.h"
#include "tests/sample_file.h"

namespace datum {
namespace qif_study_test {
namespace {

using testing::QifDocument;
using testing::slurp;
using testing::valued_board;

struct Store {
  testing::FreshFolder folder;

  void keep(std::vector<BoardVerdict> boards) const {
    ResultStore store(folder / "results.db");
    for (BoardVerdict& v : boards) store.store(v);
  }
  int command(const std::string& more) const {
    return std::system(fmt::format("cd '{}' && '{}' {} --store results.db >out 2>err", folder.path().string(),
                                   DATUMCTL, more)
                           .c_str());
  }
  QifDocument exported() const {
    EXPECT_EQ(command("export --format qif --statistics --output s.qif"), 0) << slurp(folder / "err");
    return QifDocument(slurp(folder / "s.qif"));
  }
};

double value_of(const QifDocument& d, const std::string& name) {
  return std::strtod(d.text("//ValueStats/" + name + "/Value").c_str(), nullptr);
}

/// The worked series of capability, with limits 1192 and 1208 and nominal 1200.
std::vector<BoardVerdict> worked() {
  const double values[] = {1201.2, 1199.8, 1200.5, 1202.1, 1198.9, 1200.0, 1201.7, 1199.4, 1200.9, 1201.1,
                           1198.6, 1200.3, 1202.4, 1199.9, 1200.7, 1201.5, 1199.2, 1200.2, 1201.9, 1200.6};
  std::vector<BoardVerdict> boards;
  for (const double value : values) {
    boards.push_back(valued_board(static_cast<int>(boards.size()), value));
    Check& check = boards.back().components[0].checks[0].check;
    check.lower = 1192;
    check.upper = 1208;
    check.nominal = 1200;
  }
  return boards;
}

TEST(QifStudy, OfTheWorkedSeriesHasItsNumbers) {
  Store store;
  store.keep(worked());
  const QifDocument d = store.exported();
  testing::expect_sound(d);
  testing::expect_order_of_statistics(d);
  EXPECT_NEAR(value_of(d, "Cp"), 1.880632, 5.1e-7);
  EXPECT_NEAR(value_of(d, "Cpk"), 1.752514, 5.1e-7);
  EXPECT_NEAR(value_of(d, "Pp"), 2.484435, 5.1e-7);
  EXPECT_NEAR(value_of(d, "Ppk"), 2.315183, 5.1e-7);
  EXPECT_NEAR(value_of(d, "Average"), 1.200545, 5.1e-10);  // mm
  EXPECT_NEAR(value_of(d, "StandardDeviation"), 1.073349e-3, 5.1e-10);
  EXPECT_NEAR(value_of(d, "EstimatedStandardDeviation"), 1.417963e-3, 5.1e-10);
  EXPECT_NEAR(value_of(d, "AverageRange"), 1.6e-3, 5.1e-10);
  EXPECT_EQ(d.text("//ValueStats/Maximum/Value"), "1.2024");
  EXPECT_EQ(d.text("//ValueStats/Minimum/Value"), "1.1986");
  EXPECT_EQ(d.text("//ValueStats/Range/Value"), "0.0038");
  EXPECT_EQ(d.text("//TotalNumber/Value"), "20");
  EXPECT_EQ(d.text("//NumberOfSamples"), "20");
  EXPECT_EQ(d.count("//MeasuredIds/Ids/Id"), 20u);
}

TEST(QifStudy, NamesWhatIsInvalidAndLeavesRepeatsAndOlderSegmentsOut) {
  Store store;
  std::vector<BoardVerdict> boards{valued_board(1, 1300), valued_board(2, 1200, "SN1"),
                                   valued_board(3, 1190, "SN1"), valued_board(4, std::nullopt, "SN2"),
                                   valued_board(5, 1204, "SN3")};
  for (std::size_t i = 1; i < boards.size(); ++i) boards[i].calibration_sha256 = "ef56";
  store.keep(boards);
  const QifDocument d = store.exported();
  testing::expect_sound(d);
  testing::expect_order_of_statistics(d);
  const auto measurement = [&](int result) {
    return d.text(fmt::format("//MeasurementResults[{}]//CharacteristicMeasurements/*[1]/@id", result));
  };
  EXPECT_EQ(d.texts("//MeasuredIds/Ids/Id"),
            (std::set<std::string>{measurement(2), measurement(4), measurement(5)}));
  EXPECT_EQ(d.texts("//Exclusion/Id"), (std::set<std::string>{measurement(4)}));
  EXPECT_EQ(d.text("//TotalNumber/Value"), "3");
  EXPECT_EQ(d.text("//EffectiveNumber/Value"), "2");
  EXPECT_EQ(d.text("//ValueStats/Average/Value"), "1.202");
  EXPECT_EQ(d.text("//CapabilityStudyResults/Attributes/AttributeStr[@name='left_out_repeats']/@value"), "1");
  EXPECT_EQ(d.text("//HeightCharacteristicStats//AttributeStr[@name='calibration_sha256']/@value"), "ef56");
  EXPECT_EQ(d.text("//HeightCharacteristicStats//AttributeStr[@name='first']/@value"), "2");
  // A third of the values is INVALID: no index, and the reason.
  EXPECT_EQ(d.count("//ValueStats/Cpk | //ValueStats/Ppk | //ValueStats/Cp | //ValueStats/Pp"), 0u);
  EXPECT_THAT(d.text("//HeightCharacteristicStats//AttributeStr[@name='notes']/@value"),
              ::testing::HasSubstr("INVALID"));
}

TEST(QifStudy, CountsValuesBeyondALimitWhateverTheirDecision) {
  Store store;
  std::vector<BoardVerdict> boards = worked();
  boards[3].components[0].checks[0].value = 1208.5;  // U lets it be INCONCLUSIVE
  boards[3].components[0].checks[0].decision = Decision::inconclusive;
  boards[4].components[0].checks[0].value = 1191.5;
  store.keep(boards);
  const QifDocument d = store.exported();
  EXPECT_EQ(d.text("//NumberOutOfTolerance/Value"), "2");
  EXPECT_EQ(d.text("//NumberOverUpperTolerance/Value"), "1");
  EXPECT_EQ(d.text("//NumberUnderLowerTolerance/Value"), "1");
}

TEST(QifStudy, RefusesWhatWouldNotBeTheProcess) {
  Store store;
  store.keep(worked());
  for (const char* more :
       {"export --format csv --statistics", "export --format qif --statistics --decision PASS",
        "export --format qif --statistics --unit SN1"})
    EXPECT_NE(store.command(more), 0) << more;
  EXPECT_EQ(store.command("export --format qif --output plain.qif"), 0);
  EXPECT_EQ(QifDocument(slurp(store.folder / "plain.qif")).count("//Statistics"), 0u);
}

}  // namespace
}  // namespace qif_study_test
}  // namespace datum
