// PersonActs: what persons did beside the running cell goes into the chain of results: studies that are started or complete
// (datumctl study), heights that are confirmed (datumctl recipe confirm). datumctl leaves files alone; datumd finds them, whether it ran
// then or not. On the loop's thread; the watcher reads the files.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "daemon/cell/host_actions.h"
#include "daemon/cell/measurement_basis.h"
#include "daemon/store/act_records.h"
#include "daemon/system/worker.h"

namespace datum {

struct PersonActDependencies {
  std::filesystem::path store_file;
  Worker* watcher;                       // null: nothing is looked for
  std::function<std::int64_t()> utc_ns;  // since 1970-01-01
  const HostEvents& events;
  MeasurementBasis& basis;
  HostActions& actions;
};

class PersonActs {
 public:
  explicit PersonActs(PersonActDependencies dependencies) : deps_(std::move(dependencies)) {}

  /// Looks where recipes or the folder of studies changed, and now and then while a study runs.
  void after_round(MonotonicNs now);

 private:
  struct Found {
    std::vector<ActRecord> acts;
    bool running = false;  // a study
  };
  void look();
  void found(const Found& found);

  PersonActDependencies deps_;
  std::shared_ptr<const std::set<std::string>> known_;  // keys; null: not read yet
  std::weak_ptr<const RecipeStore> recipes_;            // as they were looked at
  std::filesystem::file_time_type studies_changed_{};
  bool looking_ = false, running_ = false, looked_ = false;
  std::string fault_;
  MonotonicNs not_before_ns_ = 0, again_ns_ = 0;
};

}  // namespace datum
