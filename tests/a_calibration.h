// A calibration that a test writes into its folder, checksum and all.
#pragma once

#include <string>

#include "calib/calibration.h"
#include "calib/calibration_journal.h"
#include "config/utc_time.h"

namespace datum::testing {

/// Of sensor S7, from 2026-03-01 to 2026-09-01, identity, without a demand on the temperature.
inline Calibration a_calibration(const std::string& id) {
  Calibration c;
  c.id = id;
  c.sensor_serial = "S7";
  c.made_utc_s = *utc_from_iso8601("2026-03-01T00:00:00Z");
  c.expires_utc_s = *utc_from_iso8601("2026-09-01T00:00:00Z");
  c.operator_name = "J. M\xc3\xbcller";
  c.software = "0.1.0 test";
  c.residual_rms_um = 3.5;
  c.covariance.diagonal() << 1e-10, 1e-10, 1e-10, 1e-6, 1e-6, 1e-6;
  return c;
}

/// That calibration's line in a journal.
inline JournalEntry journal_entry(JournalEvent event, const Calibration& c) {
  JournalEntry e;
  e.event = event;
  e.utc = "2026-03-01T08:30:00Z";
  e.to = "machine";
  e.from = "sensor";
  e.sensor_serial = c.sensor_serial;
  e.calibration = c.id;
  e.sha256 = c.sha256;
  e.operator_name = c.operator_name;
  e.note = "by a test";
  return e;
}

}  // namespace datum::testing
