#include "daemon/plant/plant_position.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace datum {

using Json = nlohmann::ordered_json;

PlantPosition read_position(const std::string& text) {
  try {
    const Json json = Json::parse(text);
    // A position of before had neither calibration nor faults.
    return {json.at("store_id"),
            {json.at("link"), json.at("sha256")},
            json.at("recipe_sha256"),
            json.value("calibration_sha256", ""),
            json.value("faults", OpenFaults())};
  } catch (const Json::exception& error) {
    throw std::runtime_error(fmt::format(
        "is no position of datumd-plant ({}); remove it, and everything is sent again", error.what()));
  }
}

std::string to_text(const PlantPosition& position) {
  return Json{{"store_id", position.store_id},
              {"link", position.place.link},
              {"sha256", position.place.sha256},
              {"recipe_sha256", position.recipe_sha256},
              {"calibration_sha256", position.calibration_sha256},
              {"faults", position.faults}}
             .dump() +
         "\n";
}

}  // namespace datum
