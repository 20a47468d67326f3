// Features of an ODB++ job's outer layers.
#pragma once

#include <string>

#include "daemon/design/design.h"
#include "daemon/design/odb_files.h"

namespace datum::design::odb {

/// Of all layers; a board of 312 x 107 mm has some 0.3 million.
constexpr std::size_t max_odb_features = 4'000'000;

/// Copper, mask openings, silkscreen and drills of a step by the matrix' layers. Pads of copper that belong to no component are vias.
void read_layers(const OdbFiles& files, const std::string& step, double default_mm, const std::string& name,
                 Design& design);

}  // namespace datum::design::odb
