// Messages of IPC-CFX (IPC-2591; types as in the SDK 2.1 of IPCConnectedFactoryExchange/CFX) of stored results and of the station.
//
// A result is three messages with one transaction: WorkStarted, UnitsInspected, WorkCompleted. The type of a verdict has no word for
// doubt: PASS is Passed, FAIL Failed with its defects, INCONCLUSIVE Failed with the defect INCONCLUSIVE, INVALID Error with its
// reason, a skipped board of a panel Skipped. Nothing but PASS is ever Passed. What a constructor of the SDK would fill in by
// itself (Passed, Human, Information) is always written. Lengths are in mm, angles in deg, shares in %. CFX has no field for
// an uncertainty: each value is followed by one named "... U (k=2)". A check without a value has no measurement.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "daemon/inspection/verdict/verdict.h"
#include "daemon/plant/cfx_envelope.h"

namespace datum {

/// GUID of the work cycle of a result.
std::string cfx_transaction(const std::string& entry);

/// The three messages of a result. `entry`: SHA-256 of its entry of the chain, from which all ids are made.
std::vector<CfxMessage> cfx_of(const BoardVerdict& verdict, const std::string& entry,
                               const std::string& handle);

/// Production.RecipeActivated of the result's recipe; the id is of the entry, too.
CfxMessage cfx_recipe(const BoardVerdict& verdict, const std::string& entry, const std::string& handle);

// Of the link itself; `id` is any new text.
CfxMessage cfx_connected(const CfxOrigin& origin, const std::string& id);
CfxMessage cfx_online(const CfxOrigin& origin, const std::string& id, std::int64_t offline_s);
CfxMessage cfx_heartbeat(const CfxOrigin& origin, const std::string& id, int every_s);
CfxMessage cfx_shutting_down(const CfxOrigin& origin, const std::string& id);

}  // namespace datum
