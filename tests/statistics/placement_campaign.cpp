#include "tests/statistics/placement_campaign.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "daemon/inspection/board/pipeline.h"
#include "daemon/inspection/board/pipeline_alignment.h"
#include "daemon/inspection/recipe/alignment_recipe.h"
#include "gpu/core/parallel_for.h"
#include "gpu/phase_correlation/correlator.h"

namespace datum::statistics {
namespace {

// Of the measurement, 95 % within: without the parts' own places, which no measurement of parts can tell from the board's.
constexpr double most_um = 15, most_mdeg = 10;

// Of the scales and the shear that the recipes allow: boards below `kept` of it are found, those beyond `refused` of it are INVALID. Five
// parts know a shear to U = 1000 urad (k = 2): the first keeps U away from the limit, the second 2 U.
constexpr double most_stretch_ppm = 5000, kept = 0.8, refused = 1.4;

double largest_stretch_ppm(const PlaneMotion& m) {
  const Eigen::Vector3d& s = m.stretch;
  return 1e6 * std::max({std::abs(s[0] + s[1]), std::abs(s[0] - s[1]), std::abs(2 * s[2])});
}

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

Recipe with_alignment(const PlacedBoard& board, const PlacementPlan& plan) {
  AlignmentRecipe a;
  a.max_shift_mm = plan.shift_mm + 0.1;
  a.max_rotation_deg = plan.rotation_deg + 0.1;
  a.min_ratio = 1.25;
  a.min_share = 0.55;  // 60 % of the parts are there; of hundred one or two have too few heights to be seen
  a.min_parts = 2;     // of five parts three are left, and an edge of them may be hidden
  if (plan.stretch_ppm > 0) {
    a.model = BoardModel::affine;
    a.max_scale_ppm = a.max_shear_urad = most_stretch_ppm;
  }
  a.fiducials = board.marks;
  a.holes = board.holes;
  a.edges = board.edges;
  a.holes_offset_um = board.holes_offset_um;
  a.min_holes = std::min(a.min_holes, int(a.holes.size()));
  a.min_edges = std::min(a.min_edges, int(a.edges.size()));
  a.fiducial_search_mm = 3;  // figures like the small marks lie within
  Recipe r = board.recipe;
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

/// Errors and what they are in standard uncertainties.
void note_found(const BoardShift& s, const PlaneMotion& truth, const Eigen::Vector3d& parts,
                PlacementResult& r) {
  const double dx = number(s.stage, "shift_x_um") - 1e3 * truth.shift_mm.x(),
               dy = number(s.stage, "shift_y_um") - 1e3 * truth.shift_mm.y(),
               turn = number(s.stage, "rotation_mdeg") - 1e3 * truth.rotation_deg;
  r.errors = {std::hypot(dx, dy), std::abs(turn), std::hypot(dx - 1e3 * parts.x(), dy - 1e3 * parts.y()),
              std::abs(turn - parts.z() * 57295.77951308232)};
  r.sigmas = {dx / number(s.stage, "u_shift_x_um"), dy / number(s.stage, "u_shift_y_um"),
              turn / number(s.stage, "u_rotation_mdeg")};
  if (std::isnan(number(s.stage, "shear_urad"))) return;
  const Eigen::Vector3d stretch = 1e6 * truth.stretch;
  const auto sigmas = [&](const char* name, const char* u, double value) {
    r.sigmas.push_back((number(s.stage, name) - value) / number(s.stage, u));
  };
  sigmas("scale_x_ppm", "u_scale_x_ppm", stretch[0] + stretch[1]);
  sigmas("scale_y_ppm", "u_scale_y_ppm", stretch[0] - stretch[1]);
  sigmas("shear_urad", "u_shear_urad", 2 * stretch[2]);
}

void add(const PlacementResult& r, PlacementTally& t) {
  t.cpu_ms.push_back(r.cpu_ms);
  switch (r.kind) {
    case PlacementResult::Kind::foreign:
      ++t.foreign;
      t.foreign_passed += r.passed;
      t.foreign_placed += r.placed;
      break;
    case PlacementResult::Kind::beyond:
      ++t.beyond;
      t.beyond_placed += r.placed;
      t.wrong_passed += r.passed;
      break;
    case PlacementResult::Kind::turned:
      ++t.turned;
      t.named += r.named;
      t.wrong_passed += r.passed;
      t.wrong_placed += r.placed;
      break;
    case PlacementResult::Kind::designed:
    case PlacementResult::Kind::unmarked:
      ++(r.kind == PlacementResult::Kind::designed ? t.designed : t.unmarked);
      t.found += r.kind == PlacementResult::Kind::designed && r.placed;
  }
  if (r.errors.size() == 4) {
    t.off_um.push_back(r.errors[0]);
    t.off_mdeg.push_back(r.errors[1]);
    t.own_um.push_back(r.errors[2]);
    t.own_mdeg.push_back(r.errors[3]);
    t.shift_sigmas.insert(t.shift_sigmas.end(), {r.sigmas[0], r.sigmas[1]});
    t.turn_sigmas.push_back(r.sigmas[2]);
    t.stretch_sigmas.insert(t.stretch_sigmas.end(), r.sigmas.begin() + 3, r.sigmas.end());
  }
  if (!r.text.empty()) t.missed.push_back(r.text);
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

namespace {

PlacementResult place_one(const std::vector<PlacedBoard>& boards, std::size_t which, const Recipe& recipe,
                          const PlacementPlan& plan, int number) {
  const PlacedBoard& board = boards[which];
  const std::uint64_t seed = plan.seed * 1000003 + std::uint64_t(number);
  PlacementCase c = placement_case(board, plan.shift_mm, plan.rotation_deg, seed, 1e-6 * plan.stretch_ppm);
  c.place_mm = plan.place_mm;
  const bool other = boards.size() > 1 && number % 20 == 19;
  if (other) c.turn = {};
  const PlacedBoard& shown =
      other ? boards[(which + 1 + std::size_t(number) / 20 % (boards.size() - 1)) % boards.size()] : board;
  const PlacedFrame placed = frame_of(shown, c);
  const HeightFrame& frame = placed.frame;
  const BoardView view(frame,
                       Htm<Board, Sensor>(Htm<Sensor, Board>(recipe.machine_from_board.matrix()).inverse()));
  const double begin = cpu_ms();
  CpuCorrelator correlator(cpu_backend(1));
  const BoardShift s = board_shift(recipe, frame, view, 1, &correlator);
  PlacementResult r;
  r.cpu_ms = cpu_ms() - begin;
  const double stretch_ppm = largest_stretch_ppm(c.motion);
  const bool turned = c.turn.quarters || c.turn.mirrored, beyond = stretch_ppm > refused * most_stretch_ppm,
             wrong = other || turned || beyond;
  const bool within = stretch_ppm <= kept * most_stretch_ppm;
  const bool enough = within &&
                      (board.marks.empty() || placed.whole_marks >= recipe.alignment->min_fiducials) &&
                      (board.holes.empty() || placed.whole_holes >= recipe.alignment->min_holes);
  using Kind = PlacementResult::Kind;
  r.kind = other    ? Kind::foreign
           : turned ? Kind::turned
           : beyond ? Kind::beyond
           : enough ? Kind::designed
                    : Kind::unmarked;
  r.placed = !s.why;
  r.passed = wrong && r.placed && passes(recipe, frame);
  r.named = !other && turned && s.why && s.why->detail.find(name_of(c.turn)) != std::string::npos;
  // No measurement of parts tells their own places from the board's; marks, holes and edges do.
  const bool of_parts = board.marks.empty() && board.holes.empty() && board.edges.empty();
  if (!wrong && within && r.placed)
    note_found(s, c.motion, of_parts ? placed.parts : Eigen::Vector3d::Zero(), r);
  if ((!wrong && enough && s.why) || r.passed)
    r.text =
        fmt::format("seed {} [{:.3f}, {:.3f}] mm {:.3f} deg, {:.0f} % missing, {}: {}", seed,
                    c.motion.shift_mm.x(), c.motion.shift_mm.y(), c.motion.rotation_deg,
                    100 * c.missing_share, c.hostile ? "hostile" : "calm", s.why ? s.why->detail : "PASS");
  return r;
}

std::string plan_text(const PlacementPlan& plan) {
  return fmt::format("seed {} shift {} mm rotation {} deg places {} mm stretch {} ppm", plan.seed,
                     plan.shift_mm, plan.rotation_deg, plan.place_mm, plan.stretch_ppm);
}

/// What its placements are known by in a record.
std::string key_of(const PlacedBoard& board) {
  return fmt::format("{} {} x {}, {} marks {} holes {} edges{}", board.name, board.cell.view.cols,
                     board.cell.view.rows, board.marks.size(), board.holes.size(), board.edges.size(),
                     board.holes_offset_um == AlignmentRecipe{}.holes_offset_um
                         ? ""
                         : fmt::format(", holes {} um off", board.holes_offset_um));
}

}  // namespace

PlacementTally run_placements(const std::vector<PlacedBoard>& boards, std::size_t which,
                              const PlacementPlan& plan) {
  const PlacedBoard& board = boards[which];
  const Recipe recipe = with_alignment(board, plan);
  PlacementRecord record(plan.record, plan_text(plan));
  std::vector<PlacementResult> results(std::size_t(plan.placements));
  std::vector<char> measured(results.size(), 0);
  const std::string key = key_of(board);
  parallel_for(plan.threads, results.size(), [&](std::size_t i, unsigned) {
    const int n = int(i);
    if (plan.only && n != *plan.only) return;
    measured[i] = 1;
    if (const PlacementResult* known = record.find(key, n)) {
      results[i] = *known;
      return;
    }
    results[i] = place_one(boards, which, recipe, plan, n);
    record.add(key, n, results[i]);
  });
  PlacementTally t;
  t.board = board.name;
  t.parts = int(recipe.components.size());
  for (std::size_t i = 0; i < results.size(); ++i)
    if (measured[i]) add(results[i], t);
  return t;
}

namespace {

struct Shares {
  double covered;
  std::size_t count;
  /// 94 to 97 %, with two standard errors of a share of so many.
  bool good() const {
    const double apart = 2 * std::sqrt(0.955 * 0.045 / double(std::max<std::size_t>(1, count)));
    return covered >= 0.94 - apart && covered <= 0.97 + apart;
  }
};

Shares shares_of(const std::vector<double>& sigmas) { return {share_covered(sigmas), sigmas.size()}; }

/// Of every second value, from the first or the second on.
double mean_of(const std::vector<double>& sigmas, std::size_t from) {
  double sum = 0;
  for (std::size_t i = from; i < sigmas.size(); i += 2) sum += sigmas[i];
  return 2 * sum / double(std::max<std::size_t>(1, sigmas.size()));
}

std::vector<std::string> shortfalls(const PlacementTally& t) {
  std::vector<std::string> all;
  if (t.found < t.designed) all.push_back(fmt::format("{} not found", t.designed - t.found));
  if (t.beyond_placed > 0) all.push_back(fmt::format("{} found that are stretched too far", t.beyond_placed));
  if (t.wrong_passed + t.foreign_passed > 0) all.emplace_back("a wrong board passed");
  if (!t.own_um.empty() && at(t.own_um, 0.95) > most_um)
    all.push_back(fmt::format("measured {:.1f} um off, {:g} are allowed", at(t.own_um, 0.95), most_um));
  if (!t.own_mdeg.empty() && at(t.own_mdeg, 0.95) > most_mdeg)
    all.push_back(fmt::format("measured {:.1f} mdeg off, {:g} are allowed", at(t.own_mdeg, 0.95), most_mdeg));
  if (t.found > 0 && !shares_of(t.shift_sigmas).good()) all.emplace_back("U of the shift is not its error's");
  if (t.found > 0 && !shares_of(t.turn_sigmas).good())
    all.emplace_back("U of the rotation is not its error's");
  if (!t.stretch_sigmas.empty() && !shares_of(t.stretch_sigmas).good())
    all.push_back(fmt::format("U of the stretch covers {:.1f} %", 100 * share_covered(t.stretch_sigmas)));
  return all;
}

}  // namespace

void print_heading() {
  fmt::print("{:28} {:>5} {:>9} {:>9} {:>8} {:>8} {:>14} {:>14} {:>15} {:>15} {:>7} {:>7} {:>12} {:>6}\n", "",
             "", "", "", "placed,", "placed,", "off by: median", "95 %, most", "measured off by",
             "median, 95 %", "U cov-", "ers", "mean of", "");
  fmt::print("{:28} {:>5} {:>9} {:>9} {:>8} {:>8} {:>14} {:>14} {:>15} {:>15} {:>7} {:>7} {:>12} {:>6}\n",
             "board", "parts", "found", "named", "turned P", "other P", "um", "mdeg", "um", "mdeg", "x, y",
             "turn", "x/u, y/u", "cpu ms");
}

void print_row(const PlacementTally& t) {
  fmt::print(
      "{:28} {:5} {:4}/{:4} {:4}/{:4} {:4} {:3} {:4} {:3} {:4.1f} {:4.1f} {:4.1f} {:4.1f} {:4.1f} {:4.1f} "
      "{:7.1f} {:7.1f} {:7.1f} {:7.1f} {:6.1f}% {:6.1f}% {:5.2f} {:5.2f} {:6.2f}\n",
      t.board, t.parts, t.found, t.designed, t.named, t.turned, t.wrong_placed, t.wrong_passed,
      t.foreign_placed, t.foreign_passed, at(t.off_um, 0.5), at(t.off_um, 0.95), at(t.off_um, 1),
      at(t.off_mdeg, 0.5), at(t.off_mdeg, 0.95), at(t.off_mdeg, 1), at(t.own_um, 0.5), at(t.own_um, 0.95),
      at(t.own_mdeg, 0.5), at(t.own_mdeg, 0.95), 100 * share_covered(t.shift_sigmas),
      100 * share_covered(t.turn_sigmas), mean_of(t.shift_sigmas, 0), mean_of(t.shift_sigmas, 1),
      at(t.cpu_ms, 0.5));
  std::fflush(stdout);
}

int print_summary(const std::vector<PlacementTally>& tallies) {
  PlacementTally all;
  int short_of = 0;
  for (const PlacementTally& t : tallies) {
    all.shift_sigmas.insert(all.shift_sigmas.end(), t.shift_sigmas.begin(), t.shift_sigmas.end());
    all.turn_sigmas.insert(all.turn_sigmas.end(), t.turn_sigmas.begin(), t.turn_sigmas.end());
    all.stretch_sigmas.insert(all.stretch_sigmas.end(), t.stretch_sigmas.begin(), t.stretch_sigmas.end());
    all.designed += t.designed, all.found += t.found;
    all.beyond += t.beyond, all.beyond_placed += t.beyond_placed;
  }
  fmt::print("{:28} {:5} {:4}/{:4} found; U covers {:.1f} % of {} shifts, {:.1f} % of {} rotations\n", "all",
             "", all.found, all.designed, 100 * share_covered(all.shift_sigmas), all.shift_sigmas.size(),
             100 * share_covered(all.turn_sigmas), all.turn_sigmas.size());
  if (!all.stretch_sigmas.empty())
    fmt::print("{:28} U covers {:.1f} % of {} scales and shears\n", "all",
               100 * share_covered(all.stretch_sigmas), all.stretch_sigmas.size());
  if (all.beyond > 0)
    fmt::print("{:28} {} boards stretched beyond what the recipe allows, {} of them found\n", "all",
               all.beyond, all.beyond_placed);
  for (const PlacementTally& t : tallies) {
    for (const std::string& text : shortfalls(t)) fmt::print("SHORT {}: {}\n", t.board, text), ++short_of;
    for (const std::string& text : t.missed) fmt::print("{}: {}\n", t.board, text);
  }
  return short_of > 0 ? 1 : 0;
}

}  // namespace datum::statistics
