#include "daemon/plant/cfx_statements.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <string_view>

#include "config/guid.h"
#include "daemon/plant/cfx_units.h"
#include "daemon/store/chart_records.h"
#include "daemon/store/check_records.h"
#include "daemon/store/result_chain.h"

namespace datum {
namespace {

using Json = nlohmann::ordered_json;

CfxMessage log_entry(const CfxOrigin& origin, const std::string& entry, const char* what,
                     const std::string& text, const char* importance) {
  return cfx_envelope("CFX.ResourcePerformance.LogEntryRecorded", origin, guid_of(entry + "|log"),
                      {{"InformationId", what},
                       {"Message", text},
                       {"Importance", importance},
                       {"Lane", nullptr},
                       {"Stage", nullptr}});
}

/// Values as measured on the artefact, with the certified one and the permissible error as limits.
Json measurements_of(const CheckRecord& record) {
  Json all = Json::array();
  for (const CheckedValue& v : record.values) {
    if (!std::isfinite(v.mean)) continue;  // it could not be measured; Comments say FAILED
    const CfxUnit unit = cfx_unit(v.unit);
    all.push_back({{"MeasurementName", v.component + " " + v.characteristic},
                   {"MeasurementValue",
                    {{"Value", unit.of(v.mean)},
                     {"ValueUnits", unit.name},
                     {"ExpectedValue", unit.of(v.certified)},
                     {"ExpectedValueUnits", unit.name},
                     {"MinimumAcceptableValue", unit.of(v.certified - v.maximum_permissible)},
                     {"MinimumAcceptableValueUnits", unit.name},
                     {"MaximumAcceptableValue", unit.of(v.certified + v.maximum_permissible)},
                     {"MaximumAcceptableValueUnits", unit.name}}}});
    all.push_back({{"MeasurementName", v.component + " " + v.characteristic + " U (k=2)"},
                   {"MeasurementValue", {{"Value", unit.of(v.expanded)}, {"ValueUnits", unit.name}}}});
  }
  return all;
}

CfxMessage performed(const CfxOrigin& origin, const std::string& id, const std::string& code,
                     const std::string& comments, Json measurements, const Json& transaction) {
  return cfx_envelope("CFX.ResourcePerformance.CalibrationPerformed", origin, id,
                      {{"Calibration",
                        {{"CalibrationCode", code},
                         {"CalibrationType", "General"},
                         {"Comments", comments},
                         {"CalibrationTime", nullptr},
                         {"Measurements", std::move(measurements)}}},
                       {"TransactionID", transaction}});
}

std::vector<CfxMessage> check_messages(const CheckRecord& record, const CfxOrigin& origin,
                                       const std::string& entry, OpenFaults& open) {
  std::vector<CfxMessage> messages;
  const std::string key = "check " + record.name, words = words_of(record);
  const auto performed_now = [&] {
    messages.push_back(
        performed(origin, guid_of(entry + "|calibration"), key, words, measurements_of(record), nullptr));
  };
  CfxFault fault{key, "REFERENCE_CHECK"};
  fault.description = words;
  switch (record.step) {
    case CheckStep::valid:
      performed_now();
      clear_fault(messages, key, origin, entry, open);
      break;
    case CheckStep::failed:
      performed_now();
      // What was a warning has become an error: another occurrence.
      clear_fault(messages, key, origin, entry, open);
      add_fault(messages, fault, origin, entry, open);
      break;
    case CheckStep::due:
      fault.severity = "Warning";
      add_fault(messages, fault, origin, entry, open);
      break;
    case CheckStep::override_:
      messages.push_back(log_entry(origin, entry, "REFERENCE_CHECK", words, "Warning"));
      break;
    case CheckStep::check:
      messages.push_back(log_entry(origin, entry, "REFERENCE_CHECK", words, "Information"));
      break;
  }
  return messages;
}

/// Key of an open fault of a recipe's chart, which has the newest hit's result behind its kind: "chart 41 psu". Empty: none is open.
std::string open_chart(const OpenFaults& open, const char* kind, const std::string& recipe) {
  for (const auto& [key, id] : open) {
    const std::size_t number = std::string_view(kind).size() + 1, name = key.find(' ', number);
    if (key.starts_with(std::string(kind) + " ") && name != std::string::npos &&
        key.substr(name + 1) == recipe)
      return key;
  }
  return "";
}

/// An occurrence lasts until a person acknowledges its newest hit.
std::vector<CfxMessage> chart_messages(const ChartRecord& record, const CfxOrigin& origin,
                                       const std::string& entry, OpenFaults& open) {
  std::vector<CfxMessage> messages;
  if (record.step == ChartStep::hit) {
    const char* kind = record.disarms ? "disarmed" : "chart";
    CfxFault fault{fmt::format("{} {} {}", kind, record.after, record.recipe), "CONTROL_CHART"};
    if (!record.disarms) fault.severity = "Warning";
    fault.description = words_of(record);
    if (auto known = open.extract(open_chart(open, kind, record.recipe))) {
      known.key() = fault.key;
      open.insert(std::move(known));
    }
    add_fault(messages, fault, origin, entry, open);
    return messages;
  }
  for (const char* kind : {"chart", "disarmed"})
    if (const std::string key = open_chart(open, kind, record.recipe);
        record.step == ChartStep::acknowledged && !key.empty() &&
        std::stoull(key.substr(std::string_view(kind).size() + 1)) <= record.seen)
      clear_fault(messages, key, origin, entry, open);
  messages.push_back(log_entry(origin, entry, "CONTROL_CHART", words_of(record), "Information"));
  return messages;
}

/// "2026-11-29T...: tcp 10.0.0.5:50112 (operate): INITiate" without the time, which the envelope has.
std::string words_without_time(const std::string& statement, const std::string& utc) {
  const std::string words = words_of(statement);
  return !utc.empty() && words.starts_with(utc + ": ") ? words.substr(utc.size() + 2) : words;
}

}  // namespace

std::vector<CfxMessage> cfx_of_statement(const std::string& statement, const std::string& entry,
                                         const std::string& handle, OpenFaults& open) {
  CfxOrigin origin{handle, ""};
  try {
    const Json json = Json::parse(statement);
    origin.utc = json.value("utc", "");
    const std::string what = json.at("what");
    if (what == "check") return check_messages(check_record_from(statement), origin, entry, open);
    if (what == "chart") return chart_messages(chart_record_from(statement), origin, entry, open);
    const bool is_command = what == "deed";
    // Results may be missing behind a store that was set back.
    return {log_entry(origin, entry,
                      is_command      ? "COMMAND"
                      : what == "act" ? "PERSON"
                                      : "STORE",
                      words_without_time(statement, origin.utc),
                      what == "renewed" ? "Warning" : "Information")};
  } catch (const std::exception& error) {
    return {log_entry(origin, entry, "STORE", fmt::format("a statement can't be read: {}", error.what()),
                      "Error")};
  }
}

CfxMessage cfx_calibration(const BoardVerdict& verdict, const std::string& transaction,
                           const std::string& entry, const std::string& handle) {
  return performed({handle, verdict.measured_at}, guid_of(entry + "|calibration"), verdict.calibration,
                   "in use from this result on, SHA-256 " + verdict.calibration_sha256, Json::array(),
                   transaction);
}

}  // namespace datum
