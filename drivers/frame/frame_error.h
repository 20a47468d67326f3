// Bad input of a frame: says where, what, and what to do.
#pragma once

#include <stdexcept>
#include <string>

#include "drivers/frame/bounded_text.h"

namespace datum {

class FrameError : public std::runtime_error {
 public:
  /// A file's own words may be in it: bounded_text of it is kept.
  explicit FrameError(const std::string& what) : std::runtime_error(bounded_text(what)) {}
};

}  // namespace datum
