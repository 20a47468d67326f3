// Writes of a host, and their effects.
#include <fmt/format.h>

#include <algorithm>

#include "daemon/instrument/scpi_error.h"
#include "daemon/modbus/host.h"
#include "daemon/modbus/registers.h"

namespace datum::modbus {
namespace {

constexpr std::size_t most_triggered = 256;
constexpr std::uint16_t shortest_heartbeat_ms = 50;

bool covers(const Request& r, Address at) {
  return r.table == Table::holding_registers && at >= r.address && at < std::uint32_t{r.address} + r.count;
}

/// True: printable ASCII up to the first 0; with ascii = false also bytes of UTF-8.
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

}  // namespace

std::string Host::text_at(Address at) const { return get_text(control_, at - at_control, long_text); }

/// The writable registers after the request.
std::array<std::uint16_t, control_end - at_control> Host::merged(const Request& request) const {
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
  if (command != before[at_command - at_control] && command != command_none) run(command);
  const unsigned risen = control_[0] & ~before[0];
  if (risen & control_job_strobe) {
    ++command_count_;
    const std::string name = text_at(at_job_name);
    command_done_ = name.empty() ? command_choose_job_by_index : command_choose_job_by_name;
    command_result_ = number_of_refusal([&] {
      execute(command_done_);
      execute(command_arm);
    });
  }
  follow_control(now);
  return Exception::none;
}

/// Passes CONTROL to the handshake.
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
  // A host that missed an earlier result still gets that one first.
  if (handshake_.taking() && cell_.store && fifo_.oldest(*cell_.store) == result_sequence_)
    fifo_.acknowledge(result_sequence_, *cell_.store);
  result_ = empty_window();
  result_sequence_ = result_code_ = 0;
}

void Host::trigger() {
  const std::string unit = text_at(at_unit), unit_before = cell_.instrument.unit();
  const std::int16_t refusal = number_of_refusal([&] {
    cell_.control.measure(name_, unit.empty() ? "TRIGGER" : "TRIGGER, unit " + unit);
    if (!unit.empty()) cell_.instrument.set_unit(unit);
    try {
      cell_.instrument.trigger();
    } catch (...) {
      cell_.instrument.set_unit(unit_before);  // it was for this board only
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

template <class Action>
std::int16_t Host::number_of_refusal(Action&& action) {
  try {
    action();
    return 0;
  } catch (const scpi::Error& refused) {
    return static_cast<std::int16_t>(refused.number());
  } catch (const StoreError& failed) {
    cell_.log(3, fmt::format("{}: {}", name_, failed.what()));
    return scpi::mass_storage_error;
  } catch (const std::exception& failed) {
    cell_.log(3, fmt::format("{}: {}", name_, failed.what()));
    return scpi::system_error;
  }
}

void Host::run(std::uint16_t command) {
  ++command_count_;
  command_done_ = command;
  command_result_ = number_of_refusal([&] { execute(command); });
}

void Host::choose(const std::string& job) {
  cell_.control.change(name_, "recipe " + job);
  try {
    cell_.instrument.select_recipe(job, std::nullopt);
  } catch (...) {
    // A PLC relies on READY alone: the next board must not be measured with the former recipe.
    if (!cell_.instrument.operation_pending()) cell_.instrument.abort();
    throw;
  }
}

void Host::execute(std::uint16_t command) {
  Instrument& cell = cell_.instrument;
  switch (command) {
    case command_arm:
      cell_.control.change(name_, "ARM");
      return cell.arm();
    case command_abort:
      cell_.control.stop(name_, "ABORT");
      return cell.abort();
    case command_choose_job_by_index: {
      const std::vector<std::string> names = cell.recipes();
      const std::size_t index = control_[at_job_index - at_control];
      if (index < 1 || index > names.size())
        throw scpi::Error(scpi::data_out_of_range, fmt::format("job 1 to {}", names.size()));
      return choose(names[index - 1]);
    }
    case command_choose_job_by_name:
      return choose(text_at(at_job_name));
    case command_set_unit:
      cell_.control.measure(name_, "unit " + text_at(at_unit));
      cell.set_unit(text_at(at_unit));
      put_text(control_, at_unit - at_control, long_text, "");
      return;
    case command_set_temperature: {
      const float degc = get_f32(control_, at_temperature - at_control);
      if (!(degc >= -20 && degc <= 60)) throw scpi::Error(scpi::data_out_of_range, "-20 to 60 degC");
      cell_.control.measure(name_, fmt::format("temperature {} degC", degc));
      return cell.set_temperature(degc);
    }
    case command_resume:
      if (!cell_.store) throw scpi::Error(scpi::mass_storage_error, "the store can't be read");
      fifo_.resume(get_u64(control_, at_ack_sequence - at_control), *cell_.store);
      return;
    case command_self_test:
      if (const auto failures = cell.self_test(); !failures.empty())
        throw scpi::Error(scpi::self_test_failed, failures.front());
      return;
    case command_reopen_links:
      cell_.control.change(name_, "REOPEN_LINKS");
      return cell.reopen_links();
    case command_take_control:
      if (!cell_.control.request(name_)) throw scpi::Error(scpi::command_protected, cell_.control.owner());
      return;
    case command_release_control:
      return cell_.control.release(name_);
    default:
      // check_values() refuses unknown commands.
      throw scpi::Error(scpi::undefined_header, "no such command");
  }
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

}  // namespace datum::modbus
