// CFX messages: what a receiver concludes from them, and must never conclude.
#include "daemon/plant/cfx_messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "tests/daemon/scpi/fixture.h"

namespace datum {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

const std::string entry(64, 'a');
const std::string handle = "Datumd.Cell.0001";

Json body_of(const CfxMessage& message) {
  const Json whole = Json::parse(message.json);
  EXPECT_EQ(whole.at("MessageName"), message.name);
  EXPECT_EQ(whole.at("UniqueID"), message.id);
  EXPECT_EQ(whole.at("Source"), handle);
  EXPECT_EQ(whole.at("MessageBody").at("$type"), message.name + ", CFX");
  return whole.at("MessageBody");
}

Json inspected(const BoardVerdict& verdict) { return body_of(cfx_of(verdict, entry, handle).at(1)); }

BoardVerdict board_of(Decision decision) {
  BoardVerdict verdict = testing::board();
  verdict.decision = decision;
  for (ComponentVerdict& component : verdict.components) {
    component.decision = decision;
    component.checks.at(0).decision = decision;
  }
  return verdict;
}

TEST(CfxMessages, OnlyPassIsPassed) {
  EXPECT_EQ(inspected(board_of(Decision::pass)).at("InspectedUnits").at(0).at("OverallResult"), "Passed");
  for (const Decision decision : {Decision::inconclusive, Decision::fail, Decision::invalid}) {
    const std::string text = inspected(board_of(decision)).dump();
    for (const char* key : {"OverallResult", "Result"})
      EXPECT_EQ(text.find(std::string("\"") + key + "\":\"Passed\""), text.npos) << name_of(decision);
  }
  const Json doubtful = inspected(board_of(Decision::inconclusive)).at("InspectedUnits").at(0);
  EXPECT_EQ(doubtful.at("OverallResult"), "Failed");
  EXPECT_EQ(doubtful.at("Inspections").at(0).at("DefectsFound").at(0).at("DefectCode"), "INCONCLUSIVE");
}

TEST(CfxMessages, AnInvalidCheckHasNoValue) {
  BoardVerdict verdict = board_of(Decision::invalid);
  verdict.components.at(0).checks.at(0).value = 1234.5;
  verdict.components.at(0).checks.at(0).reason = Reason::floor_tilt;
  const Json inspection = inspected(verdict).at("InspectedUnits").at(0).at("Inspections").at(0);
  EXPECT_EQ(inspection.at("Result"), "Error");
  EXPECT_THAT(inspection.at("Error").get<std::string>(), HasSubstr("FLOOR_TILT"));
  EXPECT_TRUE(inspection.at("Measurements").empty());
  EXPECT_EQ(inspection.dump().find("1.2345"), std::string::npos);
  EXPECT_EQ(inspection.dump().find("1234.5"), std::string::npos);
}

TEST(CfxMessages, ABoardThatIsInvalidAsAWholeSaysWhy) {
  BoardVerdict verdict = testing::board();
  verdict.decision = Decision::invalid;
  verdict.reason = Reason::frame_stale;
  verdict.components.clear();
  const Json unit = inspected(verdict).at("InspectedUnits").at(0);
  EXPECT_EQ(unit.at("OverallResult"), "Error");
  EXPECT_THAT(unit.at("Inspections").at(0).at("Error").get<std::string>(), HasSubstr("FRAME_STALE"));
}

TEST(CfxMessages, ValuesHaveUnitLimitsAndUncertainty) {
  BoardVerdict verdict = board_of(Decision::pass);
  CheckVerdict& check = verdict.components.at(0).checks.at(0);
  check.value = 1160.25;
  check.u = 3.5;
  check.check.lower = 1140;
  const Json measured =
      inspected(verdict).at("InspectedUnits").at(0).at("Inspections").at(0).at("Measurements");
  EXPECT_EQ(measured.at(0).at("$type"), "CFX.Structures.NumericMeasurement, CFX");
  EXPECT_EQ(measured.at(0).at("MeasuredValue").at("Value"), 1.16025);
  EXPECT_EQ(measured.at(0).at("MeasuredValue").at("ValueUnits"), "mm");
  EXPECT_EQ(measured.at(0).at("MeasuredValue").at("MinimumAcceptableValue"), 1.14);
  EXPECT_THAT(measured.at(1).at("MeasurementName").get<std::string>(), HasSubstr("U (k=2)"));
  EXPECT_EQ(measured.at(1).at("MeasuredValue").at("Value"), 0.007);
}

TEST(CfxMessages, APanelHasAUnitForEachBoard) {
  BoardVerdict verdict = board_of(Decision::fail);
  verdict.reason = Reason::none;
  verdict.boards.resize(3);
  verdict.boards[0] = {"1-1", "SN-1", Decision::pass, Reason::none, "", {}, {}};
  verdict.boards[1] = {"2-1", "", Decision::fail, Reason::none, "", {}, {}};
  verdict.boards[2] = {"3-1", "", std::nullopt, Reason::skipped, "", {}, {}};
  verdict.components.resize(2);
  verdict.components[0].reference = "U1@1-1";
  verdict.components[1].reference = "U1@2-1";
  const Json units = inspected(verdict).at("InspectedUnits");
  ASSERT_EQ(units.size(), 3u);
  EXPECT_EQ(units[0].at("UnitIdentifier"), "SN-1");
  EXPECT_EQ(units[0].at("OverallResult"), "Passed");
  EXPECT_EQ(units[1].at("OverallResult"), "Failed");
  EXPECT_EQ(units[1].at("UnitPositionNumber"), 2);
  EXPECT_EQ(units[2].at("OverallResult"), "Skipped");
  const Json started = body_of(cfx_of(verdict, entry, handle).at(0)).at("Units");
  EXPECT_EQ(started[0].at("Status"), "Pass");
  EXPECT_EQ(started[1].at("Status"), "Fail");
  EXPECT_EQ(started[1].at("PositionName"), "2-1");
  EXPECT_EQ(started[2].at("Status"), "Skip");
  verdict.reason = Reason::panel;
  verdict.decision = Decision::invalid;
  EXPECT_EQ(inspected(verdict).at("InspectedUnits").at(0).at("OverallResult"), "Error");
}

TEST(CfxMessages, WhatIsSentAgainHasItsFormerIds) {
  const auto once = cfx_of(testing::board(), entry, handle), again = cfx_of(testing::board(), entry, handle),
             other = cfx_of(testing::board(), std::string(64, 'b'), handle);
  ASSERT_EQ(once.size(), 3u);
  std::set<std::string> ids;
  for (std::size_t i = 0; i < once.size(); ++i) {
    EXPECT_EQ(once[i].json, again[i].json);
    EXPECT_TRUE(ids.insert(once[i].id).second && ids.insert(other[i].id).second);
    EXPECT_TRUE(std::regex_match(
        once[i].id, std::regex("[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")));
  }
  const std::string started = body_of(once[0]).at("TransactionID");
  EXPECT_EQ(body_of(once[1]).at("TransactionId"), started);
  EXPECT_EQ(body_of(once[2]).at("TransactionID"), started);
}

TEST(CfxMessages, BytesOfAScannerStayJson) {
  BoardVerdict verdict = board_of(Decision::fail);
  verdict.unit_id = "\xff\x01\"},{\"OverallResult\":\"Passed\"";
  const Json unit = inspected(verdict).at("InspectedUnits").at(0);
  EXPECT_EQ(unit.at("OverallResult"), "Failed") << "the board's own";
}

}  // namespace
}  // namespace datum
