#include "tests/virtual_cell/virtual_cmm_dialect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace datum {
namespace {

using Position = std::array<double, 3>;
constexpr const char* axis_names = "XYZ";

template <class Line>
std::string lines(std::size_t first, std::size_t axes, Line line) {
  std::string out;
  for (std::size_t i = first; i < first + axes; ++i) out += line(i);
  return out;
}

// Four decimals, no point, after one STX.
std::string without_point(const Position& mm, std::size_t first, std::size_t axes) {
  return "\x02" + lines(first, axes, [&](std::size_t i) {
           return fmt::format("{}{:09.0f}\r\n", sign_of(mm[i]), std::round(std::abs(mm[i]) * 1e4));
         });
}
std::string nd52x(const Position& mm, std::size_t first, std::size_t axes) {
  return lines(first, axes, [&](std::size_t i) {
    return fmt::format("{}={}{:.4f} R\r\n", axis_names[i], sign_of(mm[i]), std::abs(mm[i]));
  });
}
std::string magnescale(const Position& mm, std::size_t first, std::size_t axes) {
  return lines(first, axes, [&](std::size_t i) {
    return fmt::format("0{}NMG{}{:07.3f}\r\n", i, sign_of(mm[i]), std::abs(mm[i]));
  });
}
std::string cdi(const Position& mm, std::size_t first, std::size_t axes) {
  return lines(first, axes, [&](std::size_t i) {
    return fmt::format("{}{:08.0f} ,MM\r\n", sign_of(mm[i]), std::round(std::abs(mm[i]) * 1e3));
  });
}
std::string proscale(const Position& mm, std::size_t first, std::size_t axes) {
  return lines(first, axes, [&](std::size_t i) { return fmt::format("{:.3f} MM {}\r\n", mm[i], i + 1); });
}
std::string mux4(const Position& mm, std::size_t first, std::size_t axes) {
  return lines(first, axes, [&](std::size_t i) {
    return fmt::format("{} MW{}{:08.4f} mm\r\n", i + 1, sign_of(mm[i]), std::abs(mm[i]));
  });
}
std::string marlin(const Position& mm, std::size_t first, std::size_t axes) {
  return lines(first, axes, [&](std::size_t i) { return fmt::format("{}:{:.3f} ", axis_names[i], mm[i]); }) +
         "E:0.00 Count X:0 Y:0 Z:0\nok\n";
}

constexpr VirtualDialect dialects[] = {
    {"heidenhain_nd28x_remote", 0,
     "\x1b"
     "A0200",
     false, 0, 3, without_point, "\x15"},
    {"heidenhain_nd700", '\x02', "", false, 0, 3, without_point, "\x02+?????????\r\n"},
    {"heidenhain_nd52x", '\x02', "", false, 0, 3, nd52x, "X=Error\r\n"},
    {"magnescale", 0, "", true, 0, 3, magnescale, "00Error\r\n"},
    {"cdi_indicator", 0, "", true, 2, 1, cdi, "+Error    ,MM\r\n"},
    {"proscale", 0, "", true, 0, 3, proscale, "ERR MM 1\r\n"},
    {"mux4", 0, "", true, 0, 3, mux4, "3 TO 999999.99 mm\r\n"},
    {"marlin", 0, "M114", false, 0, 3, marlin, "Error:Printer halted. kill() called!\n"},
};

}  // namespace

const VirtualDialect* virtual_dialect(const std::string& preset) {
  const auto found = std::find_if(std::begin(dialects), std::end(dialects),
                                  [&](const VirtualDialect& d) { return preset == d.preset; });
  return found == std::end(dialects) ? nullptr : found;
}

std::vector<std::string> virtual_cmm_presets() {
  std::vector<std::string> names{"heidenhain_nd28x", "mitutoyo_mux10", "acurite_vro", "grbl_1_1"};
  for (const VirtualDialect& dialect : dialects) names.emplace_back(dialect.preset);
  return names;
}

}  // namespace datum
