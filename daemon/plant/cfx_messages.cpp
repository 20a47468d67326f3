#include "daemon/plant/cfx_messages.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "config/guid.h"
#include "daemon/plant/cfx_units.h"

namespace datum {
namespace {

using Json = nlohmann::ordered_json;

std::string timespan(std::int64_t seconds) {
  const std::int64_t days = seconds / 86'400, rest = seconds % 86'400;
  const std::string clock = fmt::format("{:02}:{:02}:{:02}", rest / 3600, rest / 60 % 60, rest % 60);
  return days == 0 ? clock : fmt::format("{}.{}", days, clock);  // .NET's constant form of a TimeSpan
}

/// TestResult.
const char* result_of(Decision decision) {
  switch (decision) {
    case Decision::pass:
      return "Passed";
    case Decision::inconclusive:
    case Decision::fail:
      return "Failed";
    case Decision::invalid:
      break;
  }
  return "Error";
}

Json numeric(const std::string& id, const std::string& name, const std::string& utc,
             const CheckVerdict& check, double value, bool with_limits, const std::string& reference) {
  const CfxUnit unit = cfx_unit(unit_of(check.check.characteristic));
  Json measured = {{"Value", unit.of(value)}, {"ValueUnits", unit.name}};
  const auto bound = [&](const char* key, const std::optional<double>& of) {
    measured[key] = of && with_limits ? Json(unit.of(*of)) : Json(nullptr);
    measured[std::string(key) + "Units"] = of && with_limits ? Json(unit.name) : Json(nullptr);
  };
  bound("ExpectedValue", check.check.nominal);
  bound("MinimumAcceptableValue", check.check.lower);
  bound("MaximumAcceptableValue", check.check.upper);
  return {{"$type", "CFX.Structures.NumericMeasurement, CFX"},
          {"UniqueIdentifier", id},
          {"MeasurementName", name},
          {"TimeRecorded", utc},
          {"Sequence", 0},
          {"Result", result_of(check.decision)},
          {"CRDs", reference},
          {"MeasuredValue", measured}};
}

std::string name_of_check(const Check& check) {
  return check.parameter == 0 ? std::string(name_of(check.characteristic))
                              : fmt::format("{} {}", name_of(check.characteristic), check.parameter);
}

/// DefectCategory, of the values that the SDK suggests.
const char* category_of(const ComponentVerdict& component) {
  if (!component.defect) return "WrongComponentHeight";
  switch (component.defect->word) {
    case Defect::missing:
      return "ComponentMissing";
    case Defect::tombstoned:
      return "Tombstone";
    case Defect::lifted_side:
    case Defect::lifted_corner:
      return "ComponentTilted";
    case Defect::shifted:
      return "ComponentShifted";
    case Defect::rotated:
      return "ComponentRotated";
    case Defect::upside_down:
      return "FaceDownComponent";
    case Defect::wrong_part:
      return "WrongComponent";
    case Defect::wrong_height:
      return "WrongComponentHeight";
    case Defect::bridged:
      return "PasteShort";
    case Defect::billboard:
    case Defect::foreign_object:
      break;
  }
  return "Miscellaneous";
}

struct Ids {
  const std::string& entry;
  std::string of(const std::string& what) const { return guid_of(entry + "|" + what); }
};

/// One of a component's checks that did not pass.
Json defect_of(const ComponentVerdict& component, const CheckVerdict& check, const std::string& id,
               Json measurement) {
  const bool told = check.decision == Decision::fail;
  const std::string name = name_of_check(check.check);
  return {
      {"UniqueIdentifier", id},
      {"DefectCode", !told              ? "INCONCLUSIVE"
                     : component.defect ? name_of(component.defect->word)
                                        : name.c_str()},
      {"DefectCategory", category_of(component)},
      {"Description",
       component.defect ? component.defect->detail : fmt::format("{} {}", component.reference, name)},
      {"Comments", check.detail},
      {"ComponentOfInterest",
       {{"ReferenceDesignator", component.reference}, {"UnitPosition", nullptr}, {"PartNumber", nullptr}}},
      {"RegionOfInterest", nullptr},
      {"DefectImages", Json::array()},
      {"Priority", told ? 1 : 2},
      {"ConfidenceLevel", nullptr},
      {"RelatedMeasurements", Json::array({std::move(measurement)})},
      {"RelatedSymptoms", Json::array()},
      {"Verification", "NotVerifiedYet"}};
}

Json inspection_of(const BoardVerdict& verdict, const ComponentVerdict& component, const Ids& ids) {
  Json measurements = Json::array(), defects = Json::array();
  std::string error;
  for (std::size_t i = 0; i < component.checks.size(); ++i) {
    const CheckVerdict& check = component.checks[i];
    const std::string name = name_of_check(check.check), place = fmt::format("{}|{}", component.reference, i);
    if (check.decision == Decision::invalid || !std::isfinite(check.value)) {
      error += fmt::format("{}{}: {}{}{}", error.empty() ? "" : "; ", name, name_of(check.reason),
                           check.detail.empty() ? "" : ", ", check.detail);
      continue;
    }
    Json value =
        numeric(ids.of(place), name, verdict.measured_at, check, check.value, true, component.reference);
    if (check.decision == Decision::pass)
      measurements.push_back(std::move(value));
    else
      defects.push_back(defect_of(component, check, ids.of(place + "|defect"), std::move(value)));
    measurements.push_back(numeric(ids.of(place + "|U"), name + " U (k=2)", verdict.measured_at, check,
                                   2 * check.u, false, component.reference));
  }
  if (component.decision == Decision::invalid && error.empty()) error = "INVALID";
  return {{"UniqueIdentifier", ids.of(component.reference)},
          {"InspectionName", component.reference},
          {"InspectionStartTime", nullptr},
          {"InspectionEndTime", verdict.measured_at},
          {"TestProcedure", component.package},
          {"Comments", name_of(component.decision)},
          {"Result", is_skipped(component) ? "Skipped" : result_of(component.decision)},
          {"Verification", "NotVerifiedYet"},
          {"VerificationDetail", nullptr},
          {"Error", error.empty() ? Json(nullptr) : Json(error)},
          {"DefectsFound", std::move(defects)},
          {"Symptoms", Json::array()},
          {"Measurements", std::move(measurements)}};
}

/// What decided a board as a whole, where no component says so.
Json board_inspection(const std::string& name, Decision decision, Reason reason, const std::string& detail,
                      const BoardVerdict& verdict, const Ids& ids) {
  return {{"UniqueIdentifier", ids.of("board " + name)},
          {"InspectionName", "BOARD"},
          {"InspectionStartTime", nullptr},
          {"InspectionEndTime", verdict.measured_at},
          {"TestProcedure", nullptr},
          {"Comments", name_of(decision)},
          {"Result", result_of(decision)},
          {"Verification", "NotVerifiedYet"},
          {"VerificationDetail", nullptr},
          {"Error", reason == Reason::none
                        ? Json(nullptr)
                        : Json(fmt::format("{}{}{}", name_of(reason), detail.empty() ? "" : ": ", detail))},
          {"DefectsFound", Json::array()},
          {"Symptoms", Json::array()},
          {"Measurements", Json::array()}};
}

/// The unit's own number; a board without one is named by its result, so that no two units share a name.
std::string unit_name(const std::string& unit_id, const BoardVerdict& verdict) {
  return unit_id.empty() ? fmt::format("{}-{}", verdict.store_id, verdict.sequence) : unit_id;
}

Json unit(const BoardVerdict& verdict, const std::string& name, int position, const char* result,
          Json inspections) {
  return {{"UnitIdentifier", name},
          {"UnitPositionNumber", position},
          {"OverallResult", result},
          {"ActiveRecipeName", verdict.recipe},
          {"ActiveRecipeRevision", verdict.recipe_sha256},
          {"Verification", "NotVerifiedYet"},
          {"TotalInspectionCount", inspections.size()},
          {"Inspections", std::move(inspections)}};
}

/// UnitStatus, whose default is Pass.
const char* status_of(const std::string& result) {
  return result == "Passed" ? "Pass" : result == "Skipped" ? "Skip" : "Fail";
}

/// The components whose reference ends with "@BOARD"; all without a board.
Json inspections_of(const BoardVerdict& verdict, const std::string& board, const Ids& ids) {
  Json all = Json::array();
  for (const ComponentVerdict& component : verdict.components)
    if (board.empty() || component.reference.ends_with("@" + board))
      all.push_back(inspection_of(verdict, component, ids));
  return all;
}

Json units_of(const BoardVerdict& verdict, const Ids& ids) {
  Json units = Json::array();
  int position = 0;
  for (const PanelBoard& board : verdict.boards) {
    Json all = inspections_of(verdict, board.name, ids);
    if (board.decision && board.reason != Reason::none)
      all.push_back(board_inspection(board.name, *board.decision, board.reason, board.detail, verdict, ids));
    // A panel that is INVALID as a whole has no board that passed.
    const Decision decision = board.decision
                                  ? (verdict.reason == Reason::none ? *board.decision : verdict.decision)
                                  : Decision::invalid;
    units.push_back(unit(verdict, board.unit_id.empty() ? unit_name(verdict.unit_id, verdict) : board.unit_id,
                         ++position, board.decision ? result_of(decision) : "Skipped", std::move(all)));
  }
  if (!verdict.boards.empty()) return units;
  Json all = inspections_of(verdict, "", ids);
  if (verdict.reason != Reason::none || all.empty())
    all.push_back(board_inspection("", verdict.decision, verdict.reason, verdict.detail, verdict, ids));
  units.push_back(
      unit(verdict, unit_name(verdict.unit_id, verdict), 1, result_of(verdict.decision), std::move(all)));
  return units;
}

}  // namespace

std::string cfx_transaction(const std::string& entry) { return Ids{entry}.of("transaction"); }

std::vector<CfxMessage> cfx_of(const BoardVerdict& verdict, const std::string& entry,
                               const std::string& handle) {
  const Ids ids{entry};
  const CfxOrigin origin{handle, verdict.measured_at};
  const std::string transaction = cfx_transaction(entry);
  Json started = {{"TransactionID", transaction},
                  {"Lane", nullptr},
                  {"Units", Json::array()},
                  {"RecipeName", verdict.recipe},
                  {"Revision", verdict.recipe_sha256}};
  Json units = units_of(verdict, ids);
  for (std::size_t i = 0; i < units.size(); ++i)
    started["Units"].push_back(
        {{"UnitIdentifier", units[i]["UnitIdentifier"]},
         {"PositionNumber", units[i]["UnitPositionNumber"]},
         {"PositionName", i < verdict.boards.size() ? Json(verdict.boards[i].name) : Json(nullptr)},
         {"Status", status_of(units[i]["OverallResult"])}});
  const Json inspected = {{"TransactionId", transaction},
                          {"InspectionMethod", "AOI"},
                          {"SamplingInformation",
                           {{"SamplingMethod", "NoSampling"}, {"LotSize", nullptr}, {"SampleSize", nullptr}}},
                          {"Inspector", nullptr},
                          {"RecipeName", verdict.recipe},
                          {"RecipeRevision", verdict.recipe_sha256},
                          {"InspectedUnits", std::move(units)}};
  // A result that is INVALID is a work cycle that ended, and told that it measured nothing.
  const Json completed = {{"TransactionID", transaction},
                          {"Result", verdict.decision == Decision::invalid ? "Failed" : "Completed"}};
  return {
      cfx_envelope("CFX.Production.WorkStarted", origin, ids.of("started"), started),
      cfx_envelope("CFX.Production.TestAndInspection.UnitsInspected", origin, ids.of("inspected"), inspected),
      cfx_envelope("CFX.Production.WorkCompleted", origin, ids.of("completed"), completed)};
}

CfxMessage cfx_recipe(const BoardVerdict& verdict, const std::string& entry, const std::string& handle) {
  return cfx_envelope("CFX.Production.RecipeActivated", {handle, verdict.measured_at},
                      Ids{entry}.of("recipe"),
                      {{"RecipeName", verdict.recipe},
                       {"Revision", verdict.recipe_sha256},
                       {"Lane", nullptr},
                       {"Stage", nullptr},
                       {"ExpectedUnitsPerWorkTransaction", std::max<std::size_t>(1, verdict.boards.size())}});
}

CfxMessage cfx_connected(const CfxOrigin& origin, const std::string& id) {
  return cfx_envelope(
      "CFX.EndpointConnected", origin, guid_of(id),
      {{"CFXHandle", origin.handle}, {"RequestNetworkUri", nullptr}, {"RequestTargetAddress", nullptr}});
}

CfxMessage cfx_online(const CfxOrigin& origin, const std::string& id, std::int64_t offline_s) {
  return cfx_envelope("CFX.ResourcePerformance.StationOnline", origin, guid_of(id),
                      {{"OfflineDuration", timespan(offline_s)}});
}

CfxMessage cfx_heartbeat(const CfxOrigin& origin, const std::string& id, int every_s) {
  // null: not known here.
  return cfx_envelope("CFX.Heartbeat", origin, guid_of(id),
                      {{"CFXHandle", origin.handle},
                       {"HeartbeatFrequency", timespan(every_s)},
                       {"ActiveFaults", nullptr},
                       {"ActiveRecipes", nullptr}});
}

CfxMessage cfx_shutting_down(const CfxOrigin& origin, const std::string& id) {
  return cfx_envelope("CFX.EndpointShuttingDown", origin, guid_of(id), {{"CFXHandle", origin.handle}});
}

}  // namespace datum
