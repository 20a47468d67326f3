// Replayer: the interface of the command protocol to the repeated measurement of a stored frame, with the recipe and
// calibration of its result. The daemon implements it.
#pragma once

#include <cstdint>
#include <string>

namespace datum {

struct ReplayOutcome {
  std::uint64_t sequence = 0;
  std::string state = "NONE";  // NONE, RUNNING, SAME, DIFFERENT or FAILED
  std::string detail;          // first difference, or the cause of a failure
};

class Replayer {
 public:
  virtual ~Replayer() = default;

  /// Overlapped like trigger(); stores nothing. -221 armed, or another operation is in progress; -222 no such result;
  /// -230 its recipe, calibration or sensor differs from the stored one; -256 its frame, recipe or calibration no longer
  /// exists.
  virtual void start(std::uint64_t sequence) = 0;
  /// Outcome of the last repeated measurement.
  virtual ReplayOutcome outcome() const = 0;
};

}  // namespace datum
