// Where a board carries its serial number as a DataMatrix code, and what the code says: table [serial.code] of a recipe.
#pragma once

#include <Eigen/Core>

#include "drivers/scanner/settings.h"

namespace datum {

struct CodeRegion {
  // Board coordinates; of a panel those of the panel. The region has the whole code with its quiet zone wherever the board may lie.
  Eigen::Vector2d centre_mm = Eigen::Vector2d::Zero(), size_mm = Eigen::Vector2d::Zero();
  ScanPayload payload;
};

}  // namespace datum
