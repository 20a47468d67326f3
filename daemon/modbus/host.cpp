#include "daemon/modbus/host.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <limits>

#include "daemon/instrument/scpi_error.h"
#include "daemon/modbus/link_registers.h"
#include "daemon/modbus/registers.h"
#include "daemon/modbus/window.h"

namespace datum::modbus {
namespace {

constexpr std::size_t most_triggered = 256;
constexpr std::uint16_t shortest_heartbeat_ms = 50;

bool covers(const Request& r, Address at) {
  return r.table == Table::holding_registers && at >= r.address && at < std::uint32_t{r.address} + r.count;
}

/// Up to its first 0 printable ASCII, of names also what UTF-8 is made of.
bool is_text(ConstWords words, bool ascii) {
  for (const std::uint16_t c : words) {
    if (c == 0) return true;
    if (c < ' ' || c == 127 || c > (ascii ? '~' : 255)) return false;
  }
  return true;
}

void clear_tail(Words text) {
  const auto end = std::find(text.begin(), text.end(), 0);
  std::fill(end, text.end(), std::uint16_t{0});
}

std::uint32_t counted(std::uint64_t n) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(n, std::numeric_limits<std::uint32_t>::max()));
}

std::uint16_t state_number(InstrumentState state) { return static_cast<std::uint16_t>(state); }

/// Writes a hash, two bytes per register; nothing for invalid text.
void put_hash(Words to, std::size_t at, const std::string& hex) {
  if (hex.size() != 64 ||
      !std::all_of(hex.begin(), hex.end(), [](unsigned char c) { return std::isxdigit(c); }))
    return;
  for (std::size_t i = 0; i < 16; ++i)
    to[at + i] = static_cast<std::uint16_t>(std::stoul(hex.substr(4 * i, 4), nullptr, 16));
}

}  // namespace

Host::Host(std::string name, std::uint64_t acknowledged, std::uint16_t last_id, CellView& cell)
    : name_(std::move(name)),
      cell_(cell),
      handshake_(last_id),
      fifo_(acknowledged),
      commands_(name_, cell_, control_, fifo_),
      result_(empty_window()),
      fifo_window_(empty_window()) {}

void Host::announced(const BoardVerdict& verdict, std::uint64_t board) {
  std::uint16_t id = 0;
  for (Triggered& t : triggered_) {
    if (t.board != board || board == 0) continue;
    t.sequence = verdict.sequence;
    id = t.id;
  }
  if (board == 0 || !handshake_.stored(board)) return;
  result_ = window_of(verdict, id);
  result_decision_ = verdict.decision;
  result_sequence_ = verdict.sequence;
  result_code_ = code_of(reason_of(verdict));
}

std::uint16_t Host::id_of(std::uint64_t sequence) const {
  for (const Triggered& t : triggered_)
    if (t.sequence == sequence) return t.id;
  return 0;
}

// ---- what a host writes ----

/// The writable registers as the request leaves them.
ControlWords Host::merged(const Request& request) const {
  auto words = control_;
  if (request.table == Table::coils) {
    for (std::size_t i = 0; i < request.count; ++i) {
      const unsigned bit = 1u << (request.address + i);
      words[0] = static_cast<std::uint16_t>(request.values[i] ? words[0] | bit : words[0] & ~bit);
    }
    return words;
  }
  std::copy(request.values.begin(), request.values.end(), words.begin() + (request.address - at_control));
  const Words all(words);
  for (const Address text : {at_unit, at_job_name}) {
    if (!covers(request, text)) continue;
    const std::size_t from = text - at_control;
    const std::size_t given = std::min<std::size_t>(long_text, request.address + request.count - text);
    std::fill(words.begin() + from + given, words.begin() + from + long_text, std::uint16_t{0});
    if (is_text(all.subspan(from, long_text), false)) clear_tail(all.subspan(from, long_text));
  }
  return words;
}

