#include "drivers/gocator/health.h"

#include <fmt/format.h>

#include "drivers/gocator/protocol_error.h"

namespace datum::gocator {
namespace {

constexpr std::size_t indicator_bytes = 16;
constexpr std::size_t most_counters = 1024;  // a sensor has six; more is an error

}  // namespace

std::vector<Indicator> health_of(ByteView message) {
  if ((at<std::uint16_t>(message, 4) & 0x7FFF) != 0) return {};
  const std::size_t count = at<std::uint32_t>(message, 6);
  const std::size_t there = (message.size() - least_health_bytes) / indicator_bytes;
  if (count > there)
    throw ProtocolError(Fault::size_mismatch,
                        fmt::format("health announces {} indicators and has {}", count, there));
  std::vector<Indicator> indicators;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t offset = least_health_bytes + i * indicator_bytes;
    indicators.push_back({at<std::uint32_t>(message, offset), at<std::uint32_t>(message, offset + 4),
                          at<std::int64_t>(message, offset + 8)});
  }
  return indicators;
}

const char* drop_counter(std::uint32_t id) {
  switch (id) {
    case 2201:
      return "camera trigger drops";
    case 21000:
      return "processing drops";
    case 21005:
      return "Ethernet drops";
    case 21010:
      return "trigger drops";
    case 21011:
      return "output drops";
    case 21016:
      return "serial drops";
  }
  return nullptr;
}

std::string DropCounters::rise(const std::vector<Indicator>& indicators) {
  std::string words;
  for (const Indicator& i : indicators) {
    const char* name = drop_counter(i.id);
    if (!name) continue;
    const std::pair key(i.id, i.instance);
    const auto known = last_.find(key);
    if (known == last_.end()) {
      if (last_.size() < most_counters) last_.emplace(key, i.value);
      continue;
    }
    if (i.value > known->second)
      words += fmt::format("{}{} rose by {} to {}", words.empty() ? "" : ", ", name,
                           static_cast<std::uint64_t>(i.value) - static_cast<std::uint64_t>(known->second),
                           i.value);
    known->second = i.value;
  }
  return words;
}

}  // namespace datum::gocator
