// One pass over stored samples: each becomes a count and a validity class, at its place in the frame.
#pragma once

#include <memory>
#include <string>

#include "drivers/frame/height_frame.h"
#include "drivers/sensor/pixel_rule.h"
#include "drivers/sensor/sidecar.h"
#include "drivers/sensor/stored_number.h"

namespace datum {

/// Writes a frame's counts and classes from stored samples in any order, by several threads, each pixel once.
class PixelPass {
 public:
  /// What becomes of a frame's samples beside their conversion.
  struct Treatment {
    InvalidMark invalid{};
    const SensorProfile* profile = nullptr;  // its range; null: no pixel is out of range
    bool reversed = false;                   // the columns of each row
  };

  virtual ~PixelPass() = default;
  /// Samples from index `first` on, row-major. Callable from several threads for different samples.
  virtual void put(std::uint64_t first, ByteView samples) = 0;
  /// After all. Throws FrameError for a sample that is neither finite nor a mark, the first in the file.
  virtual void finish() const = 0;
};

/// Pixels go to `frame.early`, too, once they are in their places.
///
/// For `frame`, whose rows, columns, counts and classes have their sizes and whose counts have the type that
/// `as` becomes (raster_frame.h). Samples may lie in the counts themselves where neither type nor order
/// changes. Throws FrameError naming `name`, as frame_from_raster, for 8 bits and for an invalid value that
/// the type can't have.
std::unique_ptr<PixelPass> pixel_pass(HeightFrame& frame, const StoredNumber& as, bool big_endian,
                                      const PixelPass::Treatment& treatment, const std::string& name);

}  // namespace datum
