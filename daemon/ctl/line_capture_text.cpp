// The captured lines as text and as JSON.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "daemon/ctl/line_capture.h"

namespace datum {
namespace {

using Json = nlohmann::ordered_json;

double seconds(MonotonicNs ns) { return 1e-9 * static_cast<double>(ns); }
const char* unit_of(const CmmSettings& s) { return s.unit == LengthUnit::mm ? "mm" : "inch"; }

std::string tally(const LineTrial& trial) {
  std::string text = fmt::format("{:<24} {:>4} of {} lines, {} positions", trial.preset(), trial.read(),
                                 trial.lines(), trial.positions());
  if (!trial.faults().empty() && trial.positions() == 0)
    text +=
        fmt::format("; {} {}", name_of(trial.faults().begin()->first), trial.faults().begin()->second.first);
  return text + "\n";
}

Json tally_json(const LineTrial& trial) {
  Json faults = Json::object();
  for (const auto& [state, fault] : trial.faults())
    faults[name_of(state)] = {{"count", fault.count}, {"first", fault.first}};
  return {{"preset", trial.preset()},
          {"lines", trial.lines()},
          {"read", trial.read()},
          {"positions", trial.positions()},
          {"faults", faults}};
}

}  // namespace

std::string escaped(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    const char* named = c == '\r'   ? "\\r"
                        : c == '\n' ? "\\n"
                        : c == '\t' ? "\\t"
                        : c == '\\' ? "\\\\"
                                    : nullptr;
    if (named)
      text += named;
    else
      text +=
          c >= 0x20 && c < 0x7f ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<std::uint8_t>(c));
  }
  return text;
}

std::string reading_text(const TriedLine& line, const CmmSettings& settings) {
  const LineReading& reading = line.reading;
  if (reading.ignored) return "says nothing of a position";
  if (reading.state != ProbeState::ok) return fmt::format("{} {}", name_of(reading.state), reading.detail);
  std::string text = reading.latched ? "touch at " : "";
  for (const auto& [axis, value] : reading.values) {
    // One line per axis: its place in the group gives the axis.
    const bool named = settings.grouping != Grouping::by_order;
    text += fmt::format("{}{} {}", &reading.values.front().first == &axis ? "" : ", ",
                        named ? settings.axes[axis].label : "value", value);
  }
  return text + " " + unit_of(settings);
}

std::string heard_text(const CapturedLine& line, const LineCapture& hearing, MonotonicNs origin_ns) {
  std::string text = fmt::format("{:10.3f}  {}\n", seconds(line.at_ns - origin_ns), escaped(line.bytes));
  for (const TriedLine& tried : line.readings)
    text += fmt::format("{:12}{}\n", "", reading_text(tried, hearing.chosen()->settings()));
  return text;
}

std::string summary_text(const LineCapture& hearing) {
  std::string text = fmt::format("{} bytes, {} lines\n", hearing.bytes(), hearing.lines());
  if (const LineTrial* chosen = hearing.chosen()) {
    text += "\nas configured:\n" + tally(*chosen);
    for (const std::string& need : chosen->needs()) text += "  needs " + need + "\n";
  }
  text += "\npresets, the best first:\n";
  for (const LineTrial* trial : hearing.ranked()) text += tally(*trial);
  if (!hearing.chosen() && hearing.understood())
    for (const std::string& need : hearing.ranked().front()->needs())
      text += fmt::format("  {} needs {}\n", hearing.ranked().front()->preset(), need);
  return text;
}

Json heard_json(const CapturedLine& line, const LineCapture& hearing, MonotonicNs origin_ns) {
  Json readings = Json::array();
  for (const TriedLine& tried : line.readings)
    readings.push_back({{"state", tried.reading.ignored ? "IGNORED" : name_of(tried.reading.state)},
                        {"words", reading_text(tried, hearing.chosen()->settings())}});
  return {{"at_s", seconds(line.at_ns - origin_ns)}, {"bytes", escaped(line.bytes)}, {"readings", readings}};
}

Json summary_json(const LineCapture& hearing) {
  Json presets = Json::array();
  for (const LineTrial* trial : hearing.ranked()) presets.push_back(tally_json(*trial));
  Json json{{"bytes", hearing.bytes()}, {"lines", hearing.lines()}, {"understood", hearing.understood()}};
  if (const LineTrial* chosen = hearing.chosen()) {
    json["chosen"] = tally_json(*chosen);
    json["needs"] = chosen->needs();
  }
  json["presets"] = presets;
  return json;
}

}  // namespace datum
