// Replayer: what the command protocol asks of a replay, a stored frame that is measured again with what it was
// measured with. The daemon implements it; the codec knows no more.
#pragma once

#include <cstdint>
#include <string>

namespace datum {

struct ReplayOutcome {
  std::uint64_t sequence = 0;
  std::string state = "NONE";  // NONE, RUNNING, SAME, DIFFERENT or FAILED
  std::string detail;          // the first difference, or why there is no answer
};

class Replayer {
 public:
  virtual ~Replayer() = default;

  /// Overlapped as a trigger is. Stores nothing. -221 armed, or something else is in progress; -222 no such result;
  /// -230 its recipe, its calibration or its sensor is not the stored one's any more; -256 its frame, its recipe or its
  /// calibration is gone.
  virtual void start(std::uint64_t sequence) = 0;
  /// Of the last replay.
  virtual ReplayOutcome outcome() const = 0;
};

}  // namespace datum
