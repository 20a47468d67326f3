// A message as it came from the broker, and decoded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "daemon/collect/plant_message.h"
#include "daemon/collect/verdict_rows.h"

namespace datum {

struct Delivered {
  std::string raw;
  std::int64_t received_us = 0;  // since 1970
  PlantMessageContent content;
  std::optional<VerdictRows> rows;  // of a result
};

inline Delivered delivered(std::string raw, std::size_t largest, std::int64_t received_us) {
  Delivered d{std::move(raw), received_us, {}, {}};
  d.content = decode_plant_message(d.raw, largest);
  if (const auto* entry = std::get_if<PlantEntry>(&d.content); entry && entry->is_result())
    d.rows = rows_of(*entry, received_us);
  return d;
}

}  // namespace datum
