// BoardOrders: makes the order of each board or part, with all that holds for it whatever comes: recipe, calibration,
// unit, and who measures.
//
// A reported unit number belongs to one board: the order takes it, and gives it back where its frame was nobody's.
// On the loop's thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "daemon/cell/board.h"
#include "daemon/cell/measurement_basis.h"
#include "daemon/cell/model_preparer.h"
#include "daemon/cell/serial_binding.h"
#include "daemon/gpu_worker/backend_choice.h"
#include "daemon/inspection/board/board_planner.h"

namespace datum {

struct BoardOrdersDependencies {
  const SensorProfile& sensor;
  const BackendChoice& backend;
  unsigned threads;
  std::int64_t temperature_max_age_s;
  const ControllerWatch* controller;  // null: verdicts say nothing of it
  const ModelParser* models;          // null: this process
  const MeasurementBasis& basis;
  LogSink log;
  SerialLimits serials{};
  const CodeReader* codes = nullptr;  // null: nobody reads codes
};

class BoardOrders {
 public:
  explicit BoardOrders(BoardOrdersDependencies dependencies)
      : deps_(std::move(dependencies)),
        models_(std::make_shared<SurfaceModels>(deps_.models)),
        preparer_(models_,
                  {deps_.backend.finder.get(), deps_.backend.matcher.get(), deps_.backend.sharer.get()},
                  deps_.threads, deps_.log),
        serials_(deps_.serials) {}

  const std::string& unit() const { return serials_.next().text; }
  MonotonicNs unit_reported_ns() const { return serials_.told_ns(); }
  SerialBinding& serials() { return serials_; }
  const SerialBinding& serials() const { return serials_; }
  /// The order's frame was nobody's. A number that was reported meanwhile is the newer one, and stays.
  void return_unit(BoardOrder& order);

  /// Makes what the chosen recipe's parts need ready, beside the loop.
  void prepare() { preparer_.prepare(deps_.basis.recipe()); }
  /// With the recipe that is chosen now.
  std::shared_ptr<BoardOrder> make(MonotonicNs now);
  /// The next snapshot of an order is triggered. The same number that was stated for it again is used up.
  void resume(BoardOrder& order);
  /// Only what load() needs.
  std::shared_ptr<BoardOrder> make_to_read(const ClaimedFrame& claim) const;
  /// What a delivery that is claimed now is for: with it a process that finds it in work/ measures what this one would
  /// have. `order`: the one in work; null: none.
  ClaimRecord record(const BoardOrder* order, bool triggered) const;
  /// A delivery that was in work when datumd ended is measured with its own recipe and unit, or not at all. Another unit that
  /// was reported since waits for its own frame.
  void restore(BoardOrder& order, const ClaimedFrame& claim);

 private:
  BoardOrdersDependencies deps_;
  std::shared_ptr<BoardPlanner> planner_ = std::make_shared<BoardPlanner>();  // used by whoever measures
  std::shared_ptr<SurfaceModels> models_;
  ModelPreparer preparer_;
  SerialBinding serials_;
  std::uint64_t begun_ = 0;
};

}  // namespace datum
