// What a host may ask of the cell beside measuring: where triggers come from, recipe files, replays, self-tests.
#include <fmt/format.h>

#include "daemon/cell/cell.h"
#include "daemon/cell/self_test.h"
#include "daemon/instrument/scpi_error.h"
#include "daemon/system/event_loop.h"

namespace datum {

RecipeRepositoryDependencies InspectionCell::repository_dependencies() {
  return {parts_.config.recipes,
          parts_.config.recipe_quota,
          [this] { return look_at_recipes(); },
          [this](const std::string& name) { return recipe_ && recipe_->name == name; },
          [this] { return state_ == InstrumentState::idle; },
          [this](const std::string& name) {
            look_at_recipes();
            if (recipe_ && recipe_->name == name)
              recipe_.reset();  // the next board is never measured by the old one
          },
          parts_.log,
          parts_.uploads ? parts_.uploads : parts_.texts,
          parts_.uploader,
          [this] {
            for (CommandEndpoint* endpoint : endpoints_) endpoint->instrument_changed();
          }};
}

/// On the loop: only what changed since the last look is read.
std::shared_ptr<const RecipeStore> InspectionCell::look_at_recipes() {
  return recipes_ = std::make_shared<const RecipeStore>(parts_.config.recipes, recipes_.get(),
                                                        parts_.utc_ns(), parts_.texts);
}

RemeasurementDependencies InspectionCell::remeasurement_dependencies() {
  return {{parts_.config.recipes, parts_.config.calibrations, deliveries_folder(parts_.config), parts_.texts,
           parts_.models},
          parts_.sensor,
          *parts_.backend.measurer,
          parts_.config.backend.threads,
          parts_.worker,
          parts_.reader,
          [this] {
            refuse_beside("a replay");
            if (state_ != InstrumentState::idle)
              throw scpi::Error(scpi::settings_conflict, "the cell is armed; ABORt disarms it");
          },
          [this] {
            for (CommandEndpoint* endpoint : endpoints_) endpoint->instrument_changed();
          }};
}

/// What an operator is doing step by step, and a replay, are not disturbed.
void InspectionCell::refuse_beside(const char* what) const {
  const auto refuse = [&](const char* why) {
    throw scpi::Error(scpi::settings_conflict, fmt::format("{}; then {}", why, what));
  };
  if (desk_.active()) refuse("a calibration is in progress; CALibration:ABORt ends it");
  if (holes_.active()) refuse("a hole is being probed; PROBe:HOLE:ABORt ends it");
  if (replays_.pending()) refuse("a result is being replayed; ABORt ends it");
}

TriggerSource InspectionCell::trigger_source() const {
  return trigger_ == TriggerMode::bus ? TriggerSource::bus : TriggerSource::external;
}

void InspectionCell::set_trigger_source(TriggerSource source) {
  if (state_ != InstrumentState::idle)
    throw scpi::Error(scpi::settings_conflict, "the cell is armed; ABORt disarms it");
  if (source == TriggerSource::external && parts_.cmm)
    throw scpi::Error(
        scpi::settings_conflict,
        "with a CMM only BUS: where it stood before an exposure is known only where a trigger asks "
        "for the frame");
  const bool nobody_exposes = sensor_waits_for_software(parts_.config);
  if (source == TriggerSource::external && nobody_exposes)
    throw scpi::Error(scpi::settings_conflict,
                      "the sensor waits for a software trigger, which only TRIGger gives; BUS");
  trigger_ = source == TriggerSource::bus ? TriggerMode::bus : TriggerMode::on_frame;
}

/// The arithmetic runs on the worker, behind a board in hand: it may wait for a GPU.
void InspectionCell::self_test(SelfTestDone done) {
  const auto failures = std::make_shared<std::vector<std::string>>();
  const auto test = [failures, threads = parts_.config.backend.threads,
                     measurer = parts_.backend.measurer.get()] {
    try {
      *failures = kernel_self_test(cpu_backend(threads));
      for (std::string& failure : board_self_test(*measurer)) failures->push_back(std::move(failure));
    } catch (const std::exception& error) {
      failures->push_back(error.what());
    }
  };
  parts_.worker.submit(test, [this, failures, done = std::move(done)] {
    for (std::string& failure : link_self_test()) failures->push_back(std::move(failure));
    done(*failures);
    for (CommandEndpoint* endpoint : endpoints_) endpoint->instrument_changed();
  });
}

std::vector<std::string> InspectionCell::self_test() {
  std::vector<std::string> failures = kernel_self_test(cpu_backend(parts_.config.backend.threads));
  // Work in hand has the measurer; it shows by itself whether that works.
  if (!parts_.worker.busy())
    for (std::string& failure : board_self_test(*parts_.backend.measurer))
      failures.push_back(std::move(failure));
  for (std::string& failure : link_self_test()) failures.push_back(std::move(failure));
  return failures;
}

std::vector<std::string> InspectionCell::link_self_test() {
  std::vector<std::string> failures;
  if (const std::string fault = parts_.backend.fault(); !fault.empty())
    failures.push_back("backend: boards are measured on the CPU: " + fault);
  try {
    parts_.reader.check_present();
    parts_.reader.extent();
  } catch (const std::exception& error) {
    failures.push_back(error.what());
  }
  if (const std::string why = shortage(); !why.empty()) failures.push_back(why);
  if (!not_signed_.empty()) failures.push_back("the chain of results is not signed: " + not_signed_);
  if (const std::string why = parts_.frames.refusal(); !why.empty()) failures.push_back(why);
  if (parts_.cmm && parts_.cmm->latest(EventLoop::now()).state == ProbeState::link_down)
    failures.push_back(parts_.cmm->describe());
  if (recipe_ && recipe_->in_machine_coordinates) {
    const std::string why = calibration_refusal();
    if (!why.empty()) failures.push_back("calibration: " + why);
  }
  return failures;
}

MonotonicNs InspectionCell::monotonic_ns() const { return EventLoop::now(); }

std::vector<LinkReport> InspectionCell::link_reports() const {
  const MonotonicNs now = EventLoop::now();
  std::vector<const LinkStatusProvider*> status_providers{&parts_.frames, parts_.cmm};
  status_providers.insert(status_providers.end(), endpoints_.begin(), endpoints_.end());
  status_providers.insert(status_providers.end(), status_providers_.begin(), status_providers_.end());
  std::vector<LinkReport> reports;
  for (const LinkStatusProvider* status_provider : status_providers)
    if (auto report = status_provider ? status_provider->report(now) : std::nullopt)
      reports.push_back(std::move(*report));
  return reports;
}

ServiceHealth InspectionCell::health() const {
  const StoreRoom room = parts_.room ? parts_.room() : StoreRoom{};
  return {parts_.backend.measurer->describe(), parts_.backend.fault(), room.store_bytes, room.free_bytes};
}

HostLinks InspectionCell::host_links() const {
  HostLinks links;
  if (parts_.config.serial) links.serial = parts_.config.serial->line;
  if (parts_.config.tcp) links.tcp = HostLinks::Tcp{parts_.config.tcp->address, parts_.config.tcp->port};
  return links;
}

}  // namespace datum
