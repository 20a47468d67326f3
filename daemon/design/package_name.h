// What the name of a package says: IPC-7351 names, KiCad's names, metric and imperial chip codes.
#pragma once

#include <optional>
#include <string>

#include "daemon/design/design.h"

namespace datum::design {

struct PackageName {
  std::optional<Point> body_mm;  // at rotation 0: x, y
  std::optional<double> height_um;
  bool is_maximum = false;  // the height is a maximum of a standard, not a nominal
  std::string rule;         // the pattern that matched: "IPC-7351 chip"
};

/// IPC-7351 chip "RESC1608X55" (length, width in 0.1 mm, height in 0.01 mm), molded "CAPMP3528X210" and can "CAPAE660X550";
/// gull wing "SOIC127P600X175-8" and no lead "QFN50P500X500X80-33" (heights alone, maxima); KiCad's "_LxWxHmm", "_10x10mm",
/// "_EIA-3528-21", "CP_Elec_6.3x7.7", "D6.3mm_H11.0mm". None: no pattern matches.
std::optional<PackageName> decode_package_name(const std::string& name);

}  // namespace datum::design
