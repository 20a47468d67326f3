#include "daemon/batch/batch_commands.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "daemon/batch/batch_output.h"
#include "daemon/batch/batch_run.h"
#include "daemon/batch/batch_status.h"
#include "daemon/batch/manifest_command.h"
#include "daemon/batch/merge.h"
#include "daemon/batch/run_log.h"
#include "daemon/system/child_process.h"
#include "daemon/system/durable_file.h"
#include "gpu/core/numeric_contract.h"

namespace datum {
namespace {

namespace fs = std::filesystem;

struct BatchOptions {
  std::string batch, frames, part, units, gpus = "all", backend, output;
  unsigned workers = 0, lanes = 0, attempts = 3;
  double percent = 1;
  bool again = false, partial = false;
};

unsigned cores() { return std::max(std::thread::hardware_concurrency(), 1U); }

std::vector<std::size_t> chosen_units(const BatchOptions& o, const Manifest& manifest) {
  if (!o.part.empty() && !o.units.empty())
    throw std::invalid_argument("--part and --units exclude each other");
  if (!o.part.empty()) return part_of(manifest, o.part);
  if (!o.units.empty()) return listed_units(manifest, o.units);
  return all_units(manifest);
}

/// "all", or the first so many.
std::vector<std::string> chosen_gpus(const std::string& wanted) {
  std::vector<std::string> gpus = visible_gpus();
  if (wanted == "all") return gpus;
  char* end = nullptr;
  const unsigned long count = std::strtoul(wanted.c_str(), &end, 10);
  if (wanted.empty() || *end != '\0' || count == 0 || count > gpus.size())
    throw std::invalid_argument(
        fmt::format("--gpus '{}'; allowed: all, or 1 to {} of this machine", wanted, gpus.size()));
  gpus.resize(count);
  return gpus;
}

BatchRunOptions run_options(const BatchOptions& o, const std::string& backend) {
  BatchRunOptions run;
  run.batch = fs::absolute(o.batch);
  if (!o.frames.empty()) run.frames = fs::absolute(o.frames);
  run.backend = backend;
  run.attempts = o.attempts;
  run.program = program_beside_this("datumd-batch");
  if (backend == cuda_backend_name) {
    run.gpus = chosen_gpus(o.gpus);
    if (run.gpus.empty())
      throw std::runtime_error(
          "the batch is for the backend cuda, and no GPU is seen here (/dev/nvidia*, "
          "CUDA_VISIBLE_DEVICES); run it where one is, or make a manifest with --backend cpu");
    const auto share = std::max(1U, cores() / static_cast<unsigned>(run.gpus.size()));
    run.lanes = o.lanes > 0 ? o.lanes : std::min(share, 16U);
    run.threads = std::min(share, 4U);
  } else {
    run.workers = o.workers > 0 ? o.workers : cores();
    run.lanes = o.lanes > 0 ? o.lanes : 1;
  }
  return run;
}

std::string named(const Manifest& manifest, std::size_t unit) {
  return fmt::format("unit {} ({})", manifest.key(unit), frames_text(manifest.unit(unit).asked));
}

void demand_this_code(const Manifest& manifest) {
  const ManifestHead& head = manifest.head();
  if (head.code != measuring_code() || head.contract != numeric_contract)
    throw std::runtime_error(
        fmt::format("the manifest is for datumd {} and numeric contract {}, this is {} and {}; run that "
                    "version, or make the manifest anew",
                    head.code, head.contract, measuring_code(), numeric_contract));
}

void keep_poison(const fs::path& batch, const Manifest& manifest, const FailedUnit& unit, unsigned attempts) {
  const nlohmann::ordered_json json = {{"key", manifest.key(unit.unit)},
                                       {"frames", frames_text(manifest.unit(unit.unit).asked)},
                                       {"attempts", attempts},
                                       {"why", unit.why}};
  write_beside_others(poison_file(batch, manifest.key(unit.unit)),
                      json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n');
}

int run(const BatchOptions& o) {
  const Manifest manifest = Manifest::load(o.batch);
  demand_this_code(manifest);
  const BatchStatus before = status_of(o.batch, manifest, chosen_units(o, manifest));
  for (const std::string& damage : before.damage) fmt::print(stderr, "measured anew: {}\n", damage);
  std::vector<std::size_t> units = before.missing();
  std::size_t passed_over = 0;
  for (const PoisonedUnit& p : before.poison) {
    if (o.again)
      remove_file_durably(poison_file(o.batch, manifest.key(p.unit)));
    else
      passed_over += std::erase(units, p.unit);
  }
  BatchRunReport report;
  if (!units.empty())
    report = run_batch(run_options(o, manifest.head().backend), manifest, units,
                       [](const std::string& text) { fmt::print(stderr, "{}\n", text); });
  for (const FailedUnit& unit : report.poison) {
    keep_poison(o.batch, manifest, unit, o.attempts);
    fmt::print(stderr, "poison: {}: {}\n", named(manifest, unit.unit), unit.why);
  }
  for (const FailedUnit& unit : report.later)
    fmt::print(stderr, "later: {}: {}\n", named(manifest, unit.unit), unit.why);
  fmt::print(
      "units: {} measured in {:.3f} s, {} had their output, {} failed, {} in poison before (--again tries "
      "them)\n",
      report.done, report.seconds, before.done.size(), report.poison.size() + report.later.size(),
      passed_over);
  if (!report.stopped.empty()) {
    fmt::print(stderr, "stopped: {}; mend that and run it again\n", report.stopped);
    return batch_again;
  }
  if (report.done + report.poison.size() < units.size()) return batch_again;
  return report.poison.empty() && passed_over == 0 ? batch_done : batch_poison;
}

int status(const BatchOptions& o) {
  const Manifest manifest = Manifest::load(o.batch);
  const BatchStatus found = status_of(o.batch, manifest, chosen_units(o, manifest));
  for (const std::string& damage : found.damage) fmt::print("damaged: {}\n", damage);
  for (const PoisonedUnit& p : found.poison) fmt::print("poison: {}: {}\n", named(manifest, p.unit), p.why);
  for (const Unmeasurable& u : manifest.unmeasurable())
    fmt::print("not in the manifest: {}: {}\n", u.what, u.why);
  fmt::print("units: {} done, {} missing, {} damaged, {} of them in poison; {} not in the manifest\n",
             found.done.size(), found.absent.size(), found.damaged.size(), found.poison.size(),
             manifest.unmeasurable().size());
  if (found.complete()) return batch_done;
  return found.poison.size() == found.missing().size() ? batch_poison : batch_again;
}

int merge(const BatchOptions& o) {
  const Manifest manifest = Manifest::load(o.batch);
  const BatchSummary summary = merge_batch(o.batch, manifest, o.output, o.partial);
  write_file_durably(o.output + ".runs.csv", run_table(o.batch));
  if (!o.partial) remove_left_overs(o.batch);
  fmt::print("{}", text_of(summary));
  fmt::print("{}: what-if results, never verdicts of record; times: {}.runs.csv\n", o.output, o.output);
  return batch_done;
}

int audit(const BatchOptions& o) {
  const Manifest manifest = Manifest::load(o.batch);
  demand_this_code(manifest);
  const std::string backend = o.backend.empty() ? manifest.head().backend : o.backend;
  BatchRunOptions options = run_options(o, backend);
  options.audit = true;
  const auto units =
      o.units.empty() && o.part.empty() ? sample_of(manifest, o.percent) : chosen_units(o, manifest);
  const BatchRunReport report =
      run_batch(options, manifest, units, [](const std::string& text) { fmt::print(stderr, "{}\n", text); });
  if (!report.stopped.empty()) fmt::print("stopped: {}\n", report.stopped);
  for (const FailedUnit& unit : report.differs)
    fmt::print("OTHER BYTES: {}: {}\n", named(manifest, unit.unit), unit.why);
  for (const auto* failed : {&report.poison, &report.later})
    for (const FailedUnit& unit : *failed)
      fmt::print("not compared: {}: {}\n", named(manifest, unit.unit), unit.why);
  fmt::print("audit by backend {} of {} of {} units: {} the same bytes, {} other bytes, {} not compared\n",
             backend, units.size(), manifest.size(), report.done, report.differs.size(),
             units.size() - report.done - report.differs.size());
  if (!report.differs.empty()) return batch_differs;
  return report.done == units.size() ? batch_done : batch_again;
}

CLI::App* leaf(CLI::App& app, int& to, const std::shared_ptr<BatchOptions>& o, const char* name,
               const char* words, int (*act)(const BatchOptions&)) {
  auto* command = app.add_subcommand(name, words);
  command->add_option("batch", o->batch, "folder that 'datumd-batch manifest' made")->required();
  command->callback([o, act, &to] { to = act(*o); });
  return command;
}

void add_units(CLI::App& command, const std::shared_ptr<BatchOptions>& o) {
  command.add_option("--part", o->part, "K/N: every N-th unit, from the K-th on; for job arrays");
  command.add_option("--units", o->units, "numbers of units in the manifest, from 1: 1,4-9");
}

void add_workers(CLI::App& command, const std::shared_ptr<BatchOptions>& o) {
  command.add_option("--frames", o->frames, "folder of the frames on this machine (default: the manifest's)");
  command
      .add_option("--workers", o->workers, "worker processes of the backend cpu (default: one for each core)")
      ->check(CLI::Range(1, 1024));
  command.add_option("--gpus", o->gpus, "GPUs of the backend cuda, a worker process each: all, or a number")
      ->capture_default_str();
  command
      .add_option("--lanes", o->lanes,
                  "boards in flight of a worker (default: cpu 1; cuda: cores for each GPU, at most 16)")
      ->check(CLI::Range(1, 256));
  command.add_option("--attempts", o->attempts, "of a unit that fails, alone")
      ->capture_default_str()
      ->check(CLI::Range(1, 100));
}

}  // namespace

void add_batch_commands(CLI::App& app, int& to) {
  auto o = std::make_shared<BatchOptions>();
  add_manifest_command(app, to);
  auto* run_command = leaf(app, to, o, "run", "measure the units that have no good output yet", run);
  add_units(*run_command, o);
  add_workers(*run_command, o);
  run_command->add_flag("--again", o->again, "try units in poison/ again");
  add_units(*leaf(app, to, o, "status", "what is done, by the outputs alone; exit status 0: all", status), o);
  auto* merge_command =
      leaf(app, to, o, "merge",
           "join the outputs in a new SQLite file, and compare them with the verdicts before", merge);
  merge_command->add_option("-o,--output", o->output, "file to be made")->required();
  merge_command->add_flag("--partial", o->partial,
                          "without the units that have no output; they are listed in the file");
  auto* audit_command =
      leaf(app, to, o, "audit", "measure a sample again, here, and compare the bytes", audit);
  add_units(*audit_command, o);
  add_workers(*audit_command, o);
  audit_command->add_option("--percent", o->percent, "size of the sample; the same units on each machine")
      ->capture_default_str();
  audit_command->add_option("--backend", o->backend, "cpu or cuda (default: the manifest's)")
      ->check(CLI::IsMember({"cpu", "cuda"}));
}

}  // namespace datum
