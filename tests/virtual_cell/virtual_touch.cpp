#include "tests/virtual_cell/virtual_touch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "tests/virtual_cell/virtual_cmm_dialect.h"

namespace datum {
namespace {}  // namespace

std::string virtual_touch(const std::string& preset, const std::array<double, 3>& p, bool contact) {
  if (preset == "grbl_1_1")
    return fmt::format("[PRB:{:.3f},{:.3f},{:.3f}:{}]\r\nok\r\n", p[0], p[1], p[2], contact ? 1 : 0);
  std::string out;
  for (std::size_t i = 0; i < 3 && contact; ++i) {
    if (preset == "heidenhain_nd28x") out += fmt::format("{}{:10.4f}   A\r\n", sign_of(p[i]), std::abs(p[i]));
    if (preset == "mitutoyo_mux10")
      out += fmt::format("0{}A{}{:08.3f}\r", i + 1, sign_of(p[i]), std::abs(p[i]));
  }
  const std::vector<std::string> known = virtual_cmm_presets();
  if (std::find(known.begin(), known.end(), preset) == known.end())
    throw std::invalid_argument(
        fmt::format("preset '{}' is not known; allowed: {}", preset, fmt::join(known, ", ")));
  return out;
}

}  // namespace datum