Exception Host::check_values(const Request& request) const {
  const auto words = merged(request);
  const ConstWords all(words);
  const auto at = [&](Address address) { return words[address - at_control]; };
  const bool good = (at(at_control) & ~control_bits) == 0 && at(at_command) <= last_command &&
                    (at(at_heartbeat_period) == 0 || at(at_heartbeat_period) >= shortest_heartbeat_ms) &&
                    is_text(all.subspan(at_unit - at_control, long_text), true) &&
                    is_text(all.subspan(at_job_name - at_control, long_text), false) &&
                    (!covers(request, at_ack_sequence) ||
                     (cell_.store && get_u64(all, at_ack_sequence - at_control) <= cell_.store->highest()));
  return good ? Exception::none : Exception::illegal_value;
}

Exception Host::write(const Request& request, MonotonicNs now) {
  if (const Exception refusal = check_values(request); refusal != Exception::none) return refusal;
  const auto before = control_;
  control_ = merged(request);
  if (control_[at_heartbeat_period - at_control] != before[at_heartbeat_period - at_control])
    plc_beat_.watch(control_[at_heartbeat_period - at_control], now);
  if (covers(request, at_ack_sequence))
    fifo_.acknowledge(get_u64(control_, at_ack_sequence - at_control), *cell_.store);
  const std::uint16_t command = control_[at_command - at_control];
  if (command != before[at_command - at_control] && command != command_none) commands_.run(command);
  if (control_[0] & ~before[0] & control_job_strobe) commands_.choose_job_and_arm();
  follow_control(now);
  return Exception::none;
}

/// CONTROL as it is now, for the handshake.
void Host::follow_control(MonotonicNs now) {
  const unsigned bits = control_[0];
  plc_beat_.level((bits & control_heartbeat) != 0, now);
  watch_plc(now);
  const bool shown = handshake_.results_valid();
  const unsigned why = not_ready(now);
  const std::uint32_t ignored = handshake_.ignored();
  const bool go = handshake_.plc(
      {(bits & control_trigger) != 0, (bits & control_results_ack) != 0, (bits & control_reset) != 0},
      why == 0);
  if (go) trigger();
  if (!go && handshake_.ignored() != ignored && (why & not_ready_control))
    handshake_.fault(Fault::control_elsewhere);
  if (!shown || handshake_.results_valid()) return;
  // One that missed an earlier result still has that first.
  if (handshake_.taking() && cell_.store && fifo_.oldest(*cell_.store) == result_sequence_)
    fifo_.acknowledge(result_sequence_, *cell_.store);
  result_ = empty_window();
  result_sequence_ = result_code_ = 0;
}

void Host::trigger() {
  const std::string unit = text_at(control_, at_unit), unit_before = cell_.instrument.unit();
  const std::int16_t refusal = number_of_refusal(cell_, name_, [&] {
    cell_.control.measure(name_, unit.empty() ? "TRIGGER" : "TRIGGER, unit " + unit);
    if (!unit.empty()) cell_.instrument.set_unit(unit);
    try {
      cell_.instrument.trigger();
    } catch (...) {
      cell_.instrument.set_unit(unit_before);  // it was for this board alone
      throw;
    }
  });
  if (refusal != 0)
    return handshake_.refused(refusal == scpi::command_protected ? Fault::control_elsewhere
                                                                 : Fault::trigger_refused);
  put_text(control_, at_unit - at_control, long_text, "");
  handshake_.triggered(cell_.instrument.board_in_work());
  triggered_.push_back({cell_.instrument.board_in_work(), 0, handshake_.id()});
  if (triggered_.size() > most_triggered) triggered_.pop_front();
}

void Host::watch_plc(MonotonicNs now) {
  const bool stale = plc_beat_.stale(now);
  if (stale == plc_stale_) return;
  plc_stale_ = stale;
  if (stale) handshake_.fault(Fault::heartbeat_lost);
  cell_.log(stale ? 4 : 5, fmt::format("{}: {}", name_,
                                       stale ? "its heartbeat is lost; no trigger is taken until it is back"
                                             : "its heartbeat is back"));
}

// ---- what a host reads ----

std::optional<MonotonicNs> Host::due() const { return plc_stale_ ? std::nullopt : plc_beat_.due(); }

