// BundleInstaller: exchanges the recipes and calibrations of an idle cell by those of a signed bundle (daemon/fleet). Reading,
// checks and the disk are the worker's; between commit and completion the cell can't be armed.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "daemon/cell/host_events.h"
#include "daemon/fleet/bundle_check.h"
#include "daemon/instrument/bundle_files.h"
#include "daemon/store/result_store.h"
#include "daemon/system/worker.h"

namespace datum {

struct BundleInstallerDependencies {
  std::optional<BundleCell> cell;  // none: bundles are not taken
  const SensorProfile& sensor;
  const config::TomlParser* parser = nullptr;  // null: this process
  Worker* worker = nullptr;                    // null: all happens at once
  Worker& storer;
  ResultStore& store;  // used on the storer's thread
  std::function<std::int64_t()> utc_ns;
  const HostEvents& events;
  std::function<void()> demand_idle;  // throws scpi::Error
  std::function<void()> changed;      // recipes and calibrations are others
};

class BundleInstaller final : public BundleFiles {
 public:
  explicit BundleInstaller(BundleInstallerDependencies dependencies) : deps_(std::move(dependencies)) {}

  /// At the start and at a reload, before recipes are read: completes what an earlier process began.
  void resume();
  /// Throws scpi::Error -221 while a bundle is being installed, or is not complete.
  void demand_complete() const;

  bool taken() const { return deps_.cell.has_value(); }
  void install(const BundleOrder& order, Done done) override;
  std::string installed() const override;

 private:
  struct Work {
    BundleOrder order;
    Done done;
    Installation what{};
    std::optional<scpi::Error> refused{};
  };
  using Step = std::function<void(Work&)>;

  void apart(const Step& job, const Step& then);
  void prepare(Work& work) const;
  void begin(Work& work);
  void exchanged(Work& work);
  void state(const Installation& what, const std::function<void(const std::string& failed)>& then);
  void end();

  BundleInstallerDependencies deps_;
  std::shared_ptr<Work> work_;  // null: none is being installed
  std::string incomplete_;      // why a bundle that was begun is not complete; empty: none
};

}  // namespace datum
