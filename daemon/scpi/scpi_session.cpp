#include "daemon/scpi/scpi_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "daemon/delivery/result_line.h"
#include "daemon/scpi/scpi_answer.h"
#include "daemon/scpi/scpi_characters.h"
#include "daemon/scpi/scpi_commands.h"

namespace datum::scpi {
namespace {

constexpr std::size_t most_held_bytes = Framer::longest_message;  // input after *WAI

struct Found {
  const Command* command;
  Pattern::Match match;
};

/// Throws -114 where only a numeric suffix is wrong, -113 for an unknown header.
Found find(const std::vector<std::string>& words, const Header& header) {
  bool suffix_wrong = false;
  // Numeric suffixes belong to SCPI; a common header of IEEE 488.2 has none.
  if (header.common() && !header.mnemonics.front().empty() && is_digit(header.mnemonics.front().back()))
    throw Error(undefined_header, header.typed);
  for (const auto& command : all_commands()) {
    const auto match = command.pattern.match(words, header.query);
    if (match && !match->suffix_out_of_range) return {&command, *match};
    suffix_wrong = suffix_wrong || match.has_value();
  }
  throw Error(suffix_wrong ? header_suffix_out_of_range : undefined_header, header.typed);
}

/// A command for the log: whole header, parameters as received.
std::string shown(const Command& command, const Unit& unit) {
  std::string text = command.pattern.text();
  for (const auto& p : unit.parameters)
    text += (&p == &unit.parameters.front() ? ' ' : ',') +
            (p.kind == Element::Kind::block ? fmt::format("<{} bytes>", p.text.size()) : p.text + p.suffix);
  return text;
}

/// "SENSe:TEMPerature? MAX": a query with the limits of a settable number. None: another query.
std::optional<double> limit_of(const Command& query, const Unit& unit) {
  const bool asks = query.pattern.is_query() && query.parameters.empty() && unit.parameters.size() == 1 &&
                    unit.parameters.front().kind == Element::Kind::character;
  if (!asks) return std::nullopt;
  for (const auto& command : all_commands())
    if (command.pattern.text() + "?" == query.pattern.text() && command.parameters.size() == 1 &&
        command.parameters.front().kind == Parameter::Kind::number)
      return named_number(command.parameters.front(), unit.parameters.front().text);
  return std::nullopt;
}

/// Error number for an exception of a handler.
int number_of(const StoreError& error) {
  switch (error.kind()) {
    case StoreError::Kind::full:
      return media_full;
    case StoreError::Kind::corrupt:
      return storage_fault;
    default:
      return mass_storage_error;
  }
}

}  // namespace

std::uint8_t Status::byte(bool errors, bool message_available) const {
  unsigned bits = 0;
  if (errors) bits |= status_error_queue;
  if (questionable.summary()) bits |= status_questionable;
  if (message_available) bits |= status_message_available;
  if (event & event_enable) bits |= status_event;
  if (operation.summary()) bits |= status_operation;
  if (bits & service_enable) bits |= status_master_summary;
  return static_cast<std::uint8_t>(bits);
}

Session::Session(Instrument& instrument, std::string host) : instrument_(instrument), host_(std::move(host)) {
  status_.event = power_on;
  status_.operation.condition = instrument_.operation_condition();
  status_.questionable.condition = instrument_.questionable_condition();
}

void Session::raise(int number, const std::string& detail) {
  errors_.push(number, detail);
  status_.event |= event_bit_of(number);
}

std::uint8_t Session::status_byte() const {
  return status_.byte(errors_.size() > 0, !line_.empty() || !outbox_.empty());
}

void Session::receive(std::string_view bytes) {
  framer_.feed(bytes, [this](Framed framed) {
    if (other_line_ && framed.error == 0 && other_line_(framed.message)) return;
    if (inbox_bytes_ + framed.message.size() > most_held_bytes && (held_ || later_))
      return raise(input_buffer_overrun, "too much behind *WAI; a message is lost");
    inbox_bytes_ += framed.message.size();
    inbox_.push_back(std::move(framed));
    work();
  });
}

void Session::instrument_changed() {
  status_.operation.update(instrument_.operation_condition());
  status_.questionable.update(instrument_.questionable_condition());
  if (working_) return;  // called from within a command: work() checks again itself
  release_complete();
  work();
}

void Session::release_complete() {
  if (instrument_.operation_pending()) return;
  held_ = false;
  if (std::exchange(event_when_complete_, false)) status_.event |= operation_complete;
  for (auto& line : outbox_)
    for (auto& answer : line) answer.when_complete = false;
  for (auto& answer : line_) answer.when_complete = false;
}

bool Session::waits_for_others() {
  if (later_ && later_->done) {
    const auto ended = std::exchange(later_, nullptr);
    for (const auto& error : ended->errors) raise(ended->error_number, error);
    if (ended->answers) answer(ended->text);
    const bool done = ended->answers || ended->errors.empty();
    if (done) count_executed();
    instrument_.control().meter().command(host_, done, later_took_ns_);
  }
  return held_ || later_ || lost_;
}

void Session::work() {
  if (std::exchange(working_, true)) return;
  for (;;) {
    release_complete();
    if (waits_for_others()) break;
    if (parser_) {
      if (!run_message()) break;
      continue;
    }
    if (inbox_.empty() || !in_pace()) break;
    paid_ = true;
    Framed next = std::move(inbox_.front());
    inbox_.pop_front();
    inbox_bytes_ -= next.message.size();
    if (next.error != 0) {
      raise(next.error, next.detail);
    } else {
      parser_.emplace(std::move(next.message));
    }
  }
  working_ = false;
  if (std::exchange(lost_, false)) link_lost();
}

/// False: the rate limit holds the rest.
bool Session::run_message() {
  MonotonicNs from = 0;
  const auto enter = [&](bool done) {
    instrument_.control().meter().command(host_, done, instrument_.monotonic_ns() - from);
  };
  try {
    while (!waits_for_others()) {
      from = instrument_.monotonic_ns();
      if (!unit_) unit_ = parser_->next();
      if (!unit_) {
        end_message();
        break;
      }
      if (!std::exchange(paid_, false) && !in_pace()) return false;
      execute(*std::exchange(unit_, std::nullopt));
      release_complete();  // *OPC;*ESR?: without a pending operation the bit is set at once
      if (later_) {
        later_took_ns_ = instrument_.monotonic_ns() - from;
        continue;
      }
      count_executed();
      enter(true);
    }
  } catch (const Error& error) {
    enter(false);
    raise(error.number(), error.what());
    if (event_bit_of(error.number()) == command_error) end_message();
  } catch (const StoreError& error) {
    enter(false);
    raise(number_of(error), error.what());
  } catch (const std::exception& error) {
    enter(false);
    raise(system_error, error.what());
  }
  return true;
}

void Session::execute(const Unit& unit) {
  const Header& header = unit.header;
  std::vector<std::string> words = header.mnemonics;
  if (!header.common()) {
    if (!header.from_root) words.insert(words.begin(), path_.begin(), path_.end());
    path_.assign(words.begin(), words.end() - 1);
  }
  const Found found = find(words, header);
  if (const auto limit = limit_of(*found.command, unit)) return answer(number(*limit));
  Call call{*this, convert(found.command->parameters, unit.parameters), found.match.suffixes};
  if (found.command->access == Access::commands)
    instrument_.control().change(host_, shown(*found.command, unit));
  if (found.command->access == Access::measures)
    instrument_.control().measure(host_, shown(*found.command, unit));
  if (found.command->access == Access::configures)
    instrument_.control().change(host_, shown(*found.command, unit), Role::configure);
  if (found.command->access == Access::stops) instrument_.control().stop(host_, shown(*found.command, unit));
  found.command->run(call);
  status_.operation.update(instrument_.operation_condition());
  status_.questionable.update(instrument_.questionable_condition());
}

void Session::end_message() {
  parser_.reset();
  path_.clear();
  if (!line_.empty()) outbox_.push_back(std::exchange(line_, {}));
}

void Session::forget_completion() {
  event_when_complete_ = false;
  const auto forget = [](Line& line) {
    line.erase(std::remove_if(line.begin(), line.end(), [](const Answer& a) { return a.when_complete; }),
               line.end());
  };
  forget(line_);
  for (auto& line : outbox_) forget(line);
  outbox_.erase(std::remove_if(outbox_.begin(), outbox_.end(), [](const Line& l) { return l.empty(); }),
                outbox_.end());
}

std::vector<std::string> Session::take_answers() {
  std::vector<std::string> lines;
  const auto waits = [](const Answer& a) { return a.when_complete; };
  while (!outbox_.empty() && std::none_of(outbox_.front().begin(), outbox_.front().end(), waits)) {
    std::string text;
    for (const auto& answer : outbox_.front()) text += (text.empty() ? "" : ";") + answer.text;
    lines.push_back(std::move(text) + '\n');
    outbox_.pop_front();
  }
  return lines;
}

std::string Session::pushed(const BoardVerdict& verdict) const { return result_line(verdict) + '\n'; }

std::string Session::gap(const std::string& store_id, std::uint64_t from, std::uint64_t to) const {
  return gap_line(store_id, from, to) + '\n';
}

void Session::link_lost() {
  if (working_) {  // a command's own answer broke the link: its objects are still in use
    lost_ = true;
    return;
  }
  framer_.clear();
  inbox_.clear();
  inbox_bytes_ = 0;
  parser_.reset();
  unit_.reset();
  path_.clear();
  line_.clear();
  outbox_.clear();
  held_ = false;
  later_.reset();
}

}  // namespace datum::scpi
