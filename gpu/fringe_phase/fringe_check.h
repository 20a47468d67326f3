// What every backend refuses before it begins.
#pragma once

#include <string>

#include "gpu/fringe_phase/fringe_phase.h"

namespace datum::fringe {

/// Throws std::invalid_argument("fringes: " + what).
[[noreturn]] void refuse(const std::string& what);
/// "14", "0.25": as a person writes it.
std::string short_number(double v);

/// These throw std::invalid_argument saying what is wrong and what is wanted.
void check(const FringePattern& pattern);
void check(const FringeLimits& limits, SampleType type);
/// Of the images: size and pointers.
void check_images(const FringeImages& images, const FringePattern& pattern);
/// Size, model, and what the maps need.
void check_maps(const FringeImages& images, const FringePattern& pattern, const HeightModel* model,
                const FringeMaps& maps);

}  // namespace datum::fringe
