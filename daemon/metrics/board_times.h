// Times at which a board passed the stations of its way, from its delivery to the line at its hosts; 0: not reached.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "drivers/port/pollable.h"

namespace datum {

/// Monotonic clock. A board without a measurement (no frame, no position) has the times up to that point.
struct BoardTimes {
  MonotonicNs triggered_ns = 0;
  MonotonicNs noticed_ns = 0;    // its delivery was complete; of a frame from the network its first byte came
  MonotonicNs taken_ns = 0;      // the cell accepted its frame
  MonotonicNs read_ns = 0;       // its frame was read and hashed
  MonotonicNs turn_ns = 0;       // the boards before it have left the way
  MonotonicNs complete_ns = 0;   // frame and positions are complete
  MonotonicNs begun_ns = 0;      // the worker began
  MonotonicNs plan_ns = 0;       // duration: gates, filter, alignment, plan; of a part 0
  MonotonicNs heights_ns = 0;    // duration: floors and heights; of a part 0
  MonotonicNs evidence_ns = 0;   // duration: noise, the board's form; of a part 0
  MonotonicNs measured_ns = 0;   // the verdict is known
  MonotonicNs stored_ns = 0;     // the result is on the disk
  MonotonicNs announced_ns = 0;  // the result was sent to the hosts
};

/// One step of the way, in its order. Steps follow each other without gaps.
struct BoardStep {
  std::string name;
  MonotonicNs took_ns = 0;
};

/// Every name with its meaning, for manual and tables.
struct BoardStepKind {
  const char *name, *meaning;
};
inline constexpr std::array<BoardStepKind, 12> board_step_kinds{{
    {"notice", "from the complete delivery, or a network frame's first byte, to the cell"},
    {"read", "the frame is read, hashed, parsed, its pixels classed"},
    {"turn", "the read frame waits for the board before it"},
    {"position", "the position after the frame is awaited"},
    {"queue", "the measurement waits for its thread"},
    {"plan", "gates, filter, alignment and the plan of sites; of a part its pose and its points"},
    {"heights", "floors and heights of every site; of a part the distances from its model"},
    {"evidence", "noise, and the board's form; of a part what was covered, noise and its facet map"},
    {"decide", "characteristics, uncertainties, decisions"},
    {"inspect", "a board or a part that could not be measured"},
    {"store", "the result is brought to the disk"},
    {"announce", "the line is given to every host"},
}};

/// The steps that the board went. Those without their begin or their end are left out.
std::vector<BoardStep> steps_of(const BoardTimes& times);

/// {"steps": [{"step": "read", "us": 5123.4}, ...], "total_us": 9876.5}, microseconds.
std::string to_json(const std::vector<BoardStep>& steps);
/// Throws std::runtime_error where the text is none of to_json.
std::vector<BoardStep> steps_from_json(const std::string& text);

}  // namespace datum