unsigned Host::links() const {
  const unsigned operation = cell_.instrument.operation_condition();
  unsigned bits = 0;
  if (operation & operation_sensor_link) bits |= link_sensor;
  if (operation & operation_cmm_link) bits |= link_cmm;
  if (cell_.instrument.position()) bits |= link_cmm_configured;
  if (cell_.instrument.calibration().refusal.empty()) bits |= link_calibration_good;
  if (cell_.store) bits |= link_store;
  return bits;
}

/// Bits of NOT_READY except those of the handshake.
unsigned Host::not_ready(MonotonicNs now) const {
  const unsigned up = links();
  unsigned bits = 0;
  if (cell_.instrument.trigger_source() != TriggerSource::bus) bits |= not_ready_on_frame;
  if (!cell_.instrument.recipe()) bits |= not_ready_job;
  if (cell_.instrument.state() == InstrumentState::idle) bits |= not_ready_armed;
  if (cell_.instrument.operation_pending()) bits |= not_ready_busy;
  if (!(up & link_calibration_good)) bits |= not_ready_calibration;
  if (!(up & link_sensor)) bits |= not_ready_sensor;
  if ((up & link_cmm_configured) && !(up & link_cmm)) bits |= not_ready_cmm;
  if (!cell_.control.may_change(name_)) bits |= not_ready_control;
  if (plc_beat_.stale(now)) bits |= not_ready_heartbeat;
  return bits;
}

unsigned Host::status(unsigned why) const {
  const auto when = [](bool is, unsigned bit) { return is ? bit : 0u; };
  const bool valid = handshake_.results_valid();
  const auto decided = [&](Decision d, unsigned bit) { return when(valid && result_decision_ == d, bit); };
  const InstrumentState state = cell_.instrument.state();
  return when(handshake_.ready(why == 0), status_ready) | when(handshake_.trigger_ack(), status_trigger_ack) |
         when(handshake_.busy(), status_busy) | when(valid, status_results_valid) |
         decided(Decision::pass, status_pass) | decided(Decision::fail, status_fail) |
         decided(Decision::inconclusive, status_inconclusive) | decided(Decision::invalid, status_invalid) |
         when(handshake_.fault() != Fault::none, status_fault) | when(cell_.heartbeat, status_heartbeat) |
         when(cell_.instrument.operation_pending(), status_in_progress) |
         when(state != InstrumentState::idle, status_armed) |
         when(cell_.instrument.operation_condition() & operation_sweeping, status_exposing) |
         when(fifo_sequence_ != 0, status_fifo_waiting) |
         when(cell_.store && fifo_.lost(*cell_.store) > 0, status_fifo_lost) |
         when(cell_.control.may_change(name_), status_in_control);
}

void Host::put_identity(Image& image) const {
  const Words to(image.base);
  const InstrumentIdentity identity = cell_.instrument.identity();
  to[at_map_version] = map_version;
  to[at_test_u16] = test_u16;
  put_i32(to, at_test_i32, test_i32);
  put_f32(to, at_test_f32, test_f32);
  put_u64(to, at_test_u64, test_u64);
  put_text(to, at_test_text, 8, test_text);
  put_text(to, at_cell, 32, identity.serial);
  put_text(to, at_firmware, 40, identity.firmware);
  std::copy(control_.begin(), control_.end(), image.base.begin() + at_control);
}

void Host::put_jobs(Image& image) const {
  const Words to(image.base);
  const std::vector<std::string> names = cell_.instrument.recipes();
  const SelectedRecipe chosen = cell_.instrument.recipe().value_or(SelectedRecipe{});
  const auto found = std::find(names.begin(), names.end(), chosen.name);
  to[at_job_count] = static_cast<std::uint16_t>(std::min<std::size_t>(names.size(), 65535));
  to[at_job_chosen] =
      found == names.end() ? std::uint16_t{0} : static_cast<std::uint16_t>(found - names.begin() + 1);
  put_text(to, at_job_chosen_name, long_text, chosen.name);
  put_hash(to, at_job_sha256, chosen.sha256);
  const std::size_t index = control_[at_job_index - at_control];
  if (index >= 1 && index <= names.size()) put_text(to, at_job_listed_name, long_text, names[index - 1]);
}

