// The search for an ordered hole in a frame, and the line of the record that says what it was made of.
#pragma once

#include <array>
#include <functional>
#include <string>

#include "calib/calibration.h"
#include "calib/hybrid/find_hole.h"
#include "daemon/holes/gauge_watch.h"
#include "daemon/holes/hole_settings.h"
#include "daemon/instrument/hole_prober.h"
#include "drivers/frame/sensor_profile.h"
#include "drivers/sensor/claimed_frame.h"

namespace datum {

/// What a search needs beside the frame. Borrowed.
struct HolePlace {
  const HoleOrder& order;
  const Calibration& calibration;
  const SensorProfile& sensor;
  const HoleSettings& settings;
};

/// A hole in a frame that was taken with the stage at q_mm.
struct FoundHole {
  HoleCandidate hole;
  FrameIdentity identity;
  std::array<double, 3> q_mm{};
};

/// Finds the hole in a frame that was taken with the stage at q_mm; keeps copies, for the worker's thread. The call throws
/// HoleRefused as find_hole() does.
std::function<HoleCandidate(const HeightFrame&)> search_at(const HolePlace& place,
                                                           const std::array<double, 3>& q_mm);

/// `gauge`: null where none vouches for the probe.
std::string source_line(const HolePlace& place, const FoundHole& found, const std::string& utc,
                        const GaugeWatch::Measured* gauge);

}  // namespace datum
