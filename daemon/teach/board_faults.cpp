#include "daemon/teach/board_faults.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include "daemon/teach/recipe_lookup.h"

namespace datum::teach {
namespace {

struct Counts {
  std::size_t all = 0, missing = 0, turned = 0, unknown = 0;  // without places that must be empty
};

Counts count_parts(const Recipe& recipe, const GoldenBoard& board) {
  Counts counts;
  for (std::size_t i = 0; i < board.parts.size(); ++i) {
    if (must_be_empty(recipe.components[i])) continue;
    ++counts.all;
    const Presence presence = presence_of(board.parts[i], recipe.components[i]);
    const bool turned = is_turned(board.parts[i], recipe.components[i]);
    counts.turned += turned;
    counts.missing += !turned && presence == Presence::missing;
    counts.unknown += presence == Presence::unknown;
  }
  return counts;
}

/// Noise of the quietest other board; of one board alone the profile's.
double noise_beside(const SensorProfile& sensor, const std::vector<GoldenBoard>& boards, std::size_t which) {
  std::vector<double> others;
  for (std::size_t b = 0; b < boards.size(); ++b)
    if (b != which && boards[b].noise_um > 0) others.push_back(boards[b].noise_um);
  if (others.empty()) return sensor.noise.sigma_um_at(boards[which].z_mm);
  return *std::min_element(others.begin(), others.end());
}

std::string fault_of(const Recipe& recipe, const SensorProfile& sensor,
                     const std::vector<GoldenBoard>& boards, std::size_t which,
                     const std::set<std::string>& odd) {
  const GoldenBoard& board = boards[which];
  if (board.lies_turned)
    return fmt::format("lies turned by {} degrees: lay it as the recipe says, or take it out",
                       *board.lies_turned);
  if (!board.why.empty()) return board.why;
  const Counts n = count_parts(recipe, board);
  const std::size_t all = n.all;
  if ((n.missing + n.turned) * 5 > all)
    return fmt::format(
        "{} of {} parts are missing and {} stand turned: it is another board, lies elsewhere, or the recipe "
        "is not of it",
        n.missing, all, n.turned);
  if (n.unknown * 2 > all)
    return fmt::format("{} of {} parts have no floor: see their reasons by 'datumd --once'", n.unknown, all);
  const double beside = noise_beside(sensor, boards, which);
  if (board.noise_um > recipe.floor.max_rms_sigmas * beside)
    return fmt::format("its noise is {:.2f} um, {:.2f} on the {}: take its frame again", board.noise_um,
                       beside, boards.size() > 1 ? "others" : "sensor's profile (noise.sigma_um)");
  // The middle of many parts: their own scatter is gone, the recipe's uncertainty of a place remains.
  if (const double most = 3 * recipe.uncertainty.position_mm; board.off_mm.norm() > most && all >= 3)
    return fmt::format(
        "its parts stand [{:.3f}, {:.3f}] mm beside their places, more than 3 position_mm = {:.3f}: correct "
        "[board] or use [alignment]",
        board.off_mm.x(), board.off_mm.y(), most);
  if (boards.size() > 1 && odd.size() >= 2 && odd.size() * 10 >= all) {
    std::string names;
    std::size_t named = 0;
    for (const std::string& reference : odd)
      if (++named <= 8) names += (named == 1 ? "" : ", ") + reference;
    return fmt::format("differs from the other boards in {} of {} parts: {}{}", odd.size(), all, names,
                       odd.size() > 8 ? " ..." : "");
  }
  return "";
}

}  // namespace

std::vector<std::string> board_faults(const Recipe& recipe, const SensorProfile& sensor,
                                      const std::vector<GoldenBoard>& boards,
                                      const std::vector<std::set<std::string>>& odd) {
  std::vector<std::string> faults;
  for (std::size_t b = 0; b < boards.size(); ++b)
    faults.push_back(fault_of(recipe, sensor, boards, b, odd[b]));
  return faults;
}

void refuse_repeated(const std::vector<GoldenBoard>& boards) {
  std::map<std::string, const GoldenBoard*> frames, units;
  const auto refuse = [](const GoldenBoard& a, const GoldenBoard& b, const std::string& what) {
    throw std::invalid_argument(
        fmt::format("--frames: {} and {} are {}; give each board once", a.file, b.file, what));
  };
  for (const GoldenBoard& board : boards) {
    if (const auto [first, fresh] = frames.emplace(board.sha256, &board); !fresh)
      refuse(*first->second, board, "the same frame");
    if (board.unit.empty()) continue;
    if (const auto [first, fresh] = units.emplace(board.unit, &board); !fresh)
      refuse(*first->second, board, "of the same unit, " + board.unit);
  }
}

}  // namespace datum::teach
