// A payload that is no frame: its parts are inconsistent, or do not determine where a pixel lies.
#pragma once

#include <cstdint>
#include <string>

#include "drivers/frame/frame_error.h"

namespace datum::genicam {

enum class Fault : std::uint8_t {
  incomplete,     // packets are missing
  out_of_bounds,  // a part exceeds the payload
  size_mismatch,  // rows x columns x bytes of a pixel differ from the part's size
  pixel_format,   // no heights, or an unsupported format
  parts,          // two height maps, or parts of several sizes
  scan3d,         // unit, output mode or coordinate system without mm; invalid scale or mark
  irregular_grid  // x and y of the points do not form a grid
};

class PayloadError : public FrameError {
 public:
  PayloadError(Fault fault, const std::string& what) : FrameError(what), fault_(fault) {}
  Fault fault() const { return fault_; }

 private:
  Fault fault_;
};

}  // namespace datum::genicam
