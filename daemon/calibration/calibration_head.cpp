// CalibrationProcedure: what depends on the positions of a rotary head.
#include <algorithm>
#include <cmath>
#include <set>

#include "calib/calibration_store.h"
#include "daemon/calibration/calibration_procedure.h"
#include "daemon/instrument/scpi_error.h"

namespace datum {

/// Where the probe's tip lies depends on the head's angles: all touches are made at the same ones.
std::string CalibrationProcedure::other_head(const Touch& touch) {
  const auto& settings = parts_.config.calibrate->head;
  const FaceTouches& all = session_->touches();
  const bool first = std::all_of(all.begin(), all.end(), [](const auto& of_face) { return of_face.empty(); });
  if (first) touched_at_deg_ = touch.head_deg;
  if (!settings || (!touch.head_deg && !touched_at_deg_)) return "";
  for (std::size_t i = 0; i < 3; ++i)
    if (!touch.head_deg || !touched_at_deg_ ||
        !(std::abs(std::remainder((*touch.head_deg)[i] - (*touched_at_deg_)[i], 360)) <=
          settings->tolerance_deg))
      return "the head stands elsewhere than at the touches before; turn it back, or CALibration:FORGet them";
  return "";
}

/// The sensor's calibrations at all positions of its head.
void CalibrationProcedure::withdraw(const std::string& operator_name, const std::string& why) {
  const auto refuse = [](const std::string& text) { throw scpi::Error(scpi::calibration_failed, text); };
  try {
    const CalibrationStore store(archive_.folder(), parts_.texts);
    if (!store.journal_problem().empty()) refuse(store.journal_problem());
    std::set<std::string> positions;  // of the head; "": without one
    for (const JournalEntry& e : store.journal().entries())
      if (e.sensor_serial == parts_.sensor.serial)
        positions.insert(e.from.starts_with("sensor/") ? e.from.substr(7) : "");
    bool any = false;
    for (const std::string& position : positions) {
      Calibration c;
      if (!position.empty()) c.head = HeadPosition{position};
      const auto current = store.journal().current("machine", journal_from(c), parts_.sensor.serial);
      if (!current) continue;
      c.id = current->calibration;
      c.sha256 = current->sha256;
      c.sensor_serial = parts_.sensor.serial;
      journal(JournalEvent::withdraw, c, operator_name, why);
      any = true;
    }
    if (!any) refuse("no calibration of sensor " + parts_.sensor.serial + " is current");
  } catch (const CalibrationError& error) {
    refuse(error.what());
  }
}

}  // namespace datum
