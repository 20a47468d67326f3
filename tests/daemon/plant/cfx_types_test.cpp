// Every message against the types of the SDK's sources (cfx.schema.json), by a validator of another make; and what the chain holds
// beside results.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "daemon/plant/cfx_faults.h"
#include "daemon/plant/cfx_messages.h"
#include "daemon/plant/cfx_statements.h"
#include "daemon/store/act_records.h"
#include "daemon/store/chart_records.h"
#include "daemon/store/check_records.h"
#include "daemon/store/result_chain.h"
#include "tests/daemon/scpi/fixture.h"
#include "tests/house/output_of.h"

namespace datum {
namespace cfx_types_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Json = nlohmann::json;

const std::string handle = "Datumd.Cell.0001";
std::string entry_of(char c) { return std::string(64, c); }

/// Of the first message that is not valid, where and why; empty: they are valid.
std::string faults_of(const Json& messages) {
  const testing::FreshFolder folder;
  const auto file = folder.write("messages.json", messages.dump());
  const auto script = folder.write("validate.py", R"(import json, sys, jsonschema
schema = json.load(open(sys.argv[2]))
one = {**schema["definitions"]["envelope"], "definitions": schema["definitions"]}
for message in json.load(open(sys.argv[1])):
    error = jsonschema.exceptions.best_match(jsonschema.Draft7Validator(one).iter_errors(message), key=lambda e: len(e.absolute_path))
    if error:
        sys.exit(f"{message['MessageName']}: {list(error.absolute_path)}: {error.message[-300:]}")
)");
  const testing::Output out =
      testing::output_of("/usr/bin/python3 " + script.string() + " " + file.string() +
                         " " DATUM_SOURCE_DIR "/tests/daemon/plant/cfx.schema.json 2>&1");
  return out.status == 0 ? "" : "status " + std::to_string(out.status) + ": " + out.text;
}
bool has_validator() { return testing::output_of("/usr/bin/python3 -c 'import jsonschema'").status == 0; }

/// A board with a check of each decision in each characteristic that there is, and with each defect.
BoardVerdict of_everything(Decision decision) {
  BoardVerdict verdict = testing::board();
  verdict.decision = decision;
  verdict.reason = Reason::none;
  const ComponentVerdict model = verdict.components.at(0);
  verdict.components.clear();
  int n = 0;
  for (const Decision d : {Decision::pass, Decision::inconclusive, Decision::fail, Decision::invalid})
    for (int word = -1; word <= static_cast<int>(Defect::bridged); ++word) {
      ComponentVerdict component = model;
      component.reference = "C" + std::to_string(++n);
      component.decision = d;
      for (CheckVerdict& check : component.checks) {
        check.decision = d;
        check.reason = d == Decision::invalid ? Reason::floor_tilt : Reason::none;
        if (d == Decision::invalid) check.value = std::numeric_limits<double>::quiet_NaN();
      }
      if (word >= 0 && d != Decision::pass)
        component.defect = DefectEvidence{static_cast<Defect>(word), "seen", {}};
      verdict.components.push_back(component);
    }
  return verdict;
}

BoardVerdict panel() {
  BoardVerdict verdict = of_everything(Decision::fail);
  verdict.boards.resize(3);
  verdict.boards[0] = {"1-1", "SN-1", Decision::pass, Reason::none, "", {}, {}};
  verdict.boards[1] = {"2-1", "", Decision::invalid, Reason::alignment, "turned", {}, {}};
  verdict.boards[2] = {"3-1", "", std::nullopt, Reason::skipped, "", {}, {}};
  for (std::size_t i = 0; i < verdict.components.size(); ++i)
    verdict.components[i].reference += i % 2 ? "@1-1" : "@2-1";
  return verdict;
}

/// `after`: the result that is hit; of an acknowledgement the newest one that the person saw.
std::string chart(ChartStep step, std::uint64_t after, bool disarms) {
  ChartRecord r;
  r.recipe = "main board";
  r.step = step;
  r.utc_s = 1'795'400'000;
  r.by = step == ChartStep::hit ? "" : "A. Berger";
  r.after = r.seen = after;
  r.hits = 1;
  r.disarms = disarms;
  r.listed = {{"U1 median", "EWMA", 31, after}};
  return to_statement(r);
}

std::vector<std::string> statements() {
  CheckRecord check;
  check.id = 3;
  check.name = "golden";
  check.utc_s = 1'795'400'000;
  check.why = "shift";
  check.values = {
      {"U1", "height", "um", 1200, 0.5, 4, 1201.25, 1.5, 1.9, 0.8, true},
      {"U2", "height", "um", 900, 0.5, 4, std::numeric_limits<double>::quiet_NaN(), 1.5, 1.9, 0.8, false}};
  std::vector<std::string> all;
  for (const CheckStep step :
       {CheckStep::due, CheckStep::check, CheckStep::failed, CheckStep::override_, CheckStep::valid}) {
    check.step = step;
    check.by = step == CheckStep::override_ ? "Jane \xff" : "";
    all.push_back(to_statement(check));
  }
  const std::string utc = "2026-11-23T02:13:20Z";
  all.push_back(to_statement(Deed{"tcp 10.0.0.5:50112", "operate", "INITiate", 2, utc, "CN=plc"}));
  all.push_back(to_statement(Renewal{"a", "b", 7, 9, "set back", utc}));
  Removal removal;
  removal.rule = "older than 1 day";
  removal.utc = utc;
  all.push_back(to_statement(removal));
  all.push_back(made_statement(utc));
  all.push_back(migrated_statement(3, 100, utc));
  for (const ChartStep step : {ChartStep::limits, ChartStep::hit, ChartStep::acknowledged})
    all.push_back(chart(step, 41, false));
  all.push_back(to_statement(
      ActRecord{ActKind::study_start, "grr-1", "A. Berger", utc, "60 runs", std::string(64, 'f'), utc}));
  return all;
}

Json all_messages() {
  Json all = Json::array();
  const auto add = [&](const CfxMessage& m) { all.push_back(Json::parse(m.json)); };
  OpenFaults open;
  char entry = 'a';
  for (const BoardVerdict& verdict : {of_everything(Decision::pass), of_everything(Decision::fail), panel()})
    for (const auto& m : cfx_of(verdict, entry_of(entry++), handle)) add(m);
  BoardVerdict stale = testing::board();
  stale.decision = Decision::invalid;
  stale.reason = Reason::frame_stale;
  stale.components.clear();
  for (const auto& m : cfx_of(stale, entry_of('s'), handle)) add(m);
  for (const auto& m : cfx_faults_of(stale, cfx_transaction(entry_of('s')), entry_of('s'), handle, open))
    add(m);
  for (const auto& m :
       cfx_faults_of(testing::board(), cfx_transaction(entry_of('t')), entry_of('t'), handle, open))
    add(m);
  add(cfx_recipe(panel(), entry_of('r'), handle));
  add(cfx_calibration(panel(), cfx_transaction(entry_of('r')), entry_of('r'), handle));
  for (const std::string& statement : statements())
    for (const auto& m : cfx_of_statement(statement, entry_of(entry++), handle, open)) add(m);
  const CfxOrigin origin{handle, "2026-11-23T02:13:20Z"};
  add(cfx_gap(origin, "store", 3, 9));
  add(cfx_connected(origin, "1"));
  add(cfx_online(origin, "2", 200'000));
  add(cfx_heartbeat(origin, "3", 300));
  add(cfx_shutting_down(origin, "4"));
  return all;
}

TEST(CfxTypes, EveryMessageIsValid) {
  if (!has_validator()) GTEST_SKIP() << "no python3-jsonschema";
  const Json all = all_messages();
  std::set<std::string> names;
  for (const Json& message : all) names.insert(message.at("MessageName"));
  EXPECT_EQ(names.size(), 12u) << "each type that is sent";
  EXPECT_EQ(faults_of(all), "");
}

TEST(CfxTypes, WhatACSharpConstructorWouldFillInIsDemanded) {
  if (!has_validator()) GTEST_SKIP() << "no python3-jsonschema";
  const Json all = all_messages();
  const auto without = [&](const char* name, const Json::json_pointer& of, const char* key) {
    for (Json message : all)
      if (message.at("MessageName").get<std::string>().ends_with(name)) {
        message.at(of).erase(key);
        return faults_of(Json::array({message}));
      }
    return std::string();
  };
  using Pointer = Json::json_pointer;
  EXPECT_NE(without("UnitsInspected", Pointer("/MessageBody/InspectedUnits/0"), "OverallResult"), "");
  EXPECT_NE(without("UnitsInspected", Pointer("/MessageBody"), "InspectionMethod"), "");
  EXPECT_NE(without("UnitsInspected", Pointer("/MessageBody/InspectedUnits/0/Inspections/0"), "Result"), "");
  EXPECT_NE(without("FaultOccurred", Pointer("/MessageBody/Fault"), "Severity"), "");
  EXPECT_NE(without("WorkStarted", Pointer("/MessageBody/Units/0"), "Status"), "");
}

struct Told {
  std::vector<std::string> names;
  Json last;
};
Told told(const std::string& statement, char entry, OpenFaults& open) {
  Told t;
  for (const auto& m : cfx_of_statement(statement, entry_of(entry), handle, open)) {
    t.names.push_back(m.name.substr(m.name.rfind('.') + 1));
    t.last = Json::parse(m.json);
  }
  return t;
}

TEST(CfxStatements, AReferenceCheckIsACalibrationAndWhatItForbidsAFault) {
  const auto all = statements();
  OpenFaults open;
  Told t = told(all[0], 'a', open);  // DUE
  EXPECT_THAT(t.names, ElementsAre("FaultOccurred"));
  EXPECT_EQ(t.last["MessageBody"]["Fault"]["Severity"], "Warning");
  EXPECT_THAT(told(all[0], 'b', open).names, IsEmpty()) << "it is open";
  EXPECT_THAT(told(all[1], 'c', open).names, ElementsAre("LogEntryRecorded"));
  t = told(all[2], 'd', open);  // FAILED
  EXPECT_THAT(t.names, ElementsAre("CalibrationPerformed", "FaultCleared", "FaultOccurred"));
  EXPECT_EQ(t.last["MessageBody"]["Fault"]["Severity"], "Error");
  const std::string occurrence = t.last["MessageBody"]["Fault"]["FaultOccurrenceId"];
  t = told(all[3], 'e', open);  // OVERRIDE
  EXPECT_THAT(t.names, ElementsAre("LogEntryRecorded"));
  EXPECT_THAT(t.last["MessageBody"]["Message"].get<std::string>(), HasSubstr("Jane"));
  t = told(all[4], 'f', open);  // VALID
  EXPECT_THAT(t.names, ElementsAre("CalibrationPerformed", "FaultCleared"));
  EXPECT_EQ(t.last["MessageBody"]["FaultOccurrenceId"], occurrence);
  EXPECT_TRUE(open.empty());
}

TEST(CfxStatements, ACalibrationHasEachValueThatWasMeasured) {
  OpenFaults open;
  const auto messages = cfx_of_statement(statements()[4], entry_of('a'), handle, open);
  const Json calibration = Json::parse(messages.at(0).json)["MessageBody"]["Calibration"];
  ASSERT_EQ(calibration["Measurements"].size(), 2u) << "U1 and its uncertainty; U2 has no value";
  const Json value = calibration["Measurements"][0]["MeasurementValue"];
  EXPECT_EQ(value["Value"], 1.20125);
  EXPECT_EQ(value["ValueUnits"], "mm");
  EXPECT_EQ(value["ExpectedValue"], 1.2);
  EXPECT_EQ(value["MinimumAcceptableValue"], 1.196);
  EXPECT_EQ(calibration["Measurements"][1]["MeasurementValue"]["Value"], 0.0015);
}

TEST(CfxStatements, ACommandNamesItsHostAndAStatementOfAnotherVersionItself) {
  OpenFaults open;
  const Told command = told(statements()[5], 'a', open);
  EXPECT_EQ(command.last["MessageBody"]["InformationId"], "COMMAND");
  for (const char* part : {"10.0.0.5", "operate", "CN=plc", "INITiate", "2 before it are not listed"})
    EXPECT_THAT(command.last["MessageBody"]["Message"].get<std::string>(), HasSubstr(part));
  EXPECT_EQ(command.last["TimeStamp"], "2026-11-23T02:13:20Z");
  for (const char* strange : {"", "{", "[]", R"({"what":7})", R"({"what":"check"})"})
    EXPECT_THAT(told(strange, 'b', open).names, ElementsAre("LogEntryRecorded")) << strange;
}

TEST(CfxStatements, AHitOfAControlChartIsAFaultUntilItsNewestHitIsAcknowledged) {
  OpenFaults open;
  char entry = 'a';
  const auto names = [&](const std::string& statement) {
    std::vector<std::string> all;
    for (const CfxMessage& m : cfx_of_statement(statement, entry_of(entry++), handle, open)) {
      const Json body = Json::parse(m.json).at("MessageBody");
      const bool fault = body.contains("Fault");
      all.push_back(m.name.substr(m.name.rfind('.') + 1) +
                    (fault ? " " + body["Fault"]["Severity"].get<std::string>() : ""));
    }
    return all;
  };
  EXPECT_THAT(names(chart(ChartStep::limits, 30, false)), ElementsAre("LogEntryRecorded"));
  EXPECT_THAT(names(chart(ChartStep::hit, 41, false)), ElementsAre("FaultOccurred Warning"));
  EXPECT_THAT(names(chart(ChartStep::hit, 42, false)), IsEmpty()) << "it is open";
  EXPECT_THAT(names(chart(ChartStep::hit, 43, true)), ElementsAre("FaultOccurred Error"));
  EXPECT_THAT(names(chart(ChartStep::acknowledged, 42, false)),
              ElementsAre("FaultCleared", "LogEntryRecorded"))
      << "the cell is still disarmed by 43";
  EXPECT_THAT(names(chart(ChartStep::acknowledged, 43, false)),
              ElementsAre("FaultCleared", "LogEntryRecorded"));
  EXPECT_THAT(open, IsEmpty());
}

}  // namespace
}  // namespace cfx_types_test
}  // namespace datum
