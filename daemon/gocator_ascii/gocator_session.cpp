#include "daemon/gocator_ascii/gocator_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "daemon/delivery/result_line.h"
#include "drivers/frame/bounded_text.h"

namespace datum {
namespace {

/// A refusal in the form of this protocol.
class Refused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

std::string trimmed(std::string_view text) {
  while (!text.empty() && static_cast<unsigned char>(text.front()) <= ' ') text.remove_prefix(1);
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.remove_suffix(1);
  return std::string(text);
}

std::vector<std::string> split(const std::string& command, char delimiter) {
  std::vector<std::string> words;
  for (std::size_t from = 0;;) {
    const auto to = command.find(delimiter, from);
    words.push_back(trimmed(std::string_view(command).substr(from, to - from)));
    if (to == std::string::npos) break;
    from = to + 1;
  }
  std::transform(words[0].begin(), words[0].end(), words[0].begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; });
  return words;
}

/// An error is one line, whatever text it quotes.
std::string one_line(const std::string& whole) {
  std::string text = bounded_text(whole);
  for (char& c : text)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  return text;
}

void no_parameters(const std::vector<std::string>& words) {
  if (words.size() > 1) throw Refused(fmt::format("{} takes no parameter here", words[0]));
}

}  // namespace

GocatorSession::GocatorSession(Instrument& instrument, GocatorSettings settings, std::string host)
    : instrument_(instrument), settings_(std::move(settings)), host_(std::move(host)) {}

void GocatorSession::receive(std::string_view bytes) {
  for (const char c : bytes) {
    if (c == settings_.terminator.back()) {
      finish();
    } else if (line_.size() < longest_command) {
      line_ += c;
    } else {
      too_long_ = true;
    }
  }
  resume();
}

void GocatorSession::finish() {
  const std::string command = trimmed(std::exchange(line_, {}));
  if (std::exchange(too_long_, false)) {
    commands_.emplace_back();
  } else if (!command.empty()) {  // skips the CR of a host that sends CR LF where the terminator is LF or CR
    commands_.push_back(command);
  }
}

void GocatorSession::resume() {
  while (!commands_.empty() && in_pace()) {
    const std::string command = std::move(commands_.front());
    commands_.pop_front();
    const MonotonicNs from = instrument_.monotonic_ns();
    answers_.push_back(reply(command) + settings_.terminator);
    const bool done = answers_.back().rfind("OK", 0) == 0;
    if (done) count_executed();
    instrument_.control().meter().command(host_, done, instrument_.monotonic_ns() - from);
  }
}

std::vector<std::string> GocatorSession::take_answers() { return std::exchange(answers_, {}); }

void GocatorSession::link_lost() {
  line_.clear();
  too_long_ = false;
  commands_.clear();
  answers_.clear();
}

std::string GocatorSession::reply(const std::string& command) {
  const std::string& d = settings_.delimiter;
  try {
    if (command.empty()) throw Refused(fmt::format("a command may have {} bytes", longest_command));
    const std::string data = execute(split(command, d[0]), command);
    return data.empty() ? "OK" : "OK" + d + data;
  } catch (const scpi::Error& error) {
    return "ERROR" + d + one_line(fmt::format("{}; {}", scpi::text_of(error.number()), error.what()));
  } catch (const std::exception& error) {
    return "ERROR" + d + one_line(error.what());
  }
}

std::string GocatorSession::execute(const Words& words, const std::string& command) {
  const std::string& name = words[0];
  if (name == "loadjob") return job(words, command);
  if (name == "result") return results(words, GocatorParts::both);
  if (name == "value") return results(words, GocatorParts::values);
  if (name == "decision") return results(words, GocatorParts::decisions);
  if (name == "start" || name == "trigger") {
    no_parameters(words);
    name == "start" ? change(command) : instrument_.control().measure(host_, command);
    expect_next();
    name == "start" ? instrument_.arm() : instrument_.trigger();
    return {};
  }
  if (name == "stop") {
    no_parameters(words);
    instrument_.control().stop(host_, command);
    instrument_.abort();
    return {};
  }
  if (name == "stamp") return stamp();
  throw Refused(fmt::format(
      "'{}' is not known here; Start, Stop, Trigger, LoadJob, Stamp, Result, Value, Decision are", words[0]));
}

std::string GocatorSession::job(const Words& words, const std::string& command) {
  if (words.size() > 2) throw Refused("LoadJob takes one name");
  if (words.size() == 1) {
    const auto chosen = instrument_.recipe();
    if (!chosen) throw Refused("no recipe is chosen");
    return chosen->name;
  }
  change(command);
  expect_next();
  try {
    instrument_.select_recipe(words[1], std::nullopt);
  } catch (const scpi::Error& error) {
    throw Refused(fmt::format("failed to load {}: {}", words[1], error.what()));
  }
  return words[1] + " loaded successfully";
}

std::string GocatorSession::stamp() {
  const auto last = last_result();
  const std::string& d = settings_.delimiter;
  return fmt::format("Time{}{}{}Encoder{}0{}Frame{}{}", d, utc_us_from_iso8601(last.verdict().measured_at), d,
                     d, d, d, last.sequence);
}

void GocatorSession::expect_next() { old_ = instrument_.results().last; }

StoredResult GocatorSession::last_result() {
  if (instrument_.operation_pending()) throw Refused("a board is being measured");
  auto found = instrument_.result(std::nullopt);
  if (!found || found->sequence <= old_) throw Refused("no result yet");
  return *std::move(found);
}

std::string GocatorSession::results(const Words& words, GocatorParts parts) {
  const BoardVerdict verdict = last_result().verdict();
  if (words.size() == 1 && !settings_.format.empty())
    return gocator_custom(verdict, settings_.format, settings_);
  const auto all = gocator_measurements(verdict);
  if (words.size() == 1) return gocator_line(all, settings_, parts);
  std::vector<GocatorMeasurement> chosen;
  for (std::size_t i = 1; i < words.size(); ++i) {
    std::size_t id = 0;
    const char *from = words[i].data(), *to = from + words[i].size();
    const auto [end, error] = std::from_chars(from, to, id);
    if (error != std::errc() || end != to || id >= all.size())
      throw Refused(
          fmt::format("measurement '{}' is not in this result; ids are 0 to {}", words[i], all.size() - 1));
    chosen.push_back(all[id]);
  }
  return gocator_line(chosen, settings_, parts);
}

}  // namespace datum
