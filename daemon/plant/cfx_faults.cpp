#include "daemon/plant/cfx_faults.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>

#include "config/guid.h"

namespace datum {
namespace {

using Json = nlohmann::ordered_json;

struct StationReason {
  Reason reason;
  const char* cause;
};
// Of the values that FaultCause has.
constexpr std::array<StationReason, 12> station_reasons{{{Reason::pose_missing, "ElectricalFailure"},
                                                         {Reason::pose_stale, "ElectricalFailure"},
                                                         {Reason::pose_moved, "MechanicalFailure"},
                                                         {Reason::pose_error, "MechanicalFailure"},
                                                         {Reason::calibration, "QualityCheck"},
                                                         {Reason::sensor_mismatch, "ElectricalFailure"},
                                                         {Reason::frame, "ElectricalFailure"},
                                                         {Reason::frame_stale, "ElectricalFailure"},
                                                         {Reason::frame_early, "ElectricalFailure"},
                                                         {Reason::frame_unproven, "ElectricalFailure"},
                                                         {Reason::frame_repeated, "ElectricalFailure"},
                                                         {Reason::internal, "SoftwareFailure"}}};

}  // namespace

CfxMessage cfx_fault_occurred(const CfxFault& fault, const CfxOrigin& origin, const std::string& id) {
  return cfx_envelope(
      "CFX.ResourcePerformance.FaultOccurred", origin, id,
      {{"Fault",
        {{"FaultOccurrenceId", id},
         {"TransactionID", fault.transaction.empty() ? Json(nullptr) : Json(fault.transaction)},
         {"Cause", fault.cause},
         {"Severity", fault.severity},
         {"FaultCode", fault.code},
         {"Lane", nullptr},
         {"Stage", nullptr},
         {"SideLocation", "Unknown"},
         {"AccessType", "Unknown"},
         {"Description", fault.description},
         {"OccurredAt", origin.utc}}}});
}

void add_fault(std::vector<CfxMessage>& to, const CfxFault& fault, const CfxOrigin& origin,
               const std::string& entry, OpenFaults& open) {
  if (open.count(fault.key) != 0) return;
  const std::string id = guid_of(entry + "|fault|" + fault.key);
  open.emplace(fault.key, id);
  to.push_back(cfx_fault_occurred(fault, origin, id));
}

void clear_fault(std::vector<CfxMessage>& to, const std::string& key, const CfxOrigin& origin,
                 const std::string& entry, OpenFaults& open) {
  const auto found = open.find(key);
  if (found == open.end()) return;
  to.push_back(cfx_envelope("CFX.ResourcePerformance.FaultCleared", origin,
                            guid_of(entry + "|cleared|" + key),
                            {{"FaultOccurrenceId", found->second}, {"Operator", nullptr}}));
  open.erase(found);
}

std::vector<CfxMessage> cfx_faults_of(const BoardVerdict& verdict, const std::string& transaction,
                                      const std::string& entry, const std::string& handle, OpenFaults& open) {
  std::vector<CfxMessage> messages;
  const CfxOrigin origin{handle, verdict.measured_at};
  for (const auto& [reason, cause] : station_reasons) {
    const std::string name = name_of(reason);
    if (verdict.decision == Decision::invalid && verdict.reason == reason)
      add_fault(messages, {name, name, cause, "Error", verdict.detail, transaction}, origin, entry, open);
    else
      clear_fault(messages, name, origin, entry, open);
  }
  return messages;
}

CfxMessage cfx_gap(const CfxOrigin& origin, const std::string& store_id, std::uint64_t first,
                   std::uint64_t last) {
  CfxFault fault{"", "GAP", "MissingDocumentation"};
  fault.description = fmt::format(
      "entries {} to {} of store {} were removed by retention before they were sent", first, last, store_id);
  return cfx_fault_occurred(fault, origin, guid_of(fmt::format("gap|{}|{}|{}", store_id, first, last)));
}

}  // namespace datum
