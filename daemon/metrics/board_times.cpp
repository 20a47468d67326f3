#include "daemon/metrics/board_times.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace datum {

namespace {

constexpr double ns_per_us = 1e3;
constexpr double most_us = 1e14;  // three years

void add(std::vector<BoardStep>& steps, const char* name, MonotonicNs from, MonotonicNs to) {
  if (from > 0 && to >= from) steps.push_back({name, to - from});
}

void add_inspection(std::vector<BoardStep>& steps, const BoardTimes& t) {
  if (t.begun_ns == 0 || t.measured_ns < t.begun_ns) return;
  const MonotonicNs all = t.measured_ns - t.begun_ns, known = t.plan_ns + t.heights_ns + t.evidence_ns;
  if (known == 0) return steps.push_back({"inspect", all});
  steps.push_back({"plan", t.plan_ns});
  steps.push_back({"heights", t.heights_ns});
  steps.push_back({"evidence", t.evidence_ns});
  steps.push_back({"decide", all - known});
}

}  // namespace

std::vector<BoardStep> steps_of(const BoardTimes& t) {
  std::vector<BoardStep> steps;
  add(steps, "notice", t.noticed_ns, t.taken_ns);
  add(steps, "read", t.taken_ns, t.read_ns);
  add(steps, "turn", t.read_ns, t.turn_ns);
  add(steps, "position", t.turn_ns, t.complete_ns);
  add(steps, "queue", t.complete_ns, t.begun_ns);
  add_inspection(steps, t);
  add(steps, "store", t.measured_ns, t.stored_ns);
  add(steps, "announce", t.stored_ns, t.announced_ns);
  return steps;
}

std::string to_json(const std::vector<BoardStep>& steps) {
  std::string text;
  double total = 0;
  for (const BoardStep& step : steps) {
    const double us = static_cast<double>(step.took_ns) / ns_per_us;
    text += fmt::format("{}{{\"step\":\"{}\",\"us\":{:.1f}}}", text.empty() ? "" : ",", step.name, us);
    total += us;
  }
  return fmt::format("{{\"steps\":[{}],\"total_us\":{:.1f}}}", text, total);
}

std::vector<BoardStep> steps_from_json(const std::string& text) {
  try {
    std::vector<BoardStep> steps;
    const nlohmann::json all = nlohmann::json::parse(text);
    for (const auto& step : all.at("steps")) {
      const double us = step.at("us").get<double>();
      if (!(us >= 0 && us <= most_us))
        throw std::runtime_error(fmt::format("a step of a board that takes {} us", us));
      steps.push_back({step.at("step").get<std::string>(), static_cast<MonotonicNs>(us * ns_per_us)});
    }
    return steps;
  } catch (const nlohmann::json::exception& error) {
    throw std::runtime_error(fmt::format("times of a board that can't be read: {}", error.what()));
  }
}

}  // namespace datum
