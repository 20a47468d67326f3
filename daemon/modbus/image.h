// Image: all registers of one host as they are at one instant. It never changes once it is made; who reads several
// registers of it reads values that belong together.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "daemon/modbus/register_map.h"
#include "daemon/modbus/request.h"

namespace datum::modbus {

/// The registers of one window, window_size of them.
using Window = std::vector<std::uint16_t>;

struct Image {
  std::array<std::uint16_t, base_end> base{};
  std::shared_ptr<const Window> result, fifo;  // never null

  /// `count` registers, or bits as 0 and 1, that check_read() passed.
  std::vector<std::uint16_t> read(const Request& request) const;
};

/// No result: no decision, and values that are not there.
std::shared_ptr<const Window> empty_window();

}  // namespace datum::modbus
