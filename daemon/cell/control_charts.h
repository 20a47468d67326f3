// ControlCharts: the control charts of the running cell (daemon/charts) with their thread, their records and the hosts.
//
// A result is watched behind its announcement, on a thread of its own that reads it from the store. What is hit becomes a record of the store
// and a statement in its chain before the log says so; a kill leads to the same records, once each. On the loop's thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/cell/host_events.h"
#include "daemon/cell/measurement_basis.h"
#include "daemon/charts/stored_charts.h"
#include "daemon/instrument/chart_watcher.h"
#include "daemon/system/worker.h"

namespace datum {

struct ControlChartDependencies {
  std::filesystem::path store_file;
  Worker* watcher;  // null: nothing is watched
  Worker& storer;
  ResultStore& writer;                   // used on the storer's thread only
  std::function<std::int64_t()> utc_ns;  // since 1970-01-01
  const HostEvents& events;
  MeasurementBasis& basis;
};

class ControlCharts final : public ChartWatcher {
 public:
  explicit ControlCharts(ControlChartDependencies dependencies);
  /// Reads the store's records. Throws StoreError.
  void begin();

  // ChartWatcher
  std::vector<ChartStatus> charts() const override;
  ChartStatus chart(const std::string& recipe) const override;
  void acknowledge(const std::string& recipe, const std::string& by, const std::string& why) override;

  /// A result is stored and announced.
  void take(const BoardVerdict& verdict);
  /// Once a round: what could not be stored or read is tried again.
  void after_round(MonotonicNs now);
  /// Recipes or limits may have changed.
  void look_again() { watch(); }

  /// Throws scpi::Error where the cell must not be armed with this recipe.
  void demand_armable(const std::string& recipe) const;
  /// Why a cell that is armed with this recipe is disarmed; empty: it stays.
  std::string reason_to_disarm(const Recipe* recipe) const;
  /// A record is on its way to the disk.
  bool storing() const { return storing_ || acknowledging_ > 0 || !records_.empty(); }

 private:
  struct Identity {
    std::string recipe_sha256, calibration_sha256, code;
  };
  struct Live {
    quality::LimitsFound found;
    std::optional<Identity> newest;  // what made the newest result
    std::uint64_t hit_results = 0;
    std::optional<ChartRecord> hit, disarmed;
    std::string reported;  // stale or fault, as the log has it
  };
  void watch();
  void found(const quality::ChartFindings& findings);
  void count(const ChartRecord& record);
  void report_limits(const std::string& recipe);
  void store();
  void log(const ChartRecord& record) const;
  std::string stale_text(const Live& live) const;
  ChartStatus status_of(const std::string& recipe, const Live& live) const;

  ControlChartDependencies deps_;
  std::shared_ptr<quality::StoredCharts> stored_;  // the watcher's; it may outlive this
  std::map<std::string, Live> live_;
  std::vector<ChartRecord> records_;  // not stored yet
  std::uint64_t watched_ = 0, kept_watched_ = 0;
  std::vector<ChartCheckpoint> checkpoints_;  // of watched_
  int acknowledging_ = 0;                     // on their way through the watcher
  bool watching_ = false, again_ = false, storing_ = false;
  std::string store_fault_, watch_fault_;
  MonotonicNs not_before_ns_ = 0;
};

}  // namespace datum
