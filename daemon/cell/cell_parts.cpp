// InspectionCell: what its classes are given.
#include "daemon/cell/cell.h"
#include "daemon/configuration/bundle_cell.h"
#include "daemon/instrument/scpi_error.h"

namespace datum {

namespace {

[[noreturn]] void refuse_beside_it(const char* why) { throw scpi::Error(scpi::settings_conflict, why); }

}  // namespace

MeasurementBasisDependencies InspectionCell::basis_dependencies() {
  const DaemonConfig& c = deps_.config;
  return {c.recipes,
          c.calibrations,
          c.calibration,
          c.temperature_max_age_s,
          deps_.cmm != nullptr,
          deps_.sensor,
          deps_.utc_ns,
          deps_.texts,
          events_};
}

BoardSequencerDependencies InspectionCell::board_dependencies() {
  const DaemonConfig& c = deps_.config;
  return {c.trigger,
          c.frame_timeout_ms,
          deps_.cmm ? std::optional(c.cmm->pairing) : std::nullopt,
          deps_.threads,
          deps_.frames,
          deps_.cmm,
          deps_.writer,
          deps_.reader,
          deps_.utc_ns,
          deps_.retention,
          events_,
          part_holes_,
          state_,
          acceptance_,
          orders_,
          announcer_,
          checks_,
          charts_};
}

ReferenceCheckDependencies InspectionCell::check_dependencies() {
  return {deps_.config.reference_checks,
          deps_.config.store,
          deps_.config.temperature_max_age_s,
          deps_.threads.storer,
          deps_.writer,
          deps_.reader,
          deps_.utc_ns,
          events_,
          basis_,
          state_,
          [this] {
            refuse_beside("; then a reference check");
            demand_idle();
          }};
}

ControlChartDependencies InspectionCell::chart_dependencies() {
  return {
      deps_.config.store, deps_.watcher, deps_.threads.storer, deps_.writer, deps_.utc_ns, events_, basis_};
}

ProcedureDependencies InspectionCell::procedure_dependencies() {
  const DaemonConfig& c = deps_.config;
  return {{c.calibrations, c.calibrate, c.cmm, c.frame_timeout_ms},
          deps_.sensor,
          deps_.threads.worker,
          deps_.frames,
          deps_.cmm,
          deps_.utc_ns,
          deps_.log,
          [this] { events_.changed(); },
          [this](int number, const std::string& detail) { events_.raise(number, detail); },
          deps_.texts};
}

CalibrationProcedureDependencies InspectionCell::calibration_dependencies() {
  return {procedure_dependencies(), [this] { basis_.load_calibration(); },
          [this] {
            if (hole_procedure_.active())
              refuse_beside_it("a hole is being probed; PROBe:HOLE:ABORt ends it");
            return state_.idle();
          }};
}

HoleProcedureDependencies InspectionCell::hole_dependencies() {
  return {procedure_dependencies(), deps_.config.holes,
          [this] {
            if (calibration_procedure_.active())
              refuse_beside_it("a calibration is in progress; CALibration:ABORt ends it");
            demand_idle();
            links_.demand_up();
          },
          [this] { return basis_.usable_calibration(); }};
}

RecipeRepositoryDependencies InspectionCell::repository_dependencies() {
  return {deps_.config.recipes,
          deps_.config.recipe_quota,
          [this] { return basis_.read_recipes(); },
          [this](const std::string& name) { return basis_.is_chosen(name); },
          [this] { return state_.idle(); },
          [this](const std::string& name) {
            basis_.read_recipes();
            if (basis_.is_chosen(name))
              basis_.choose_none();  // the next board is never measured by the old one
          },
          deps_.log,
          deps_.uploads ? deps_.uploads : deps_.texts,
          deps_.uploader,
          [this] { events_.changed(); }};
}

BundleInstallerDependencies InspectionCell::bundle_dependencies() {
  const DaemonConfig& c = deps_.config;
  std::optional<BundleCell> cell;
  if (c.fleet) cell = bundle_cell(c);
  return {std::move(cell),
          deps_.sensor,
          deps_.uploads ? deps_.uploads : deps_.texts,
          deps_.uploader,
          deps_.threads.storer,
          deps_.writer,
          deps_.utc_ns,
          events_,
          [this] {
            refuse_beside("; then a bundle");
            if (replays_.pending())
              throw scpi::Error(scpi::settings_conflict,
                                "a result is being replayed; wait, or ABORt ends it");
            demand_idle();
          },
          [this] { read_again(); }};
}

RemeasurementDependencies InspectionCell::remeasurement_dependencies() {
  return {{deps_.config.recipes, deps_.config.calibrations, deliveries_folder(deps_.config), deps_.texts,
           deps_.models, [this](const std::string& sha256) { return deps_.reader.recipe_text(sha256); }},
          deps_.sensor,
          *deps_.backend.measurer,
          deps_.config.backend.threads,
          deps_.threads.worker,
          deps_.reader,
          [this] {
            refuse_beside("; then a replay");
            demand_idle();
          },
          [this] { events_.changed(); }};
}

}  // namespace datum
