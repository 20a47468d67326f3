// What a host may ask of the cell: choose, arm, trigger, abort, look.
#include "daemon/cell/cell.h"

#include <fmt/format.h>

#include <algorithm>

#include "calib/calibration_store.h"
#include "config/utc_time.h"
#include "daemon/controller/controller_text.h"
#include "daemon/instrument/scpi_error.h"
#include "daemon/system/event_loop.h"
#include "daemon/version/version.h"

namespace datum {

namespace {

/// The text of the mark: what the cell is armed with.
std::string armed_for(const Recipe& recipe) { return recipe.name + ' ' + recipe.sha256; }

std::string why_as_text(const std::string& why) { return why.empty() ? "" : ": " + why; }

LogEvent refused_calibration(const std::string& id, const std::string& why) {
  return {Event::calibration_refused, {{"DATUM_CALIBRATION", id}, {"DATUM_REASON", why}}};
}

}  // namespace

InspectionCell::InspectionCell(CellDependencies parts)
    : parts_(std::move(parts)),
      control_(parts_.config.control, EventLoop::now, parts_.log),
      trigger_(parts_.config.trigger),
      time_limits_(frame_time_limits(parts_.config)),
      exposures_(MonotonicNs{parts_.config.late_frame_ms} * 1'000'000),
      armed_mark_(parts_.config.store.string() + ".armed"),
      exposing_mark_(parts_.config.store.string() + ".exposing"),
      desk_(calibration_dependencies()),
      holes_(hole_dependencies()),
      recipe_repository_(repository_dependencies()),
      replays_(remeasurement_dependencies()) {
  if (parts_.config.signatures) signing_.emplace(*parts_.config.signatures);
  if (parts_.cmm) {
    stare_.emplace(parts_.config.cmm->pairing);
    parts_.cmm->on_sample([this](const ProbePoint& sample, MonotonicNs now) { position(sample, now); });
    parts_.cmm->on_touch([this](const ProbePoint& sample, MonotonicNs now) {
      desk_.latched(sample, now);
      holes_.latched(sample, now);
    });
  }
  control_.on_deed([this](const std::string& host, std::string_view what) { note_deed(host, what); });
  utc_.observe(EventLoop::now(), parts_.utc_ns());
  if (!parts_.writer.renewed()) doubtful_id_ = parts_.reader.id();
  ended_ns_ = EventLoop::now();
  if (exposing_mark_.stamp()) exposures_.add(ended_ns_);
  reload();
  if (parts_.config.recipe.empty()) return;
  try {
    select_recipe(parts_.config.recipe, std::nullopt);
    if (parts_.config.arm_at_start) arm_anew(armed_mark_.stamp().has_value());
  } catch (const scpi::Error& error) {
    log(4, fmt::format("not ready at start: {}", error.what()));
  }
}

DeskParts InspectionCell::procedure_dependencies() {
  const DaemonConfig& c = parts_.config;
  return {{c.calibrations, c.calibrate, c.cmm, c.frame_timeout_ms},
          parts_.sensor,
          parts_.worker,
          parts_.frames,
          parts_.cmm,
          parts_.utc_ns,
          parts_.log,
          [this] {
            for (CommandEndpoint* endpoint : endpoints_) endpoint->instrument_changed();
          },
          [this](int number, const std::string& detail) { raise(number, detail); },
          parts_.texts};
}

CalibrationProcedureDependencies InspectionCell::calibration_dependencies() {
  return {procedure_dependencies(), [this] { load_calibration(); },
          [this] {
            if (holes_.active())
              throw scpi::Error(scpi::settings_conflict, "a hole is being probed; PROBe:HOLE:ABORt ends it");
            return state_ == InstrumentState::idle;
          }};
}

HoleProcedureDependencies InspectionCell::hole_dependencies() {
  return {procedure_dependencies(), parts_.config.holes,
          [this] {
            if (desk_.active())
              throw scpi::Error(scpi::settings_conflict,
                                "a calibration is in progress; CALibration:ABORt ends it");
            if (state_ != InstrumentState::idle)
              throw scpi::Error(scpi::settings_conflict, "the cell is armed; ABORt disarms it");
            if (const std::string why = parts_.frames.refusal(); !why.empty())
              throw scpi::Error(scpi::hardware_missing, why);
            if (parts_.cmm->latest(EventLoop::now()).state == ProbeState::link_down)
              throw scpi::Error(scpi::hardware_missing, parts_.cmm->describe());
          },
          [this] {
            load_calibration();  // as it is now: a file may have been changed since the start
            if (const std::string why = calibration_refusal(); !why.empty())
              throw scpi::Error(scpi::calibration_failed, why);
            return calibration_;
          }};
}

void InspectionCell::load_calibration() {
  calibration_.reset();
  calibration_problem_.clear();
  if (parts_.config.calibration.empty()) return;
  try {
    const CalibrationStore store(parts_.config.calibrations, parts_.texts);
    calibration_ =
        std::make_shared<const Calibration>(store.choose(parts_.config.calibration, parts_.sensor.serial));
  } catch (const std::exception& error) {
    calibration_problem_ = error.what();
    log(3, fmt::format("calibration '{}' can't be used: {}", parts_.config.calibration, error.what()),
        refused_calibration(parts_.config.calibration, error.what()));
  }
}

void InspectionCell::reload() {
  look_at_recipes();
  for (const std::string& problem : recipes_->problems())
    log(4, "recipe refused: " + problem, {Event::recipe_refused, {{"DATUM_REASON", problem}}});
  load_calibration();
  if (!recipe_) return;
  const Recipe* found = recipes_->find(recipe_->name);
  if (found && found->sha256 == recipe_->sha256) return;
  const std::string name = recipe_->name;
  recipe_ = found ? std::shared_ptr<const Recipe>(recipes_, found) : nullptr;
  if (found) {
    if (armed_mark_.stamp() && !armed_mark_.rewrite(armed_for(*recipe_)))
      log(4,
          "it can't be kept that the cell is armed with the changed recipe: frames that come while datumd is "
          "down "
          "will be INVALID");
    log(5, fmt::format("recipe {} changed, now {}", name, found->sha256),
        {Event::recipe_chosen, {{"DATUM_RECIPE", name}}});
    return;
  }
  abandon("its recipe is gone or refused");
  raise(scpi::configuration_memory_lost, "recipe " + name + " is gone or refused; choose a recipe again");
}

InstrumentIdentity InspectionCell::identity() const {
  return {"datum", "datumd", parts_.config.cell, code_id()};
}

std::string InspectionCell::status_line() const {
  return fmt::format("{}, recipe {}, {} boards, {}", name_of(state_), recipe_ ? recipe_->name : "none",
                     boards_, parts_.backend.measurer->describe());
}

std::string InspectionCell::state_detail() const {
  switch (state_) {
    case InstrumentState::idle:
      return (recipe_ ? "not armed" : "no recipe chosen") +
             why_as_text(shortage_.empty() ? why_idle_ : shortage_);
    case InstrumentState::armed:
      if (part_) return "for a trigger: " + next_snapshot();
      return trigger_ == TriggerMode::bus ? "for a trigger" : "for a frame";
    case InstrumentState::waiting:
      if (stare_ && stare_->step() == StareSession::Step::wait_before)
        return "for the position before the frame";
      return board_ && board_->claim ? "for the position after the frame" : "for the frame";
    case InstrumentState::measuring:
      return board_ && board_->claim ? board_->claim->name() : "";
  }
  return "";
}

std::uint16_t InspectionCell::operation_condition() const {
  unsigned bits = operation_bits(state_);
  // Exposing too early would pair the frame with a position that was not yet taken.
  if (stare_ && stare_->step() == StareSession::Step::wait_before) bits &= ~unsigned{operation_sweeping};
  if (desk_.active()) bits |= operation_calibrating;
  if (desk_.awaits_frame() || holes_.awaits_frame()) bits |= operation_sweeping;
  if (recipe_) bits |= operation_recipe_chosen;
  if (parts_.cmm && parts_.cmm->latest(EventLoop::now()).state != ProbeState::link_down)
    bits |= operation_cmm_link;
  if (parts_.frames.refusal().empty()) bits |= operation_sensor_link;
  return static_cast<std::uint16_t>(bits);
}

std::optional<SelectedRecipe> InspectionCell::recipe() const {
  if (!recipe_) return std::nullopt;
  return SelectedRecipe{recipe_->name, recipe_->sha256};
}

void InspectionCell::select_recipe(const std::string& name, const std::optional<std::string>& sha256) {
  if (board_) throw scpi::Error(scpi::settings_conflict, "a board is being measured; ABORt or wait");
  if (part_)
    throw scpi::Error(scpi::settings_conflict,
                      next_snapshot() + " is awaited; take it, or ABORt gives the part up");
  look_at_recipes();
  const Recipe* found = recipes_->find(name);
  if (!found) {
    std::string why = "no recipe '" + name + "'";
    for (const std::string& problem : recipes_->problems()) why += "; refused: " + problem;
    throw scpi::Error(scpi::file_name_not_found, why);
  }
  if (sha256 && *sha256 != found->sha256)
    throw scpi::Error(scpi::settings_conflict, "the recipe's file is " + found->sha256);
  if (found->sensor_serial != parts_.sensor.serial)
    throw scpi::Error(scpi::settings_conflict, fmt::format("the recipe is for sensor {}, this cell has {}",
                                                           found->sensor_serial, parts_.sensor.serial));
  if (state_ != InstrumentState::idle) armed_mark_.clear();
  enter(InstrumentState::idle, "a recipe is chosen");
  recipe_ = std::shared_ptr<const Recipe>(recipes_, found);
  log(6, fmt::format("recipe {} chosen, sha256 {}", name, found->sha256),
      {Event::recipe_chosen, {{"DATUM_RECIPE", name}}});
}

std::string InspectionCell::calibration_refusal() const {
  if (parts_.config.calibration.empty())
    return "none is configured; set inspection.calibration, or use a recipe in sensor coordinates";
  if (!calibration_) return calibration_problem_;
  const std::int64_t now_utc_s =
      std::max(parts_.utc_ns(), utc_.latest_utc_ns(EventLoop::now())) / 1'000'000'000;
  const std::string why = refusal(*calibration_, parts_.sensor.serial, now_utc_s);
  if (!why.empty()) return why;
  return temperature_refusal(*calibration_, temperature_, now_utc_s, parts_.config.temperature_max_age_s);
}

/// Of a sensor whose frames datumd makes itself.
std::string InspectionCell::reader_refusal() const {
  if (!parts_.sensor.reader) return "";
  const std::int64_t now_utc_s =
      std::max(parts_.utc_ns(), utc_.latest_utc_ns(EventLoop::now())) / 1'000'000'000;
  CellMoment now{now_utc_s, std::nullopt, 0, parts_.config.temperature_max_age_s};
  if (temperature_) {
    now.temperature_degc = temperature_->degc;
    now.temperature_utc_s = temperature_->utc_s;
  }
  return parts_.sensor.reader->refusal(now);
}

void InspectionCell::set_temperature(double degc) {
  temperature_ = TemperatureReading{degc, parts_.utc_ns() / 1'000'000'000};
  log(6, fmt::format("a host tells the cell's temperature: {} degC", degc));
}

CalibrationStatus InspectionCell::calibration() const {
  CalibrationStatus status;
  if (!recipe_ || !recipe_->in_machine_coordinates) return status;
  status.id = calibration_ ? calibration_->id : parts_.config.calibration;
  status.refusal = calibration_refusal();
  if (!calibration_) return status;
  status.sha256 = calibration_->sha256;
  status.expires = iso8601_from_utc(calibration_->expires_utc_s);
  status.residual_rms_um = calibration_->residual_rms_um;
  return status;
}

void InspectionCell::set_unit(const std::string& serial) {
  unit_ = serial;
  unit_told_ns_ = EventLoop::now();
}

void InspectionCell::arm() { arm_anew(false); }

/// `resumes`: the cell was armed when the process before ended, and stays so.
void InspectionCell::arm_anew(bool resumes) {
  if (state_ != InstrumentState::idle) throw scpi::Error(scpi::init_ignored, "already armed");
  if (desk_.active())
    throw scpi::Error(scpi::settings_conflict, "a calibration is in progress; CALibration:ABORt ends it");
  if (holes_.active())
    throw scpi::Error(scpi::settings_conflict, "a hole is being probed; PROBe:HOLE:ABORt ends it");
  if (replays_.pending())
    throw scpi::Error(scpi::settings_conflict, "a result is being replayed; wait, or ABORt ends it");
  if (!recipe_) throw scpi::Error(scpi::settings_conflict, "no recipe chosen; CONFigure:RECipe \"name\"");
  if (recipe_->surface) refuse_unmeasurable_part();
  if (recipe_->in_machine_coordinates) {
    load_calibration();  // as it is now: a file may have been changed since the start
    const std::string why = calibration_refusal();
    if (!why.empty()) {
      log(4, "calibration refused: " + why, refused_calibration(parts_.config.calibration, why));
      throw scpi::Error(scpi::calibration_failed, why);
    }
  }
  if (const std::string why = reader_refusal(); !why.empty())
    throw scpi::Error(scpi::calibration_failed, why);
  if (const std::string why = shortage(); !why.empty()) throw scpi::Error(scpi::media_full, why);
  if (const std::string why = signing_refusal(); !why.empty()) throw scpi::Error(scpi::hardware_missing, why);
  if (const std::string why = parts_.frames.refusal(); !why.empty())
    throw scpi::Error(scpi::hardware_missing, why);
  if (parts_.cmm && parts_.cmm->latest(EventLoop::now()).state == ProbeState::link_down)
    throw scpi::Error(scpi::hardware_missing, parts_.cmm->describe());
  armed_ns_ = EventLoop::now();
  exposures_.came(parts_.frames.begin(armed_ns_));
  exposures_.triggered(armed_ns_, parts_.frames.link_since());
  resumed_ = resumes;
  // Frames that came while datumd was down belong to the recipe that was chosen then.
  same_recipe_ = resumes && armed_mark_.text() == armed_for(*recipe_);
  if (trigger_ == TriggerMode::on_frame && !same_recipe_ && !armed_mark_.set(true, armed_for(*recipe_)))
    log(4, "it can't be kept that the cell is armed: frames that come while datumd is down will be INVALID");
  enter(InstrumentState::armed);
}

void InspectionCell::trigger() {
  if (trigger_ != TriggerMode::bus)
    throw scpi::Error(
        scpi::trigger_ignored,
        "each frame is measured when it comes; TRIGger:SOURce is EXTernal (inspection.trigger is on_frame)");
  if (state_ != InstrumentState::armed)
    throw scpi::Error(scpi::trigger_ignored,
                      state_ == InstrumentState::idle ? "not armed" : "a board is in progress");
  exposures_.came(
      parts_.frames.begin(EventLoop::now()));  // what lies there already is seen before the trigger
  begin_board(EventLoop::now());
}

void InspectionCell::abandon(const std::string& why) {
  if (board_) {
    board_->aborted = true;
    log(5, "the board in progress is abandoned: " + why,
        {Event::board_abandoned, {{"DATUM_RECIPE", board_->recipe->name}, {"DATUM_REASON", why}}});
    if (board_->claim && state_ != InstrumentState::measuring && !board_->loading)
      parts_.frames.failed(*board_->claim, "aborted before a result was stored");
    if (state_ != InstrumentState::measuring) fail_snapshots(*board_);
    board_.reset();
  }
  if (part_) {
    log(5, "the part in progress is abandoned: " + why,
        {Event::board_abandoned, {{"DATUM_RECIPE", part_->recipe->name}, {"DATUM_REASON", why}}});
    fail_snapshots(*part_);
    part_.reset();
    part_due_.reset();
  }
  if (stare_) stare_->abort();
  frame_due_.reset();
  end_exposure();
  armed_mark_.clear();
  if (state_ != InstrumentState::idle) unit_.clear();  // it was told for a board that does not come
  enter(InstrumentState::idle, why);
}

void InspectionCell::abort() {
  replays_.abort();
  if (holes_.driving()) holes_.abort();  // the machine stops
  abandon("a host aborted it");
}

void InspectionCell::reset() {
  abandon("a host sent *RST");
  replays_.abort();
  trigger_ = parts_.config.trigger;
  desk_.abort();
  holes_.abort();
  recipe_.reset();
  unit_.clear();
  enter(InstrumentState::idle);
}

std::optional<StoredResult> InspectionCell::result(std::optional<std::uint64_t> sequence) {
  return sequence ? parts_.reader.get(*sequence) : parts_.reader.latest();
}

std::optional<ProbePoint> InspectionCell::position() const {
  if (!parts_.cmm) return std::nullopt;
  return parts_.cmm->latest(EventLoop::now());
}

void InspectionCell::confirm_referenced() {
  if (!parts_.cmm) throw scpi::Error(scpi::hardware_missing, "no CMM is configured");
  log(5, "a host states that the machine is referenced");
  parts_.cmm->confirm_referenced();
}

void InspectionCell::reopen_links() {
  if (!parts_.cmm) throw scpi::Error(scpi::hardware_missing, "no CMM is configured");
  if (parts_.cmm->refused()) parts_.cmm->start(EventLoop::now());
}

std::vector<std::string> InspectionCell::links() const {
  std::vector<std::string> lines{parts_.frames.describe()};
  if (parts_.cmm) lines.push_back(parts_.cmm->describe());
  for (const CommandEndpoint* endpoint : endpoints_) lines.push_back(endpoint->describe());
  for (const Pollable* link : links_) lines.push_back(link->describe());
  if (const auto controller = parts_.controller ? parts_.controller->newest() : std::nullopt)
    lines.push_back("controller: " + as_text(*controller));
  return lines;
}

}  // namespace datum
