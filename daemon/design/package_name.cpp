#include "daemon/design/package_name.h"

#include <regex>

namespace datum::design {
namespace {

double number(const std::ssub_match& text) { return std::stod(text.str()); }

/// IPC-7351B, 3.1.2: naming of land patterns.
std::optional<PackageName> ipc_name(const std::string& name) {
  static const std::regex chip(
      "^(RESC|CAPC|INDC|LEDC|FUSC|DIOC|BEADC|FERC|THRMC|VARC)(\\d{2})(\\d{2})X(\\d{2,3})(?!\\d)"),
      molded("^(CAPMP|CAPM|INDM|RESM|DIOM|DIOMELF|LEDM)(\\d{2})(\\d{2})X(\\d{2,3})(?!\\d)"),
      can("^CAPAE(\\d{3,4})X(\\d{3,4})(?!\\d)"),
      leads(
          "^(?:SOIC|SOP|SSOP|TSSOP|TSOP|MSOP|VSSOP|QFP|TQFP|LQFP|SOT|SOD|QFN|SON|DFN|LCC|PQFN|PSON)\\d+P\\d+"
          "X(?:\\d+X)?(\\d{2,3})(?!\\d)"),
      ball("^BGA\\d+C\\d+P\\d+X\\d+_(\\d+)X(\\d+)X(\\d+)");
  std::smatch m;
  if (std::regex_search(name, m, chip))
    return PackageName{Point(number(m[2]) / 10, number(m[3]) / 10), number(m[4]) * 10, false,
                       "IPC-7351 chip"};
  if (std::regex_search(name, m, molded))
    return PackageName{Point(number(m[2]) / 10, number(m[3]) / 10), number(m[4]) * 10, false,
                       "IPC-7351 molded body"};
  if (std::regex_search(name, m, can))
    return PackageName{Point::Constant(number(m[1]) / 100), number(m[2]) * 10, false,
                       "IPC-7351 aluminium can"};
  if (std::regex_search(name, m, leads))
    return PackageName{std::nullopt, number(m[1]) * 10, true, "IPC-7351 name, a maximum"};
  if (std::regex_search(name, m, ball))
    return PackageName{Point(number(m[1]) / 100, number(m[2]) / 100), number(m[3]) * 10, true,
                       "IPC-7351 ball grid array, a maximum"};
  return std::nullopt;
}

std::optional<PackageName> kicad_name(const std::string& name) {
  static const std::string n = "(\\d+(?:\\.\\d+)?)";
  static const std::regex box("_" + n + "x" + n + "x" + n + "mm"), flat("_" + n + "x" + n + "mm"),
      eia("_EIA-(\\d{2})(\\d{2})-(\\d{2,3})"), can("^CP_Elec_" + n + "x" + n),
      radial("_D" + n + "mm_H" + n + "mm"), upright("_L" + n + "mm_W" + n + "mm(?:_H" + n + "mm)?"),
      tall("_H" + n + "mm");
  std::smatch m;
  if (std::regex_search(name, m, box))
    return PackageName{Point(number(m[1]), number(m[2])), number(m[3]) * 1e3, false, "KiCad name L x W x H"};
  if (std::regex_search(name, m, eia))
    return PackageName{Point(number(m[1]) / 10, number(m[2]) / 10), number(m[3]) * 100, false,
                       "EIA case code"};
  if (std::regex_search(name, m, can))
    return PackageName{Point::Constant(number(m[1])), number(m[2]) * 1e3, false,
                       "KiCad name diameter x height"};
  if (std::regex_search(name, m, radial))
    return PackageName{Point::Constant(number(m[1])), number(m[2]) * 1e3, false, "KiCad name D and H"};
  if (std::regex_search(name, m, upright))
    return PackageName{Point(number(m[1]), number(m[2])),
                       m[3].matched ? std::optional(number(m[3]) * 1e3) : std::nullopt, false,
                       "KiCad name L, W and H"};
  PackageName found;
  if (std::regex_search(name, m, flat)) found.body_mm = Point(number(m[1]), number(m[2]));
  if (std::regex_search(name, m, tall)) found.height_um = number(m[1]) * 1e3;
  if (!found.body_mm && !found.height_um) return std::nullopt;
  found.rule = "KiCad name";
  return found;
}

}  // namespace

std::optional<PackageName> decode_package_name(const std::string& name) {
  if (name.size() > 200) return std::nullopt;
  auto found = ipc_name(name);
  if (!found) found = kicad_name(name);
  // Sizes of no part: a name that only looks like a pattern.
  if (found && found->height_um && !(*found->height_um >= 50 && *found->height_um <= 60'000))
    found->height_um.reset();
  if (found && found->body_mm && !(found->body_mm->minCoeff() > 0.1 && found->body_mm->maxCoeff() < 200))
    found->body_mm.reset();
  if (found && !found->height_um && !found->body_mm) return std::nullopt;
  return found;
}

}  // namespace datum::design
