#include "tests/statistics/placement_campaign.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "daemon/inspection/board/pipeline.h"
#include "daemon/inspection/board/pipeline_alignment.h"
#include "daemon/inspection/recipe/alignment_recipe.h"
#include "gpu/core/parallel_for.h"

namespace datum::statistics {
namespace {

double cpu_ms() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return double(t.tv_sec) * 1e3 + double(t.tv_nsec) * 1e-6;
}

double number(const StepRecord& s, const char* name) {
  for (const auto& [key, value] : s.health)
    if (key == name) return value;
  return std::nan("");
}

Recipe with_alignment(const Recipe& recipe, const PlacementPlan& plan) {
  AlignmentRecipe a;
  a.max_shift_mm = plan.shift_mm + 0.1;
  a.max_rotation_deg = plan.rotation_deg + 0.1;
  a.min_ratio = 1.25;
  Recipe r = recipe;
  r.alignment = std::make_shared<AlignmentRecipe>(a);
  return r;
}

SensorProfile profile_of(const HeightFrame& frame) {
  SensorProfile s;
  s.serial = frame.sensor_serial;
  s.noise = {{0.0}, {3.4}};
  s.z_min_mm = -20;
  s.z_max_mm = 20;
  return s;
}

bool passes(const Recipe& recipe, const HeightFrame& frame) {
  const SensorProfile sensor = profile_of(frame);
  InspectionInputs in;
  in.recipe = &recipe;
  in.sensor = &sensor;
  in.now_utc_s = 1000;
  in.measured_at = "2026-01-01T00:00:00Z";
  return inspect(frame, in, cpu_backend(1)).decision == Decision::pass;
}

void note_found(const BoardShift& s, const PlaneMotion& truth, PlacementTally& t) {
  const double dx = number(s.stage, "shift_x_um") - 1e3 * truth.shift_mm.x(),
               dy = number(s.stage, "shift_y_um") - 1e3 * truth.shift_mm.y(),
               turn = number(s.stage, "rotation_mdeg") - 1e3 * truth.rotation_deg;
  ++t.found;
  t.off_um.push_back(std::hypot(dx, dy));
  t.off_mdeg.push_back(std::abs(turn));
  t.shift_sigmas.push_back(dx / number(s.stage, "u_shift_x_um"));
  t.shift_sigmas.push_back(dy / number(s.stage, "u_shift_y_um"));
  t.turn_sigmas.push_back(turn / number(s.stage, "u_rotation_mdeg"));
}

double at(std::vector<double> v, double share) {
  if (v.empty()) return std::nan("");
  std::sort(v.begin(), v.end());
  return v[std::size_t(share * double(v.size() - 1))];
}

}  // namespace

double share_covered(const std::vector<double>& sigmas) {
  return double(std::count_if(sigmas.begin(), sigmas.end(), [](double s) { return std::abs(s) <= 2; })) /
         double(std::max<std::size_t>(1, sigmas.size()));
}

PlacementTally run_placements(const std::vector<PlacedBoard>& boards, std::size_t which,
                              const PlacementPlan& plan) {
  const PlacedBoard& board = boards[which];
  const Recipe recipe = with_alignment(board.recipe, plan);
  PlacementTally t;
  t.board = board.name;
  t.parts = int(recipe.components.size());
  std::mutex guard;
  parallel_for(plan.threads, std::size_t(plan.placements), [&](std::size_t i, unsigned) {
    const std::uint64_t seed = plan.seed * 1000003 + i;
    PlacementCase c = placement_case(board, plan.shift_mm, plan.rotation_deg, seed);
    c.place_mm = plan.place_mm;
    const bool other = boards.size() > 1 && i % 20 == 19;
    if (other) c.turn = {};
    const PlacedBoard& shown =
        other ? boards[(which + 1 + i / 20 % (boards.size() - 1)) % boards.size()] : board;
    HeightFrame frame = frame_of(shown, c);
    const BoardView view(
        frame, Htm<Board, Sensor>(Htm<Sensor, Board>(recipe.machine_from_board.matrix()).inverse()));
    const double begin = cpu_ms();
    const BoardShift s = board_shift(recipe, frame, view, cpu_backend(1));
    const double took = cpu_ms() - begin;
    const bool wrong = other || c.turn.quarters || c.turn.mirrored,
               passed = wrong && !s.why && passes(recipe, frame);
    const std::lock_guard lock(guard);
    t.cpu_ms.push_back(took);
    if (other) {
      ++t.foreign;
      t.foreign_passed += passed;
    } else if (wrong) {
      ++t.turned;
      t.named += s.why && s.why->detail.find(name_of(c.turn)) != std::string::npos;
      t.wrong_passed += passed;
    } else {
      ++t.designed;
      if (!s.why) note_found(s, c.motion, t);
    }
    if ((!wrong && s.why) || passed)
      t.missed.push_back(fmt::format("seed {} [{:.3f}, {:.3f}] mm {:.3f} deg, {:.0f} % missing, {}: {}", seed,
                                     c.motion.shift_mm.x(), c.motion.shift_mm.y(), c.motion.rotation_deg,
                                     100 * c.missing_share, c.hostile ? "hostile" : "calm",
                                     s.why ? s.why->detail : "PASS"));
  });
  return t;
}

int print_placements(const std::vector<PlacementTally>& tallies) {
  int short_of = 0;
  const auto mean = [](const std::vector<double>& sigmas, std::size_t from) {
    double sum = 0;
    for (std::size_t i = from; i < sigmas.size(); i += 2) sum += sigmas[i];
    return 2 * sum / double(std::max<std::size_t>(1, sigmas.size()));
  };
  fmt::print("{:28} {:>5} {:>11} {:>11} {:>7} {:>7} {:>16} {:>16} {:>9} {:>9} {:>13} {:>7}\n", "board",
             "parts", "found", "named", "wrong", "foreign", "um p50/95/max", "mdeg p50/95/max", "cover xy",
             "cover rot", "bias x, y/u", "cpu ms");
  for (const PlacementTally& t : tallies) {
    fmt::print(
        "{:28} {:5} {:5}/{:5} {:5}/{:5} {:7} {:3}/{:3} {:5.1f} {:5.1f} {:5.1f} {:5.1f} {:5.1f} {:5.1f} "
        "{:8.1f}% {:8.1f}% {:6.2f} {:6.2f} {:7.2f}\n",
        t.board, t.parts, t.found, t.designed, t.named, t.turned, t.wrong_passed, t.foreign_passed, t.foreign,
        at(t.off_um, 0.5), at(t.off_um, 0.95), at(t.off_um, 1), at(t.off_mdeg, 0.5), at(t.off_mdeg, 0.95),
        at(t.off_mdeg, 1), 100 * share_covered(t.shift_sigmas), 100 * share_covered(t.turn_sigmas),
        mean(t.shift_sigmas, 0), mean(t.shift_sigmas, 1), at(t.cpu_ms, 0.5));
    short_of += t.found < t.designed || t.wrong_passed > 0 || t.foreign_passed > 0;
  }
  for (const PlacementTally& t : tallies)
    for (const std::string& text : t.missed) fmt::print("{}: {}\n", t.board, text);
  return short_of > 0 ? 1 : 0;
}

}  // namespace datum::statistics
