// Errors of a communication link, classed by the required reaction.
#pragma once

#include <stdexcept>

namespace datum {

/// Retry on the same link: a timeout, a garbled line.
class TransientError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The link is lost: close it and reopen with back-off (unplugged, reset by peer, power cycle).
class LostError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Stop and report to the operator: wrong device, wrong settings, no permission.
class RefusedError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace datum
