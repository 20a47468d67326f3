// Where a hole is scanned, then touched: the hybrid probe, fed from the cell's links.
//
//   IDLE -start-> STARTED -scan-> SCANNING -> APPROACH -enter-> TOUCHING -touch ...-> DONE | MISMATCH | GUARD | ...
//
// Everything runs on the loop's thread; reading a frame and finding the hole in it run on the worker's. Every input
// goes to a log that replays. The probe is moved by an operator, or, where the configuration allows it ([cmm.ipp]
// allow_motion), by the machine: enter() and touch() then go the way that moves() tells, and any doubt stops it.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "calib/calibration.h"
#include "calib/hybrid/find_hole.h"
#include "calib/hybrid/hybrid_log.h"
#include "daemon/calibration/procedure.h"
#include "daemon/holes/hole_log.h"
#include "daemon/holes/hole_settings.h"
#include "daemon/instrument/hole_prober.h"
#include "drivers/cmm/probe_mover.h"
#include "drivers/cmm/stare_session.h"
#include "drivers/cmm/touch_source.h"

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

  bool active() const { return step_ == Step::started || step_ == Step::scanning || step_ == Step::probing; }
  /// A touch, a position or a frame is awaited.
  bool pending() const { return step_ == Step::scanning || awaited_ != Awaited::nothing || !way_.empty(); }
  /// The sensor may expose.
  bool awaits_frame() const;
  /// The machine moves the probe.
  bool driving() const { return !way_.empty(); }

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
  void latched(const ProbePoint& sample, MonotonicNs now);
  void after_round(MonotonicNs now);
  std::optional<MonotonicNs> deadline() const;
  void on_deadline(MonotonicNs now);

 private:
  enum class Step { idle, started, scanning, probing, ended };
  enum class Awaited { nothing, entry, touch };
  struct Snapshot;  // a frame and what was found in it, shared with the worker
  /// What the last hole at the ring gauge's place came to.
  struct MeasuredGauge {
    GaugeCheck check;
    MonotonicNs at_ns;
    std::string utc, calibration_sha256;
  };

  void enter_step(Step step);
  const HoleSettings& settings() const;
  HybridSettings hybrid_settings() const;
  void take_up_run();
  void await(Awaited what);
  ProbeMover* mover() const { return parts_.cmm ? parts_.cmm->mover() : nullptr; }
  void demand_rest() const;
  bool orders_gauge() const;
  void demand_gauge(const HoleOrder& order, const Calibration& calibration) const;
  std::string gauge_doubt(const Calibration& calibration) const;
  void check_gauge();
  void drive();
  ProbeRoom room() const;
  void leave_hole();
  void moved(const std::string& why, MonotonicNs now);
  void stop_moving(const std::string& why);
  void touch_ended(MonotonicNs now);
  void take_frame(const ClaimedFrame& claim, MonotonicNs now);
  void frame_read(const std::shared_ptr<Snapshot>& snapshot);
  void scan_ended();
  void hole_sought(const std::shared_ptr<Snapshot>& snapshot);
  void fail_scan(const std::string& why);
  void stop_waiting();
  void probe_moved_on();
  void record();
  std::string source_line(const Snapshot& snapshot) const;
  void say(const std::string& text) { parts_.log(5, "hole: " + text); }

  HoleProcedureDependencies parts_;
  HoleLog log_;
  Step step_ = Step::idle;
  Awaited awaited_ = Awaited::nothing;
  std::deque<HoleMove> way_;  // that the machine still has to go; the first is under way
  HoleOrder order_;
  std::shared_ptr<const Calibration> calibration_;  // of the run: its bias is no other's
  std::optional<HybridRun> run_;
  std::optional<TouchSource> touches_;
  StareSession stare_;
  MonotonicNs scan_asked_ns_ = 0;
  std::optional<MonotonicNs> frame_due_;
  std::shared_ptr<Snapshot> snapshot_;
  std::string frame_id_, frame_sha256_;  // the hole was found in
  /// Since this program started: while none ran, nobody watched the probe, so that a restart demands the gauge anew.
  std::optional<MeasuredGauge> gauge_;
  std::string last_;  // what the last step came to
};

}  // namespace datum
