#include "daemon/batch/manifest_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <thread>

#include "daemon/batch/batch_plan.h"
#include "daemon/batch/batch_run.h"
#include "daemon/configuration/daemon_config.h"

namespace datum {
namespace {

namespace fs = std::filesystem;

struct ManifestOptions {
  std::string batch, config, archive, store, frames, sensor, recipe, calibration, calibrations, positions;
  std::string of, from, before, backend = "auto";
  std::uint64_t last = 0;
};

/// Where the daemon's configuration names them.
void take_places_of(const DaemonConfig& config, BatchPlanOptions& plan) {
  if (plan.store.empty()) plan.store = config.store;
  if (plan.sensor.empty()) plan.sensor = config.sensor_profile;
  if (plan.calibrations.empty()) plan.calibrations = config.calibrations;
  if (!plan.frames.empty()) return;
  const fs::path deliveries = deliveries_folder(config);
  if (deliveries.empty())
    throw std::invalid_argument(config.file.string() +
                                ": this cell does not keep its frames; --frames names their folder");
  plan.frames = deliveries / "done";
}

BatchPlanOptions plan_of(const ManifestOptions& o) {
  BatchPlanOptions plan;
  plan.batch = o.batch;
  plan.store = o.store;
  plan.frames = o.archive.empty() ? o.frames : o.archive;
  plan.sensor = o.sensor;
  plan.calibrations = o.calibrations;
  if (!o.recipe.empty()) plan.recipe = o.recipe;
  if (!o.calibration.empty()) plan.calibration = o.calibration;
  if (!o.positions.empty()) plan.positions = o.positions;
  if (!o.config.empty()) take_places_of(load_daemon_config(o.config), plan);
  if (!o.of.empty()) plan.results.recipe = o.of;
  if (!o.from.empty()) plan.results.from = o.from;
  if (!o.before.empty()) plan.results.before = o.before;
  if (o.last > 0) plan.newest = o.last;
  plan.threads = std::max(std::thread::hardware_concurrency(), 1U);
  plan.backend = o.backend != "auto"      ? o.backend
                 : visible_gpus().empty() ? cpu_backend_name
                                          : cuda_backend_name;
  return plan;
}

int make(const ManifestOptions& o) {
  if (!o.archive.empty() && !(o.store.empty() && o.config.empty() && o.frames.empty()))
    throw std::invalid_argument("--archive, and --store or --config with --frames, exclude each other");
  const BatchPlanOptions plan = plan_of(o);
  if (plan.frames.empty())
    throw std::invalid_argument("no frames: --archive FOLDER, or --config, or --store with --frames");
  if (plan.sensor.empty()) throw std::invalid_argument("no sensor profile: --sensor, or --config");
  const BatchPlanReport report = plan_batch(plan);
  for (const Unmeasurable& u : report.unmeasurable)
    fmt::print(stderr, "not in the manifest: {}: {}\n", u.what, u.why);
  fmt::print("units: {} for backend {}, {} frames or results without\n", report.units, plan.backend,
             report.unmeasurable.size());
  return 0;
}

}  // namespace

void add_manifest_command(CLI::App& app, int& status) {
  auto o = std::make_shared<ManifestOptions>();
  auto* command = app.add_subcommand(
      "manifest",
      "list what is to be measured: stored results whose frames are kept, or the frames of a folder");
  command->add_option("batch", o->batch, "folder to be made")->required();
  command->add_option("--config", o->config,
                      "the cell's datumd.toml: store, frames, sensor profile and calibrations");
  command->add_option("--store", o->store, "result store, which is only read");
  command->add_option("--frames", o->frames, "folder of its frames: done/ of the deliveries");
  command->add_option("--archive", o->archive, "folder of frames without a store");
  command->add_option("--sensor", o->sensor, "sensor profile");
  command->add_option("--recipe", o->recipe,
                      "recipe to measure by (default: each result's own, as the store keeps it)");
  command->add_option("--calibration", o->calibration,
                      "calibration to measure by (default: each result's own)");
  command->add_option("--calibrations", o->calibrations, "folder of the calibrations of then");
  command->add_option("--positions", o->positions,
                      "CSV of an archive: FRAME,X_MM,Y_MM,Z_MM[,A_DEG,B_DEG,C_DEG]");
  command->add_option("--of", o->of, "results of this recipe's name");
  command->add_option("--from", o->from, "results from this time on, ISO 8601 UTC");
  command->add_option("--before", o->before, "results before this time");
  command->add_option("--last", o->last, "so many of the newest results")->check(CLI::Range(1, 100'000'000));
  command->add_option("--backend", o->backend, "cpu or cuda; auto: cuda where a GPU is seen")
      ->capture_default_str()
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}));
  command->callback([o, &status] { status = make(*o); });
}

}  // namespace datum
