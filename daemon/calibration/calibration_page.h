// One page on a calibration, to be read in a browser and printed: HTML with its pictures beside it.
#pragma once

#include <string>

#include "daemon/calibration/calibration_session.h"

namespace datum {

/// What the page says beside the session.
struct PageContents {
  std::string outcome;  // "accepted: ...", "... has drifted: ..."
  std::string written;  // ISO 8601 UTC
  std::string sensor_serial, software;
  std::string log;                     // name of the session's log
  std::string scan_png, residual_png;  // names beside the page
};

std::string page_of(const CalibrationSession& session, const PageContents& facts);

}  // namespace datum
