// Faults of the station as messages of CFX: FaultOccurred when the chain says it for the first time, FaultCleared when it no longer
// does. Which are open is part of the position, so that an occurrence has one id whatever is sent again.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "daemon/inspection/verdict/verdict.h"
#include "daemon/plant/cfx_envelope.h"

namespace datum {

/// Id of the occurrence by the fault's key, "FRAME_STALE" or "check golden".
using OpenFaults = std::map<std::string, std::string>;

struct CfxFault {
  std::string key;   // what is open under it already is not told again
  std::string code;  // FaultCode
  const char* cause = "QualityCheck";
  const char* severity = "Error";  // with a stoppage; "Warning": without
  std::string description{};
  std::string transaction{};  // GUID of the work cycle; empty: of none
};

/// `id`: GUID of the message and of the occurrence.
CfxMessage cfx_fault_occurred(const CfxFault& fault, const CfxOrigin& origin, const std::string& id);

/// FaultOccurred, unless it is open. `entry`: SHA-256 of the chain's entry that states it.
void add_fault(std::vector<CfxMessage>& to, const CfxFault& fault, const CfxOrigin& origin,
               const std::string& entry, OpenFaults& open);
/// FaultCleared, where it is open.
void clear_fault(std::vector<CfxMessage>& to, const std::string& key, const CfxOrigin& origin,
                 const std::string& entry, OpenFaults& open);

/// A board that is INVALID as a whole for a reason of the station (its sensor, machine, calibration, program) is a fault with that
/// reason's name, until a board is not. Reasons of the board itself are none.
std::vector<CfxMessage> cfx_faults_of(const BoardVerdict& verdict, const std::string& transaction,
                                      const std::string& entry, const std::string& handle, OpenFaults& open);

/// Entries of the chain that retention removed before they were sent. It stays: nothing brings them back.
CfxMessage cfx_gap(const CfxOrigin& origin, const std::string& store_id, std::uint64_t first,
                   std::uint64_t last);

}  // namespace datum
