#include "daemon/batch/trial.h"

#include <fmt/format.h>

#include <chrono>
#include <map>
#include <set>
#include <tuple>

#include "daemon/cell/replay.h"
#include "daemon/fringe/load_sensor.h"
#include "gpu/board/cpu_board.h"

namespace datum {
namespace {

using CheckName = std::tuple<std::string, Characteristic, double>;

CheckName name_of_check(const ComponentVerdict& component, const CheckVerdict& check) {
  return {component.reference, check.check.characteristic, check.check.parameter};
}

std::map<std::string, const ComponentVerdict*> by_reference(const BoardVerdict& verdict) {
  std::map<std::string, const ComponentVerdict*> found;
  for (const ComponentVerdict& c : verdict.components) found.emplace(c.reference, &c);
  return found;
}

/// The check that decided: the first one with the component's own decision.
std::string deciding_check(const ComponentVerdict& c) {
  for (const CheckVerdict& check : c.checks) {
    if (check.decision != c.decision) continue;
    if (check.reason != Reason::none) return name_of(check.reason);
    const char* unit = unit_of(check.check.characteristic);
    const auto &lower = check.check.lower, &upper = check.check.upper;
    const std::string limits = lower && upper ? fmt::format("{:.6g} to {:.6g}", *lower, *upper)
                               : lower        ? fmt::format("at least {:.6g}", *lower)
                               : upper        ? fmt::format("at most {:.6g}", *upper)
                                              : "no limit";
    return fmt::format("{} {:.4g} {}, {}", name_of(check.check.characteristic), check.value, unit, limits);
  }
  return "no check";
}

}  // namespace

bool has_measurement(const BoardVerdict& result) { return !result.components.empty(); }

std::vector<TriedBoard> try_recipe(const Recipe& recipe, const std::string& of, std::uint64_t most,
                                   const DaemonConfig& config, ResultStore& store) {
  const unsigned threads = config.backend.threads;
  const SensorProfile sensor = load_sensor(config.sensor_profile, threads);
  CpuBoardMeasurer measurer(cpu_backend(threads));
  ReplayPlaces places{config.recipes, config.calibrations, deliveries_folder(config)};
  places.instead = &recipe;
  ResultFilter filter;
  filter.recipe = of;
  std::vector<TriedBoard> boards;
  for (const StoredResult& result : store.list(filter, most)) {
    TriedBoard board{result.verdict(), std::nullopt, "", 0};
    if (!has_measurement(board.then)) continue;
    try {
      const auto replay = prepare_replay(board.then, places, sensor, measurer, threads);
      const auto from = std::chrono::steady_clock::now();
      run(*replay);
      board.ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - from).count();
      if (replay->failed) board.why = replay->detail;
      board.now = std::move(replay->now);
    } catch (const std::exception& error) {
      board.why = error.what();
    }
    boards.push_back(std::move(board));
  }
  return boards;
}

std::vector<std::string> changed_components(const BoardVerdict& then, const BoardVerdict& now) {
  const auto before = by_reference(then), after = by_reference(now);
  std::vector<std::string> changed;
  for (const ComponentVerdict& c : now.components) {
    const auto was = before.find(c.reference);
    if (was != before.end() && was->second->decision == c.decision) continue;
    changed.push_back(fmt::format("{} {} -> {} ({})", c.reference,
                                  was == before.end() ? "not measured" : name_of(was->second->decision),
                                  name_of(c.decision), deciding_check(c)));
  }
  for (const ComponentVerdict& c : then.components)
    if (!after.contains(c.reference))
      changed.push_back(fmt::format("{} {} -> not measured", c.reference, name_of(c.decision)));
  return changed;
}

std::vector<MatchedCheck> matched_checks(const BoardVerdict& then, const BoardVerdict& now) {
  std::map<CheckName, const CheckVerdict*> before;
  for (const ComponentVerdict& c : then.components)
    for (const CheckVerdict& check : c.checks) before.emplace(name_of_check(c, check), &check);
  std::vector<MatchedCheck> matched;
  std::set<CheckName> seen;
  for (const ComponentVerdict& c : now.components)
    for (const CheckVerdict& check : c.checks) {
      const CheckName name = name_of_check(c, check);
      if (!seen.insert(name).second) continue;
      const auto was = before.find(name);
      matched.push_back({&c.reference, was == before.end() ? nullptr : was->second, &check});
    }
  for (const ComponentVerdict& c : then.components)
    for (const CheckVerdict& check : c.checks)
      if (seen.insert(name_of_check(c, check)).second) matched.push_back({&c.reference, &check, nullptr});
  return matched;
}

}  // namespace datum
