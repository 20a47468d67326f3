// Errors of a link, classed by the reaction that they demand.
#pragma once

#include <stdexcept>

namespace datum {

/// Try again on the same link: a time-out, a garbled line.
class TransientError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The link is gone: close it and reopen with back-off (unplugged, reset by peer, power cycle).
class LostError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Stop and tell the operator: wrong device, wrong settings, no permission.
class RefusedError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace datum
