#include "daemon/ctl/recipe_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "daemon/cell/replay.h"
#include "daemon/fringe/fringe_frames.h"
#include "gpu/board/cpu_board.h"

namespace datum {
namespace {

const ComponentVerdict* find(const BoardVerdict& verdict, const std::string& reference) {
  for (const ComponentVerdict& c : verdict.components)
    if (c.reference == reference) return &c;
  return nullptr;
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

bool is_floor(Reason reason) {
  return std::string(name_of(reason)).starts_with("FLOOR_") || reason == Reason::out_of_view;
}

}  // namespace

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
    if (board.then.components.empty()) continue;  // no frame was measured
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

FloorShare floor_share(const std::vector<TriedBoard>& boards) {
  FloorShare share;
  std::map<std::pair<std::string, std::string>, int> refused;
  for (const TriedBoard& board : boards) {
    if (!board.now || board.now->surface) continue;
    for (const ComponentVerdict& c : board.now->components) {
      if (c.warp) continue;  // the board's own row
      ++share.components;
      const auto why =
          std::find_if(c.checks.begin(), c.checks.end(), [](const auto& k) { return is_floor(k.reason); });
      if (why == c.checks.end())
        ++share.good;
      else
        ++refused[{c.reference, name_of(why->reason)}];
    }
  }
  for (const auto& [of, count] : refused) share.refused.push_back({of.first, of.second, count});
  std::stable_sort(share.refused.begin(), share.refused.end(),
                   [](const auto& a, const auto& b) { return a.boards > b.boards; });
  return share;
}

std::vector<std::string> changed_components(const BoardVerdict& then, const BoardVerdict& now) {
  std::vector<std::string> changed;
  for (const ComponentVerdict& c : now.components) {
    const ComponentVerdict* before = find(then, c.reference);
    if (before && before->decision == c.decision) continue;
    changed.push_back(fmt::format("{} {} -> {} ({})", c.reference,
                                  before ? name_of(before->decision) : "not measured", name_of(c.decision),
                                  deciding_check(c)));
  }
  for (const ComponentVerdict& c : then.components)
    if (!find(now, c.reference))
      changed.push_back(fmt::format("{} {} -> not measured", c.reference, name_of(c.decision)));
  return changed;
}

}  // namespace datum
