// HoleTour: a list of holes of one part, each found in a snapshot, then touched. The machine moves the probe where the
// configuration allows it; otherwise an operator leads it by PROBe:HOLE:ENTer and PROBe:HOLE:TOUCh.
//
// All holes are sought before anything moves; one that is not found is left out. The first hole that is not DONE ends the
// list: its machine was stopped, somebody must look before it moves again, and the holes behind it are not touched. On the
// loop's thread; the search runs on the worker's.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "daemon/holes/hole_procedure.h"
#include "daemon/inspection/verdict/verdict.h"

namespace datum {

/// A hole, and the frame that shows it.
struct TourHole {
  std::string name;
  HoleOrder order;
  std::shared_ptr<const HeightFrame> frame;
  FrameIdentity identity;
  std::array<double, 3> q_mm{};  // where the stage stood
};

struct TourDemand {
  std::vector<TourHole> holes;
  double travel_z_mm = 0;  // machine coordinates
  std::shared_ptr<const Calibration> calibration;
};

class HoleTour {
 public:
  /// Of all holes, in their order.
  using Ended = std::function<void(std::vector<HoleEvidence> touched)>;

  /// `procedure` and what `parts` names outlive the tour.
  HoleTour(HoleProcedure& procedure, ProcedureDependencies parts, const std::optional<HoleSettings>& holes);

  bool active() const { return demand_ != nullptr; }
  /// "hole 2 of 5 (H2): TOUCHING"
  std::string detail() const;
  /// `ended` is called once for each start() that is not aborted.
  void start(TourDemand demand, Ended ended);
  /// Stops the machine. No effect where no tour is active.
  void abort();
  /// The procedure's next step; to be called after every round of the loop.
  void after_round();

 private:
  struct Sought;  // shared with the worker

  void holes_sought(const std::shared_ptr<Sought>& sought);
  void begin_next();
  void step_on();
  void end_hole();
  void fail(Reason reason, const std::string& state, const std::string& why);
  void end_list(const std::string& why);
  void end();

  HoleProcedure& procedure_;
  ProcedureDependencies parts_;
  const std::optional<HoleSettings>& settings_;
  std::shared_ptr<const TourDemand> demand_;
  Ended ended_;
  std::shared_ptr<Sought> sought_;
  std::vector<HoleEvidence> touched_;
  std::size_t at_ = 0;  // the hole in work
  bool seeking_ = false, begun_ = false;
};

}  // namespace datum