void Host::put_status(Image& image, MonotonicNs now) const {
  const Words to(image.base);
  const unsigned why = not_ready(now);
  unsigned own = 0;
  if (handshake_.busy() || handshake_.results_valid() || handshake_.taking()) own |= not_ready_busy;
  if (handshake_.signals().trigger) own |= not_ready_trigger_high;
  if (handshake_.signals().results_ack) own |= not_ready_ack_high;
  to[at_status] = static_cast<std::uint16_t>(status(why));
  to[at_not_ready] = static_cast<std::uint16_t>(why | own);
  to[at_fault_code] = static_cast<std::uint16_t>(handshake_.fault());
  to[at_result_id] = handshake_.id();
  if (handshake_.results_valid()) {
    put_u64(to, at_result_sequence, result_sequence_);
    to[at_result_code] = result_code_;
  }
  to[at_state] = state_number(cell_.instrument.state());
  to[at_command_done] = commands_.done();
  to[at_command_result] = static_cast<std::uint16_t>(commands_.result());
  to[at_command_count] = commands_.count();
  to[at_links] = static_cast<std::uint16_t>(links());
  for (const auto& [at, decision] : {std::pair{at_boards_pass, Decision::pass},
                                     {at_boards_inconclusive, Decision::inconclusive},
                                     {at_boards_fail, Decision::fail},
                                     {at_boards_invalid, Decision::invalid}})
    put_u32(to, at, cell_.boards[static_cast<std::size_t>(decision)]);
  put_u32(to, at_triggers_taken, handshake_.taken());
  put_u32(to, at_triggers_ignored, handshake_.ignored());
  to[at_operation] = cell_.instrument.operation_condition();
  to[at_questionable] = cell_.instrument.questionable_condition();
  put_text(to, at_control_owner, 32, cell_.control.owner());
  put_links(to, cell_.instrument.link_reports(), now);
  put_checks(to, cell_.instrument.reference_checker(), cell_.instrument.utc_s());
  const auto recipe = cell_.instrument.recipe();
  const ChartWatcher* charts = cell_.instrument.chart_watcher();
  put_chart(to, charts && recipe ? charts->chart(recipe->name) : ChartStatus{});
}

/// Loads the window of the oldest unacknowledged result.
void Host::load_fifo() {
  const std::uint64_t next = cell_.store ? fifo_.oldest(*cell_.store) : 0;
  if (next == fifo_sequence_ && (next == 0 || cell_.store)) return;
  fifo_sequence_ = 0;
  fifo_window_ = empty_window();
  if (next == 0) return;
  try {
    const auto stored = cell_.instrument.result(next);
    if (!stored) {
      cell_.log(4, fmt::format("{}: result {} is no longer in the store", name_, next));
      cell_.store = cell_.instrument.results();
      if (fifo_.oldest(*cell_.store) == next) fifo_.acknowledge(next, *cell_.store);
      return;
    }
    fifo_window_ = window_of(stored->verdict(), id_of(next));
    fifo_sequence_ = next;
  } catch (const std::exception& failed) {
    if (handshake_.fault() != Fault::store) cell_.log(3, fmt::format("{}: {}", name_, failed.what()));
    handshake_.fault(Fault::store);
  }
}

void Host::put_store(Image& image) {
  load_fifo();
  const Words to(image.base);
  put_u64(to, at_fifo_acknowledged, fifo_.acknowledged());
  put_u64(to, at_fifo_sequence, fifo_sequence_);
  if (!cell_.store) return;
  put_u64(to, at_store_id, std::strtoull(cell_.store->store_id.c_str(), nullptr, 16));
  put_u32(to, at_fifo_count, counted(fifo_.count(*cell_.store)));
  put_u32(to, at_fifo_lost, counted(fifo_.lost(*cell_.store)));
  put_u64(to, at_store_first, cell_.store->first);
  put_u64(to, at_store_last, cell_.store->last);
}

Image Host::image(MonotonicNs now) {
  watch_plc(now);
  handshake_.in_work(cell_.instrument.board_in_work());
  Image image;
  put_identity(image);
  put_jobs(image);
  put_store(image);
  put_status(image, now);
  image.result = handshake_.results_valid() ? result_ : empty_window();
  image.fifo = fifo_window_;
  return image;
}

}  // namespace datum::modbus
