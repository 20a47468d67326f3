// A height file as it is, before a sidecar says what its samples mean.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "drivers/sensor/stated_map.h"

namespace datum {

/// A file of a format that needs a sidecar, with what it states of its own.
struct FrameImage {
  std::string format;            // "TIFF"
  StatedMap map;                 // axes of a cloud: the grid through its points, in the cloud's unit
  bool is_cloud = false;         // its axes are in its own unit
  std::string sha256;            // of the file
  std::filesystem::path header;  // of ENVI data
};

/// Throws FrameError: not such a file, or damaged.
FrameImage frame_image_of(const std::filesystem::path& file);

struct SampleRange {
  std::string type;  // "16-bit integers"
  bool is_float = false;
  double least = 0, most = 0;             // of the samples that are numbers
  std::size_t not_numbers = 0;            // NaN
  std::size_t at_least = 0, at_most = 0;  // samples equal to least and to most
  std::size_t samples = 0;
};
SampleRange range_of(const Raster& raster);

}  // namespace datum
