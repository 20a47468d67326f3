// Up to which entry of a store's chain everything was accepted.
#pragma once

#include <string>

#include "daemon/plant/cfx_faults.h"
#include "daemon/sign/entry_hash.h"

namespace datum {

struct PlantPosition {
  std::string store_id;                               // as the store was named then; empty: nothing was
  ChainPlace place{};                                 // 0: before the first entry
  std::string recipe_sha256{}, calibration_sha256{};  // of the newest result up to there
  OpenFaults faults{};                                // told, and not yet cleared
};

/// One line of JSON. Throws std::runtime_error where the text is no position.
PlantPosition read_position(const std::string& text);
std::string to_text(const PlantPosition& position);

}  // namespace datum
