// Error of a frame's input: place, fault and remedy.
#pragma once

#include <stdexcept>
#include <string>

#include "drivers/frame/bounded_text.h"

namespace datum {

class FrameError : public std::runtime_error {
 public:
  /// The text may quote the file; it is limited by bounded_text.
  explicit FrameError(const std::string& what) : std::runtime_error(bounded_text(what)) {}
};

}  // namespace datum
