#include "daemon/ctl/doctor.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace datum::doctor {

const char* name_of(State state) {
  switch (state) {
    case State::good:
      return "good";
    case State::doubtful:
      return "doubtful";
    case State::bad:
      return "BAD";
  }
  return "?";
}

std::vector<Finding> examine(const Needs& needs, const System& system) {
  std::vector<Finding> findings;
  examine_network(needs, system, findings);
  examine_serial_lines(needs, system, findings);
  examine_listeners(needs, system, findings);
  examine_gpu(needs, system, findings);
  examine_folders(needs, system, findings);
  examine_clock(system, findings);
  return findings;
}

std::string shown(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& f : findings) {
    text += fmt::format("{:<9} {}: {}\n", name_of(f.state), f.check, f.found);
    if (!f.run.empty()) text += fmt::format("{:<9} run: {}\n", "", f.run);
  }
  return text;
}

nlohmann::ordered_json as_json(const std::vector<Finding>& findings) {
  auto list = nlohmann::ordered_json::array();
  for (const Finding& f : findings)
    list.push_back({{"check", f.check},
                    {"found", f.found},
                    {"state", name_of(f.state)},
                    {"run", f.run.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(f.run)}});
  return list;
}

bool any_bad(const std::vector<Finding>& findings) {
  return std::any_of(findings.begin(), findings.end(),
                     [](const Finding& f) { return f.state == State::bad; });
}

}  // namespace datum::doctor
