// QIF documents: what a reader takes from them, and what it must never take.
#include "daemon/exchange/qif.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <random>
#include <set>

#include "daemon/exchange/shifted_decimal.h"
#include "daemon/store/result_export.h"
#include "tests/daemon/exchange/qif_boards.h"
#include "tests/daemon/exchange/qif_document.h"
#include "tests/daemon/scpi/fixture.h"
#include "tests/fresh_folder.h"

namespace datum {
namespace {

using testing::document_of;
using testing::expect_sound;
using ::testing::HasSubstr;
using testing::numbers_of;
using testing::of_all_kinds;
using testing::result_of;
using Document = testing::QifDocument;

TEST(Qif, HasAResultForEachBoardAndAMeasurementForEachCharacteristic) {
  const Document d(document_of({result_of(12), result_of(13)}));
  expect_sound(d);
  EXPECT_EQ(d.text("/QIFDocument/@versionQIF"), "3.0.0");
  EXPECT_STREQ(d.xml.first_child().attribute("xmlns").value(), "http://qifstandards.org/xsd/qif3");
  EXPECT_EQ(d.texts("//SignificanceModifier"), std::set<std::string>{"SM"});
  EXPECT_EQ(d.count("//MeasurementResults"), 2u);
  EXPECT_EQ(d.count("//CharacteristicMeasurements/*"), 6u);
  EXPECT_EQ(d.text("//Part/ModelNumber"), "mainboard");
  EXPECT_EQ(d.text("//Part/Version"), "ab12");
  EXPECT_EQ(d.text("//MeasurementDevice/SerialNumber"), "S1");
  EXPECT_EQ(d.text("//LinearUnit/UnitName"), "mm");
  EXPECT_EQ(d.text("//HeightCharacteristicDefinition[1]/Tolerance/MaxValue"), "1.1805");
  EXPECT_EQ(d.text("//HeightCharacteristicDefinition[1]/Tolerance/MinValue"), "1.14");
  EXPECT_EQ(d.text("//HeightCharacteristicNominal[1]/TargetValue"), "1.16");
  EXPECT_EQ(d.text("//HeightCharacteristicItem[1]/Name"), "U1 median");
  const std::string first = "//MeasurementResults[1]";
  EXPECT_EQ(d.text(first + "//AttributeStr[@name='sequence']/@value"), "12");
  EXPECT_EQ(d.text(first + "//AttributeStr[@name='recipe_sha256']/@value"), "ab12");
  EXPECT_EQ(d.text(first + "//AttributeStr[@name='code']/@value"), "0.1.0 test");
  EXPECT_EQ(d.text(first + "//InspectionStart"), "2026-11-21T07:18:17.123456Z");
  const std::string value = first + "//CharacteristicMeasurements/*[1]/Value";
  EXPECT_EQ(d.text(value), "1.16025");
  EXPECT_EQ(d.text(value + "/@combinedUncertainty"), "0.00125");
  EXPECT_EQ(d.text(value + "/@meanError"), "0");
  EXPECT_EQ(d.text(value + "/@decimalPlaces"), "4");
  EXPECT_EQ(d.text("//ActualComponent[1]/SerialNumber"), "SN-7");
}

TEST(Qif, EachCharacteristicHasItsKindUnitAndLimits) {
  const Document d(document_of({of_all_kinds(1)}));
  expect_sound(d);
  EXPECT_EQ(d.count("//UserDefinedAngularCharacteristicDefinition"), 2u);
  EXPECT_EQ(d.count("//UserDefinedUnitCharacteristicDefinition"), 2u);
  EXPECT_EQ(d.count("//UserDefinedLinearCharacteristicDefinition"), 2u);
  EXPECT_EQ(d.count("//ThicknessCharacteristicDefinition"), 1u);
  EXPECT_EQ(d.text("//AngularUnit/UnitName"), "degree");
  EXPECT_EQ(d.text("//UserDefinedAngularCharacteristicMeasurement[1]/Value"), "0.123456");
  EXPECT_EQ(d.text("//UserDefinedAngularCharacteristicDefinition[1]/Tolerance/MaxValue"), "0.8");
  EXPECT_EQ(d.count("//UserDefinedAngularCharacteristicDefinition[1]/Tolerance/MinValue"), 0u);
  EXPECT_EQ(d.text("//UserDefinedAngularCharacteristicMeasurement[2]/Value"), "-0.0005");
  EXPECT_EQ(d.texts("//UserDefinedUnit/UnitName"), (std::set<std::string>{"percent", "permille"}));
  EXPECT_EQ(d.text("//Value[@unitName='permille']"), "987.5");
  EXPECT_EQ(d.text("//TargetValue[@unitName='permille']"), "1000");
  EXPECT_EQ(d.count("//UserDefinedUnitCharacteristicNominal[1]//AttributeStr[@name='target']"), 1u);
  EXPECT_EQ(d.text("//MinValue[@unitName='percent']"), "70");
  EXPECT_EQ(d.text("//UserDefinedLinearCharacteristicMeasurement[1]/Value"), "-0.0125");
}

TEST(Qif, WhatIsInvalidHasNoValueAndIsNeverPass) {
  BoardVerdict whole = result_of(2), absent = result_of(3), nothing = result_of(4), infinite = result_of(5);
  whole.reason = Reason::pose_stale;  // the parts have values and passed
  whole.detail = "the position is 12 s old";
  absent.components.pop_back();
  nothing.components.clear();
  nothing.reason = Reason::pose_missing;
  infinite.components[0].checks[0].value = std::numeric_limits<double>::quiet_NaN();
  const Document d(document_of({result_of(1), whole, absent, nothing, infinite}));
  expect_sound(d);
  const auto status = [&](int result, int row) {
    return d.text(fmt::format(
        "//MeasurementResults[{}]//CharacteristicMeasurements/*[{}]//CharacteristicStatusEnum", result, row));
  };
  EXPECT_EQ(status(1, 1), "PASS");
  EXPECT_EQ(status(1, 2), "FAIL");
  EXPECT_EQ(status(1, 3), "NOT_ANALYZED");
  EXPECT_EQ(
      d.text("//MeasurementResults[1]//CharacteristicMeasurements/*[3]//AttributeStr[@name='reason']/@value"),
      "FLOOR_INLIER_RATIO");
  for (const int row : {1, 2, 3}) {
    EXPECT_EQ(status(2, row), "NOT_ANALYZED");
    EXPECT_EQ(status(4, row), "NOT_ANALYZED");
  }
  EXPECT_EQ(
      d.text("//MeasurementResults[2]//CharacteristicMeasurements/*[1]//AttributeStr[@name='reason']/@value"),
      "POSE_STALE");
  EXPECT_EQ(status(3, 3), "NOT_ANALYZED");
  EXPECT_EQ(status(5, 1), "NOT_ANALYZED");
  EXPECT_EQ(d.count("//CharacteristicMeasurements/*[Value][Status/CharacteristicStatusEnum='NOT_ANALYZED']"),
            0u);
  EXPECT_EQ(
      d.count("//CharacteristicMeasurements/*[not(Value)][Status/CharacteristicStatusEnum!='NOT_ANALYZED']"),
      0u);
  EXPECT_EQ(d.texts("//InspectionStatusEnum"), (std::set<std::string>{"NOT_CALCULATED"}));
}

TEST(Qif, InconclusiveIsIndeterminate) {
  BoardVerdict board = result_of(1);
  board.decision = Decision::inconclusive;
  board.components[2].checks[0].decision = Decision::inconclusive;
  const Document d(document_of({board}));
  EXPECT_EQ(d.text("//MeasurementResults//InspectionStatusEnum"), "UNKNOWN");
  EXPECT_EQ(d.text("//CharacteristicMeasurements/*[3]//CharacteristicStatusEnum"), "INDETERMINATE");
}

TEST(Qif, BoardsOfAPanelAreComponents) {
  BoardVerdict panel = result_of(1);
  panel.components[0].reference = "U1@1-1";
  panel.components[1].reference = "U1@2-1";
  panel.components.pop_back();
  panel.boards = {{"1-1", "A", Decision::pass, Reason::none, "", {}, std::nullopt},
                  {"2-1", "B", std::nullopt, Reason::skipped, "marked", {}, std::nullopt}};
  const Document d(document_of({panel, panel}));
  expect_sound(d);
  EXPECT_EQ(d.count("//ActualComponent"), 6u);
  const auto serial_of = [&](int row) {
    return d.text(
        fmt::format("//ActualComponent[@id=//MeasurementResults[2]//CharacteristicMeasurements/*[{}]/"
                    "ActualComponentId]/SerialNumber",
                    row));
  };
  EXPECT_EQ(serial_of(1), "A");
  EXPECT_EQ(serial_of(2), "B");
  EXPECT_EQ(d.text("//ActualComponent[SerialNumber='B']//InspectionStatusEnum"), "NOT_MEASURED");
}

TEST(Qif, AHostileTextStaysText) {
  BoardVerdict hostile = result_of(1);
  hostile.unit_id = "</SerialNumber><Status/>&\"'=cmd|' /C calc'!A0\x01\x1b\r\n\xC3\xA4\xFF%41]]>";
  hostile.recipe = "<!--";
  hostile.components[0].reference = "U<1>&\"\x02";
  hostile.components[2].checks[0].detail = "<script>";
  const Document d(document_of({hostile}));
  expect_sound(d);
  EXPECT_EQ(d.text("//SerialNumber[../Status]"),
            "</SerialNumber><Status/>&\"'=cmd|' /C calc'!A0%01%1B%0D%0A%C3%A4%FF%2541]]>");
  EXPECT_EQ(d.text("//ModelNumber"), "<!--");
  EXPECT_EQ(d.text("//CharacteristicItems/*[1]/Name"), "U<1>&\"%02 median");
  EXPECT_EQ(d.count("//script"), 0u);
  BoardVerdict timeless = result_of(1);
  timeless.measured_at = "2026-11-21T07:18:17.\"Z";
  EXPECT_EQ(Document(document_of({timeless})).count("//InspectionStart"), 0u);
}

TEST(Qif, TheSameResultsHaveTheSameBytesAndOthersAnotherIdentity) {
  EXPECT_EQ(document_of({result_of(1), result_of(2)}), document_of({result_of(1), result_of(2)}));
  BoardVerdict other = result_of(2);
  other.components[0].checks[0].value = std::nextafter(other.components[0].checks[0].value, 0);
  const auto id = [](const std::vector<BoardVerdict>& boards) {
    return Document(document_of(boards)).text("/QIFDocument/QPId");
  };
  EXPECT_NE(id({result_of(1), result_of(2)}), id({result_of(1), other}));
  EXPECT_THAT(id({other}),
              ::testing::MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
}

/// Parts of a decimal that moves back by so many places.
double read_back(std::string text, int places) {
  return std::strtod((text + "e" + std::to_string(places)).c_str(), nullptr);
}

TEST(Qif, EveryDigitOfTheStoreReadsBack) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    const double value = std::uniform_real_distribution(1.0, 10.0)(random) * (i % 2 == 0 ? 1 : -1) *
                         std::pow(10, std::uniform_int_distribution(-5, 8)(random));
    for (const int places : {0, 3}) {
      const std::string text = shifted_decimal(value, places);
      ASSERT_EQ(read_back(text, places), value) << text;
      ASSERT_THAT(text, ::testing::MatchesRegex("-?[0-9]+(\\.[0-9]+)?"));
    }
  }
  EXPECT_EQ(shifted_decimal(1160.25, 3), "1.16025");
  EXPECT_EQ(shifted_decimal(-0.0, 3), "0");
  EXPECT_EQ(shifted_decimal(1e-300, 3), "0");
  EXPECT_EQ(shifted_decimal(5e22, 0), "50000000000000000000000");
  EXPECT_EQ(shifted_decimal(-7, 3), "-0.007");
}

TEST(Qif, AFileIsOfOneRecipeOfSomethingAndOfTheSameResults) {
  BoardVerdict other = result_of(2), empty = result_of(1);
  other.recipe_sha256 = "cd34";
  empty.components.clear();
  EXPECT_THROW(document_of({result_of(1), other}), std::invalid_argument);
  EXPECT_THROW(document_of({}), std::invalid_argument);
  EXPECT_THROW(document_of({empty}), std::invalid_argument);
  QifFile changed;
  for (const std::uint64_t n : {1, 2})
    changed.describe(row_of(result_of(n), to_json(result_of(n))), result_of(n));
  changed.begin();
  changed.result(result_of(1));
  changed.components();
  changed.component(result_of(1));
  EXPECT_THROW(changed.end(), std::runtime_error);
}

TEST(Qif, StatisticsNameTheMeasurementsThatTheyAreOf) {
  std::vector<QifStatistics> all;
  for (std::size_t i = 0; i < 11; ++i) all.push_back(numbers_of(i));
  const Document d(document_of({of_all_kinds(1), of_all_kinds(2)}, all));
  expect_sound(d);
  testing::expect_order_of_statistics(d);
  EXPECT_EQ(
      d.count(
          "/QIFDocument/Statistics/StatisticalStudiesResults/CapabilityStudyResults/CharacteristicsStats/*"),
      11u);
  EXPECT_STREQ(d.xml.select_node("//Statistics").node().previous_sibling().name(), "Results");
  for (int i = 1; i <= 11; ++i) {
    const std::string stats = fmt::format("//CharacteristicsStats/*[{}]", i);
    for (int result = 1; result <= 2; ++result)
      EXPECT_EQ(
          d.text(fmt::format("{}/MeasuredIds/Ids/Id[{}]", stats, result)),
          d.text(fmt::format("//MeasurementResults[{}]//CharacteristicMeasurements/*[{}]/@id", result, i)));
    EXPECT_EQ(d.text(stats + "//Exclusion/Id"), d.text(stats + "/MeasuredIds/Ids/Id[2]"));
    EXPECT_EQ(d.text(stats + "/Attributes/AttributeStr[@name='name']/@value"),
              d.text(fmt::format("//CharacteristicItems/*[{}]/Name", i)));
  }
  EXPECT_EQ(d.text("//HeightCharacteristicStats[1]/ValueStats/Average/Value"), "1.16025");  // mm
  EXPECT_EQ(d.text("//UserDefinedAngularCharacteristicStats[1]/ValueStats/Average/Value"),
            "1.16025");  // degrees
  EXPECT_EQ(d.text("//ValueStats[@unitName='permille']/Average/Value"), "1160.25");
  EXPECT_EQ(d.text("//HeightCharacteristicStats[1]/ValueStats/Cpk/Value"), "1.5");
  EXPECT_EQ(d.text("//NumberOfSamples"), "2");
  EXPECT_EQ(d.count("//StatsEvalStatusEnum[.!='INFORMATIONAL']"), 0u);
}

TEST(Qif, StatisticsOfNothingAreRefused) {
  QifFile file;
  const BoardVerdict board = result_of(1);
  file.describe(row_of(board, to_json(board)), board);
  file.begin(true);
  EXPECT_THROW(file.begin_study({"mainboard", "", {}, 0, 1}), std::invalid_argument);
  EXPECT_THROW(file.begin_study({"mainboard", "", {}, 1, 0}), std::invalid_argument);
}

}  // namespace
}  // namespace datum
