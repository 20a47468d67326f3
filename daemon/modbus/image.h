// Image: all registers of one host at one instant. It is immutable, so that several registers are consistent.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "daemon/modbus/register_map.h"
#include "daemon/modbus/request.h"

namespace datum::modbus {

/// The window_size registers of one window.
using Window = std::vector<std::uint16_t>;

struct Image {
  std::array<std::uint16_t, base_end> base{};
  std::shared_ptr<const Window> result, fifo;  // never null

  /// Reads registers, or bits as 0 and 1, that check_read() accepted.
  std::vector<std::uint16_t> read(const Request& request) const;
};

/// The window without a result: no decision, and absent values.
std::shared_ptr<const Window> empty_window();

}  // namespace datum::modbus
