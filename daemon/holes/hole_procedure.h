// HoleProcedure: a hole scanned, then touched, step by step.
//
//   IDLE -start-> STARTED -scan-> SCANNING -> APPROACH -enter-> TOUCHING -touch ...-> DONE | MISMATCH | GUARD | ...
//
// Everything runs on the loop's thread; reading a frame and finding the hole in it run on the worker's. Every input
// goes to a log that replays. The probe is moved by an operator, or, where the configuration allows it ([cmm.ipp]
// allow_motion), by the machine: enter() and touch() then go the way that moves() gives, and any fault stops it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "calib/calibration.h"
#include "calib/hybrid/find_hole.h"
#include "calib/hybrid/hybrid_log.h"
#include "config/utc_time.h"
#include "daemon/calibration/awaited_touch.h"
#include "daemon/calibration/frame_scan.h"
#include "daemon/holes/gauge_watch.h"
#include "daemon/holes/hole_log.h"
#include "daemon/holes/hole_search.h"
#include "daemon/holes/hole_settings.h"
#include "daemon/holes/probe_drive.h"
#include "daemon/instrument/hole_prober.h"
#include "daemon/instrument/scpi_error.h"

namespace datum {

struct HoleProcedureDependencies : ProcedureDependencies {
  const std::optional<HoleSettings>& holes;
  std::function<void()> demand_idle;  // throws scpi::Error: the cell does something else
  /// The one that may be used now; throws scpi::Error with why none may.
  std::function<std::shared_ptr<const Calibration>()> calibration;
};

class HoleProcedure final : public HoleProber {
 public:
  explicit HoleProcedure(HoleProcedureDependencies parts);

  // For a list of holes (hole_tour.h)
  /// Throws scpi::Error where no hole may be touched at all: not configured, or the ring gauge was not measured.
  void demand_ready(const Calibration& calibration) const;
  /// begin() of a hole that was found in a frame already: APPROACH at once. The tip gets there above travel_z_mm (machine
  /// coordinates), and back above it once the hole is DONE. Throws scpi::Error as start() does, but for the cell's state.
  void begin(const HoleOrder& order, const FoundHole& found, double travel_z_mm);
  const HybridProbe& probe() const { return run_->probe(); }
  /// The machine moves the probe itself.
  bool drives() const { return drive_.available(); }
  /// Why the way out of the hole failed; empty: it did not.
  const std::string& way_back_fault() const { return way_back_fault_; }
  /// "; the tip stands at 1.000 2.000 3.000 mm", as the machine's scales read it now.
  std::string standing() const;

  bool active() const { return step_ == Step::started || step_ == Step::scanning || step_ == Step::probing; }
  /// A touch, a position or a frame is awaited.
  bool pending() const { return step_ == Step::scanning || touch_.active() || drive_.active(); }
  /// The sensor may expose.
  bool awaits_frame() const { return scan_.awaits_frame(); }
  /// The machine moves the probe.
  bool driving() const { return drive_.active(); }

  // HoleProber
  void start(const HoleOrder& order) override;
  void scan() override;
  void enter() override;
  void touch() override;
  void abort() override;
  std::string step() const override;
  std::vector<std::string> report() const override;
  std::vector<HoleMove> moves() const override;
  std::optional<HoleResult> result() const override;

  // from the cell's links and its loop
  void position(const ProbePoint& sample, MonotonicNs now);
  void latched(const ProbePoint& sample, MonotonicNs now) { touch_.latched(sample, now); }
  void after_round(MonotonicNs now) { scan_.after_round(now); }
  std::optional<MonotonicNs> deadline() const;
  void on_deadline(MonotonicNs now);

 private:
  enum class Step { idle, started, scanning, probing, ended };
  struct Search;  // for the hole in a frame, shared with the worker

  void begin_order(const HoleOrder& order, const std::shared_ptr<const Calibration>& calibration);
  void probe_found(const FoundHole& found);
  void enter_step(Step step);
  const HoleSettings& settings() const;
  HybridSettings hybrid_settings() const;
  void take_up_run();
  void await_touch(bool entry);
  void touch_ended(const TouchSource& touch, MonotonicNs now);
  void demand_rest() const;
  bool orders_gauge() const;
  void check_gauge();
  ProbeRoom room() const;
  std::vector<ProbeLeg> legs() const;
  HoleMove travel_move() const;
  void moved(const std::string& why, MonotonicNs now);
  void seek(const FrameScan::Result& scan, DroppedFrame frame);
  void hole_sought(const std::shared_ptr<Search>& search);
  void fail_scan(const std::string& why);
  void stop_waiting();
  void probe_moved_on();
  /// Writes to the log; one that can't be written is told to every host and ends nothing.
  template <class Write>
  void record(Write write) {
    try {
      write();
    } catch (const HoleLogError& error) {
      parts_.raise(scpi::mass_storage_error, error.what());
    }
  }
  HolePlace place() const;
  std::string utc() const { return iso8601_from_utc(parts_.utc_ns() / 1'000'000'000); }
  void say(const std::string& text) { parts_.log(5, "hole: " + text); }

  HoleProcedureDependencies parts_;
  HoleLog log_;
  Step step_ = Step::idle;
  HoleOrder order_;
  std::shared_ptr<const Calibration> calibration_;  // of the run: its bias is no other's
  std::optional<HybridRun> run_;
  AwaitedTouch touch_;
  bool entry_ = false;  // the awaited touch is the tip that stands still in the hole
  FrameScan scan_;
  ProbeDrive drive_;
  std::shared_ptr<Search> search_;
  std::string frame_id_, frame_sha256_;  // the hole was found in
  std::optional<double> travel_z_mm_;    // of a list's hole: the height between holes
  std::string way_back_fault_;
  GaugeWatch gauge_;
  std::string last_;  // what the last step came to
};

}  // namespace datum
