// Bad input of a frame: says where, what, and what to do.
#pragma once

#include <stdexcept>
#include <string>

namespace datum {

class FrameError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace datum
