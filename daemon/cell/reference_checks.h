// ReferenceChecks: the cell's reference checks (daemon/checks/check_book.h) with their clock, their store and the hosts.
//
// Records go to the storer before any result of a board that is concluded later. Where they can't be stored, no product is
// measured. On the loop's thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "daemon/cell/board.h"
#include "daemon/cell/cell_state.h"
#include "daemon/cell/host_events.h"
#include "daemon/cell/measurement_basis.h"
#include "daemon/checks/check_book.h"
#include "daemon/system/worker.h"

namespace datum {

struct ReferenceCheckDependencies {
  const std::optional<CheckSettings>& settings;  // none: the cell has no reference checks
  std::filesystem::path store_file;
  std::int64_t temperature_max_age_s;
  Worker& storer;
  ResultStore& writer;  // used on the storer's thread only
  ResultStore& reader;
  std::function<std::int64_t()> utc_ns;  // since 1970-01-01
  const HostEvents& events;
  MeasurementBasis& basis;
  CellState& state;
  std::function<void()> demand_idle;  // throws scpi::Error
};

class ReferenceChecks final : public ReferenceChecker {
 public:
  explicit ReferenceChecks(ReferenceCheckDependencies dependencies) : deps_(std::move(dependencies)) {}
  /// Reads the store, once the calibration is known. Throws StoreError.
  void begin();

  // ReferenceChecker
  std::vector<CheckStatus> checks() const override;
  void start(const std::string& name, const std::string& by) override;
  void abort() override;
  void declare_due(const std::string& name, const std::string& why) override;
  void override_check(const std::string& name, const std::string& by, const std::string& why) override;

  bool configured() const { return deps_.settings.has_value(); }
  /// Once a round: notices what became due, and stores records.
  void after_round(MonotonicNs now);
  /// Ends a check in progress, for *RST.
  void reset();

  /// Throws scpi::Error where the cell must not be armed with this recipe.
  void demand_armable(const std::string& recipe);
  /// A check is in progress: one board after the other.
  bool checking() const { return book_ && book_->checking(); }
  /// Why an armed cell with nothing in hand is disarmed; empty: it stays.
  std::string reason_to_disarm();
  /// A check ended, and the cell is not disarmed yet.
  bool ended() const { return !ended_.empty(); }
  /// A record is on its way to the disk.
  bool storing() const { return storing_ || (book_ && book_->has_records()); }

  /// Gives a board that is concluded now its evidence, and makes it INVALID where a product must not be measured.
  void judge(BoardOrder& board);
  /// A stored result.
  void take(const BoardVerdict& verdict);
  std::vector<std::string> warnings() const;

 private:
  CheckMoment moment() const;
  CheckBook& book();
  std::string refusal() const;
  void store_renewed();
  void observe();
  void report();

  ReferenceCheckDependencies deps_;
  std::optional<CheckBook> book_;
  std::string ended_;  // how the last check did
  bool storing_ = false;
  std::string store_fault_, store_id_;
  MonotonicNs not_before_ns_ = 0, observed_ns_ = 0;
};

}  // namespace datum
