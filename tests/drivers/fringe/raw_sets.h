// Small sets of raw fringe images for tests: grey ramps, no fringes.
#pragma once

#include <filesystem>
#include <string>

#include "drivers/fringe/raw_set.h"
#include "tests/drivers/sensor/tiny_files.h"

namespace datum::testing {

inline FringeSettings two_periods_of_three() {
  FringeSettings s;
  s.periods_px = {16, 15};
  s.steps = 3;
  s.projector_px = 200;
  s.camera_maximum = 255;
  s.min_modulation = 8;
  s.agreement_px = 0.25;
  s.image_names = "{set}_{period}_{step}.png";
  return s;
}

/// The images of `set`, 2 rows x 3 columns, with uniform grey `grey` + their number, and their sidecar.
inline SetSidecar write_images(const std::filesystem::path& folder, const std::string& set, int grey,
                               const FringeSettings& settings) {
  SetSidecar sidecar{"FP-1", "board-a", "5f3c", "f-" + set, {17, ClockDomain::sensor}, Handedness::right, {}};
  int number = 0;
  for (const std::string& name : image_names(settings, set)) {
    const std::vector<std::uint8_t> samples(6, static_cast<std::uint8_t>(grey + number++));
    if (name.ends_with(".png"))
      write_png(folder / name, 2, 3, samples);
    else
      write_tiff(folder / name, 2, 3, samples);
    sidecar.images.push_back({name, sha256_hex({read_bytes(folder / name, 1 << 20)})});
  }
  return sidecar;
}

inline std::filesystem::path write_set(const std::filesystem::path& folder, const std::string& set, int grey,
                                       const FringeSettings& settings) {
  const SetSidecar sidecar = write_images(folder, set, grey, settings);
  write_file(folder / (set + ".json"), write_set_sidecar(sidecar));
  return folder / (set + ".json");
}

}  // namespace datum::testing
