// A payload that can't be a frame: its parts contradict themselves, or say too little of where a pixel lies.
#pragma once

#include <cstdint>
#include <string>

#include "drivers/frame/frame_error.h"

namespace datum::genicam {

enum class Fault : std::uint8_t {
  incomplete,     // packets are missing
  out_of_bounds,  // a part reaches beyond the payload
  size_mismatch,  // rows x columns x bytes of a pixel is not the part's size
  pixel_format,   // no heights in it, or in a form that is not read
  parts,          // two height maps, or parts of several sizes
  scan3d,         // unit, output mode or coordinate system that gives no mm; scale or mark that can't be
  irregular_grid  // x and y of the points are no grid
};

class PayloadError : public FrameError {
 public:
  PayloadError(Fault fault, const std::string& what) : FrameError(what), fault_(fault) {}
  Fault fault() const { return fault_; }

 private:
  Fault fault_;
};

}  // namespace datum::genicam
