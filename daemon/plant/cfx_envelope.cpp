#include "daemon/plant/cfx_envelope.h"

#include <nlohmann/json.hpp>

namespace datum {

CfxMessage cfx_envelope(const char* name, const CfxOrigin& origin, const std::string& id,
                        const nlohmann::ordered_json& body) {
  using Json = nlohmann::ordered_json;
  constexpr const char* version = "2.1";
  Json typed = {{"$type", std::string(name) + ", CFX"}};
  typed.update(body);
  const Json whole = {{"MessageName", name},  {"Version", version},      {"TimeStamp", origin.utc},
                      {"UniqueID", id},       {"Source", origin.handle}, {"Target", nullptr},
                      {"RequestID", nullptr}, {"MessageBody", typed}};
  return {name, id, whole.dump(-1, ' ', false, Json::error_handler_t::replace)};
}

}  // namespace datum
