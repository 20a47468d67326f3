// The golden bytes, and other messages built field by field (LMI's Gocator manuals, chapter "Gocator
// Protocol").
#pragma once

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "drivers/gocator/data_receiver.h"

namespace datum::testing {

using Bytes = std::vector<std::uint8_t>;

/// Bytes from the hexadecimal digits of a file of tests/data/gocator; lines with '#' are skipped.
inline Bytes hex_file(const std::string& name) {
  std::ifstream in(std::string(DATUM_SOURCE_DIR) + "/tests/data/gocator/" + name);
  std::string digits;
  for (std::string line; std::getline(in, line);)
    if (line.rfind('#', 0) != 0)
      for (const char c : line)
        if (c != ' ') digits += c;
  if (digits.empty() || digits.size() % 2 != 0) throw std::runtime_error(name + ": no bytes");
  Bytes bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2)
    bytes.push_back(static_cast<std::uint8_t>(std::stoi(digits.substr(i, 2), nullptr, 16)));
  return bytes;
}

inline Bytes golden_surface() { return hex_file("surface.hex"); }

/// Offsets of the golden messages.
constexpr std::size_t golden_stamp_at = 0, golden_surface_at = 78, golden_intensity_at = 158;

template <class T>
Bytes with(Bytes bytes, std::size_t offset, T value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
  return bytes;
}

/// All data sets from the bytes, received in pieces of at most `piece`.
inline std::vector<gocator::DataSet> received(gocator::DataReceiver& receiver, gocator::ByteView bytes,
                                              std::size_t piece = SIZE_MAX) {
  std::vector<gocator::DataSet> sets;
  while (!bytes.empty()) {
    const auto room = receiver.room();
    const std::size_t n = std::min({room.size(), bytes.size(), piece});
    std::copy_n(bytes.begin(), n, room.begin());
    receiver.received(n);
    bytes = bytes.subspan(n);
    while (auto set = receiver.next()) sets.push_back(std::move(*set));
  }
  return sets;
}

inline std::vector<gocator::DataSet> received(gocator::ByteView bytes) {
  gocator::DataReceiver receiver(1 << 20);
  return received(receiver, bytes);
}

}  // namespace datum::testing
