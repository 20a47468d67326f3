// Where replays are asked for and their outcome is kept; one at a time, on the worker.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "daemon/cell/replay.h"
#include "daemon/instrument/replayer.h"
#include "daemon/store/result_store.h"
#include "daemon/system/worker.h"

namespace datum {

/// All of it outlives the remeasurement.
struct RemeasurementDependencies {
  ReplayPlaces places;
  const SensorProfile& sensor;
  BoardMeasurer& measurer;
  unsigned threads = 0;
  Worker& worker;
  ResultStore& reader;
  std::function<void()> check_idle;  // throws scpi::Error where the cell must not be disturbed
  std::function<void()> changed;     // hosts are told
};

class Remeasurement final : public Replayer {
 public:
  explicit Remeasurement(RemeasurementDependencies parts) : parts_(std::move(parts)) {}

  void start(std::uint64_t sequence) override;
  ReplayOutcome outcome() const override { return outcome_; }
  bool pending() const { return running_ != nullptr; }
  /// Its outcome will not be told.
  void abort();

 private:
  void finish(const std::shared_ptr<Replay>& replay);

  RemeasurementDependencies parts_;
  std::shared_ptr<Replay> running_;
  ReplayOutcome outcome_;
};

}  // namespace datum
