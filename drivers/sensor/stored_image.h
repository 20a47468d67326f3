// Where a file keeps the samples of one uncompressed image.
#pragma once

#include <vector>

#include "drivers/sensor/stored_number.h"

namespace datum {

struct StoredImage {
  /// Samples that lie one after the other.
  struct Run {
    std::uint64_t at = 0;     // of its first byte in the file
    std::uint64_t first = 0;  // index of its first sample, row-major
    std::uint64_t samples = 0;

    std::uint64_t end(std::size_t sample_bytes) const { return at + samples * sample_bytes; }
  };

  int rows = 0, cols = 0;
  StoredNumber as;
  bool big_endian = false;
  std::vector<Run> runs;  // every sample once, by index; neighbours in the file are one run

  std::uint64_t size() const { return static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(cols); }
  /// Joins the run to the one before where they touch.
  void add(const Run& run);
  /// Whether one ascending pass over the file meets every run, and no sample lies across two leaves of the
  /// hash (frame_hash.h).
  bool is_in_order() const;
};

}  // namespace datum
