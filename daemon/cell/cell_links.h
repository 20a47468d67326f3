// CellLinks: the links of the cell: sensor, CMM, controller and hosts. It reports when the sensor or the CMM is lost
// or back. On the loop's thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "daemon/cell/host_events.h"
#include "daemon/controller/controller_watch.h"
#include "drivers/cmm/source.h"
#include "drivers/sensor/frame_source.h"

namespace datum {

class CellLinks {
 public:
  /// `cmm`, `controller`: null where there is none.
  CellLinks(FrameSource& frames, CmmSource* cmm, const ControllerWatch* controller, const HostEvents& events)
      : frames_(frames), cmm_(cmm), controller_(controller), events_(events) {}

  /// A link beside the endpoints. `status_provider`: null where it has no report.
  void add(const Pollable& link, const LinkStatusProvider* status_provider);

  /// To be called with each sample of the CMM.
  void watch_cmm(const ProbePoint& sample);
  /// Once a round. Why the board in work can't be measured, as the sensor's source says; empty: it can.
  std::string watch_sensor();
  /// Once a round: what the CMM's source has to tell goes to the log.
  void log_cmm_notes() const;

  /// Throws scpi::Error -241 where the sensor or the CMM is down.
  void demand_up() const;
  /// One line for each of them that is down.
  std::vector<std::string> faults() const;
  /// STATus:OPERation's bits of the two.
  unsigned condition() const;
  /// The CMM; throws scpi::Error -241 where none is configured.
  CmmSource& demand_cmm() const;
  /// The CMM's position of this moment; none: no CMM is configured.
  std::optional<ProbePoint> position() const;

  /// One line for each link.
  std::vector<std::string> describe() const;
  /// The sensor's first, then the CMM's, then those of hosts.
  std::vector<LinkReport> reports() const;

 private:
  bool cmm_is_down() const;

  FrameSource& frames_;
  CmmSource* cmm_;
  const ControllerWatch* controller_;
  const HostEvents& events_;
  std::vector<const Pollable*> links_;
  std::vector<const LinkStatusProvider*> status_providers_;  // of them
  bool cmm_up_ = true;
  std::string sensor_refusal_;  // as it was reported last
};

}  // namespace datum
