#include "daemon/cell/cell.h"

#include <fmt/format.h>

#include <algorithm>

#include "daemon/configuration/cell_warnings.h"
#include "daemon/inspection/board/panel.h"
#include "daemon/instrument/scpi_error.h"
#include "daemon/system/event_loop.h"
#include "daemon/version/version.h"

namespace datum {

namespace {

SerialLimits serial_limits(const DaemonConfig& config) {
  if (!config.scanner) return {};
  const ScannerSettings& s = *config.scanner;
  return {s.duplicate_ms * ns_per_ms, s.late_ms * ns_per_ms, s.valid_s * 1000 * ns_per_ms};
}

[[noreturn]] void refuse_conflict(const std::string& why) { throw scpi::Error(scpi::settings_conflict, why); }

}  // namespace

// ---- what it is made of ----

InspectionCell::InspectionCell(CellDependencies dependencies)
    : deps_(std::move(dependencies)),
      events_(deps_.log),
      basis_(basis_dependencies()),
      state_(events_, basis_),
      links_(deps_.frames, deps_.cmm, deps_.controller, events_),
      control_(deps_.config.control, EventLoop::now, deps_.log),
      actions_(control_, deps_.threads.storer, deps_.writer, deps_.utc_ns, events_),
      signing_({deps_.config.signatures, deps_.config.store, deps_.signer, deps_.threads.storer, deps_.writer,
                events_}),
      maintenance_(
          {deps_.threads.storer, deps_.writer, deps_.reader, deps_.retention, deps_.utc_ns, events_, state_}),
      acceptance_({deps_.config.store, deps_.config.late_frame_ms, deps_.config.frame_timeout_ms,
                   frame_time_limits(deps_.config)},
                  basis_.utc(), EventLoop::now()),
      orders_({deps_.sensor, deps_.backend, deps_.config.backend.threads, deps_.config.temperature_max_age_s,
               deps_.controller, deps_.models, basis_, deps_.log, serial_limits(deps_.config), deps_.codes}),
      announcer_({deps_.config.pictures, deps_.threads, deps_.writer, deps_.config.store, deps_.on_board,
                  events_, signing_}),
      calibration_procedure_(calibration_dependencies()),
      hole_procedure_(hole_dependencies()),
      part_holes_(hole_procedure_, procedure_dependencies(), deps_.config.holes),
      checks_(check_dependencies()),
      charts_(chart_dependencies()),
      acts_({deps_.config.store, deps_.watcher, deps_.utc_ns, events_, basis_, actions_}),
      boards_(board_dependencies()),
      self_test_({deps_.config, deps_.backend, deps_.config.backend.threads, deps_.threads.worker,
                  deps_.reader, events_, basis_, links_, signing_, maintenance_}),
      recipe_repository_(repository_dependencies()),
      bundles_(bundle_dependencies()),
      replays_(remeasurement_dependencies()) {
  if (deps_.cmm) {
    deps_.cmm->on_sample([this](const ProbePoint& sample, MonotonicNs now) { position(sample, now); });
    deps_.cmm->on_touch([this](const ProbePoint& sample, MonotonicNs now) {
      calibration_procedure_.latched(sample, now);
      hole_procedure_.latched(sample, now);
    });
  }
  reload();
  checks_.begin();
  charts_.begin();
  if (deps_.config.recipe.empty()) return;
  try {
    select_recipe(deps_.config.recipe, std::nullopt);
    if (deps_.config.arm_at_start) arm_anew(acceptance_.was_armed());
  } catch (const scpi::Error& error) {
    events_.log(4, fmt::format("not ready at start: {}", error.what()));
  }
}

// ---- what the loop calls ----

std::optional<MonotonicNs> InspectionCell::deadline() const {
  if (calibration_procedure_.active()) return calibration_procedure_.deadline();  // no board is in work then
  if (hole_procedure_.active()) return hole_procedure_.deadline();
  return boards_.deadline();
}

void InspectionCell::on_deadline(MonotonicNs now) {
  if (calibration_procedure_.active()) return calibration_procedure_.on_deadline(now);
  if (hole_procedure_.active()) return hole_procedure_.on_deadline(now);
  boards_.on_deadline(now);
}

void InspectionCell::after_round(MonotonicNs now) {
  boards_.fail_sensor(links_.watch_sensor());
  basis_.watch_clock(now);
  maintenance_.watch_room(boards_.in_hand() || deps_.threads.worker.busy());
  checks_.after_round(now);
  charts_.after_round(now);
  acts_.after_round(now);
  disarm_where_refused();
  links_.log_cmm_notes();
  part_holes_.after_round();
  if (calibration_procedure_.active()) return calibration_procedure_.after_round(now);
  if (hole_procedure_.active()) return hole_procedure_.after_round(now);
  signing_.after_round(now);  // also where one frame follows the other
  // Without room or signature the cell is disarmed, once nothing is in work. Readings of an artefact come one by one.
  const bool empties = !maintenance_.shortage().empty() || !signing_.refusal().empty() ||
                       checks_.checking() || !charts_.reason_to_disarm(chosen_recipe()).empty();
  if (!boards_.after_round(now, empties)) return;
  actions_.store(now);
  if (!deps_.threads.worker.busy() && !deps_.threads.storer.busy() && !boards_.in_hand())
    maintenance_.remove_old(now);
}

/// Where a signature or a reference check is required, the board in hand is finished and no other is taken.
void InspectionCell::disarm_where_refused() {
  if (boards_.in_hand() || deps_.threads.worker.busy() || !state_.armed()) return;
  std::string why = signing_.refusal();
  if (why.empty()) why = checks_.reason_to_disarm();
  if (why.empty() && !checks_.checking()) why = charts_.reason_to_disarm(chosen_recipe());
  if (!why.empty()) state_.enter(InstrumentState::idle, why);
}

void InspectionCell::position(const ProbePoint& sample, MonotonicNs now) {
  links_.watch_cmm(sample);
  if (calibration_procedure_.active()) return calibration_procedure_.position(sample, now);
  if (hole_procedure_.active()) return hole_procedure_.position(sample, now);
  boards_.position(sample, now);
}

void InspectionCell::reload() {
  if (state_.idle()) bundles_.resume();
  read_again();
  charts_.look_again();
}

void InspectionCell::read_again() {
  const std::string name = basis_.recipe() ? basis_.recipe()->name : "";
  switch (basis_.reload()) {
    case MeasurementBasis::RecipeChange::none:
      return;
    case MeasurementBasis::RecipeChange::changed:
      if (!acceptance_.change_recipe(*basis_.recipe()))
        events_.log(4,
                    "it can't be kept that the cell is armed with the changed recipe: frames that come while "
                    "datumd is down will be INVALID");
      events_.log(5, fmt::format("recipe {} changed, now {}", name, basis_.recipe()->sha256),
                  {Event::recipe_chosen, {{"DATUM_RECIPE", name}}});
      if (!state_.idle()) orders_.prepare();
      return;
    case MeasurementBasis::RecipeChange::gone:
      boards_.abandon("its recipe is gone or refused");
      events_.raise(scpi::configuration_memory_lost,
                    "recipe " + name + " is gone or refused; choose a recipe again");
  }
}

// ---- what hosts ask for ----

InstrumentIdentity InspectionCell::identity() const {
  return {"datum", "datumd", deps_.config.cell, code_id()};
}

std::string InspectionCell::status_line() const {
  return fmt::format("{}, recipe {}, {} boards, {}", name_of(state()),
                     basis_.recipe() ? basis_.recipe()->name : "none", announcer_.count(),
                     deps_.backend.measurer->describe());
}

std::string InspectionCell::state_detail() const {
  if (!state_.idle()) return boards_.detail();
  const std::string& shortage = maintenance_.reported_shortage();
  std::string why = shortage.empty() ? state_.why_idle() : shortage;
  if (why.empty()) why = charts_.reason_to_disarm(basis_.recipe().get());  // it was disarmed before a restart
  return (basis_.recipe() ? "not armed" : "no recipe chosen") + (why.empty() ? "" : ": " + why);
}

std::uint16_t InspectionCell::operation_condition() const {
  unsigned bits = operation_bits(state());
  // Exposing too early would pair the frame with a position that was not yet taken.
  if (boards_.awaits_position_before()) bits &= ~unsigned{operation_sweeping};
  if (calibration_procedure_.active()) bits |= operation_calibrating;
  if (calibration_procedure_.awaits_frame() || hole_procedure_.awaits_frame()) bits |= operation_sweeping;
  if (basis_.recipe()) bits |= operation_recipe_chosen;
  return static_cast<std::uint16_t>(bits | links_.condition());
}

std::optional<SelectedRecipe> InspectionCell::recipe() const {
  if (!basis_.recipe()) return std::nullopt;
  return SelectedRecipe{basis_.recipe()->name, basis_.recipe()->sha256};
}

void InspectionCell::select_recipe(const std::string& name, const std::optional<std::string>& sha256) {
  boards_.demand_none_in_hand();
  const Recipe& found = basis_.find(name, sha256);
  if (!state_.idle()) acceptance_.disarm();
  state_.enter(InstrumentState::idle, "a recipe is chosen");
  basis_.choose(found);
}

void InspectionCell::demand_idle() const {
  if (!state_.idle()) refuse_conflict("the cell is armed; ABORt disarms it");
}

/// What an operator is doing step by step, and a replay, are not disturbed.
void InspectionCell::refuse_beside(const char* what) const {
  if (calibration_procedure_.active())
    refuse_conflict(fmt::format("a calibration is in progress; CALibration:ABORt ends it{}", what));
  if (hole_procedure_.active())
    refuse_conflict(fmt::format("a hole is being probed; PROBe:HOLE:ABORt ends it{}", what));
}

/// `resumes`: the cell was armed when the process before ended, and stays so.
void InspectionCell::arm_anew(bool resumes) {
  if (!state_.idle()) throw scpi::Error(scpi::init_ignored, "already armed");
  refuse_beside("");
  bundles_.demand_complete();
  if (replays_.pending()) refuse_conflict("a result is being replayed; wait, or ABORt ends it");
  const Recipe* recipe = chosen_recipe();
  if (!recipe) refuse_conflict("no recipe chosen; CONFigure:RECipe \"name\"");
  if (recipe->takes_snapshots()) demand_measurable_part(*recipe, deps_.cmm != nullptr);
  basis_.demand_measurable();
  if (recipe->surface && !recipe->surface->holes.empty())
    hole_procedure_.demand_ready(*basis_.usable_calibration());
  if (const std::string why = maintenance_.shortage(); !why.empty()) throw scpi::Error(scpi::media_full, why);
  if (const std::string why = signing_.refusal(); !why.empty())
    throw scpi::Error(scpi::hardware_missing, why);
  checks_.demand_armable(recipe->name);
  if (!checks_.checking()) charts_.demand_armable(recipe->name);
  links_.demand_up();
  boards_.arm(*recipe, resumes);
  orders_.prepare();
}

void InspectionCell::trigger() {
  if (checks_.ended())
    throw scpi::Error(scpi::trigger_ignored, "a reference check has just ended: not armed");
  boards_.trigger();
}

void InspectionCell::abort() {
  replays_.abort();
  if (hole_procedure_.driving()) hole_procedure_.abort();  // the machine stops
  boards_.abandon("a host aborted it");
}

void InspectionCell::reset() {
  boards_.abandon("a host sent *RST");
  replays_.abort();
  boards_.set_trigger_mode(deps_.config.trigger);
  calibration_procedure_.abort();
  hole_procedure_.abort();
  checks_.reset();
  basis_.choose_none();
  orders_.serials().forget();
}

TriggerSource InspectionCell::trigger_source() const {
  return boards_.trigger_mode() == TriggerMode::bus ? TriggerSource::bus : TriggerSource::external;
}

void InspectionCell::set_trigger_source(TriggerSource source) {
  demand_idle();
  if (source == TriggerSource::external && deps_.cmm)
    refuse_conflict(
        "with a CMM only BUS: where it stood before an exposure is known only where a trigger asks "
        "for the frame");
  if (source == TriggerSource::external && sensor_waits_for_software(deps_.config))
    refuse_conflict("the sensor waits for a software trigger, which only TRIGger gives; BUS");
  boards_.set_trigger_mode(source == TriggerSource::bus ? TriggerMode::bus : TriggerMode::on_frame);
}

std::optional<StoredResult> InspectionCell::result(std::optional<std::uint64_t> sequence) {
  return sequence ? deps_.reader.get(*sequence) : deps_.reader.latest();
}

void InspectionCell::set_unit(const std::string& serial) {
  orders_.serials().state(serial, monotonic_ns());
  boards_.unit_stated();
}

void InspectionCell::set_panel_serials(const std::vector<std::string>& serials) {
  if (std::all_of(serials.begin(), serials.end(), [](const std::string& s) { return s.empty(); }))
    return orders_.serials().state_boards({}, "", monotonic_ns());
  const std::shared_ptr<const Recipe>& recipe = basis_.recipe();
  if (!recipe) throw scpi::Error(scpi::settings_conflict, "no recipe chosen; CONFigure:RECipe \"name\"");
  if (!recipe->panel)
    throw scpi::Error(scpi::settings_conflict,
                      fmt::format("recipe {} describes one board, no panel; CONFigure:UNIT states its number",
                                  recipe->name));
  PanelStatement stated;
  stated.serials = serials;
  if (const auto why = statement_refusal(*recipe->panel, stated))
    throw scpi::Error(scpi::illegal_parameter_value, why->detail);
  orders_.serials().state_boards(serials, recipe->sha256, monotonic_ns());
}

void InspectionCell::confirm_referenced() {
  CmmSource& cmm = links_.demand_cmm();
  events_.log(5, "a host states that the machine is referenced");
  cmm.confirm_referenced();
}

void InspectionCell::reopen_links() {
  CmmSource& cmm = links_.demand_cmm();
  if (cmm.refused()) cmm.start(EventLoop::now());
}

MonotonicNs InspectionCell::monotonic_ns() const { return EventLoop::now(); }

ServiceHealth InspectionCell::health() const {
  const StoreRoom room = deps_.room ? deps_.room() : StoreRoom{};
  return {deps_.backend.measurer->describe(), deps_.backend.fault(), room.store_bytes, room.free_bytes};
}

std::vector<std::string> InspectionCell::warnings() {
  std::vector<std::string> lines = cell_warnings(deps_.config, utc_s());
  for (const auto& more : {checks_.warnings(), basis_.warnings()})
    lines.insert(lines.end(), more.begin(), more.end());
  constexpr std::size_t most = 20;  // a recipe of a host may have one for each of a thousand components
  if (lines.size() > most) {
    const std::size_t left_out = lines.size() - most;
    lines.resize(most);
    lines.push_back(fmt::format("{} more; datumd --check-config lists all", left_out));
  }
  return lines;
}

HostLinks InspectionCell::host_links() const {
  HostLinks links;
  if (deps_.config.serial) links.serial = deps_.config.serial->line;
  if (deps_.config.tcp) links.tcp = HostLinks::Tcp{deps_.config.tcp->address, deps_.config.tcp->port};
  return links;
}

}  // namespace datum
