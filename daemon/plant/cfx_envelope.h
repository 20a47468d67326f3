// The envelope of a message of IPC-CFX (IPC-2591; types as in the SDK 2.1 of IPCConnectedFactoryExchange/CFX).
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace datum {

struct CfxMessage {
  std::string name;  // "CFX.Production.WorkStarted"
  std::string id;    // GUID, UniqueID of the envelope
  std::string json;  // the envelope
};

/// Where a message comes from, and the time of its event.
struct CfxOrigin {
  std::string handle;  // of the cell
  std::string utc;     // ISO 8601
};

/// Bytes of texts that are no UTF-8 are replaced. `id`: a GUID.
CfxMessage cfx_envelope(const char* name, const CfxOrigin& origin, const std::string& id,
                        const nlohmann::ordered_json& body);

}  // namespace datum
