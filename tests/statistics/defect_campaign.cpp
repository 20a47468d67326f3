#include "tests/statistics/defect_campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <mutex>
#include <thread>

#include "daemon/inspection/board/pipeline.h"
#include "daemon/inspection/recipe/defect_recipe.h"
#include "tests/statistics/statistics_tally.h"

namespace datum::statistics {
namespace {

BoardVerdict measured(const DefectScene& scene, const Recipe& recipe) {
  InspectionInputs inputs;
  inputs.recipe = &recipe;
  inputs.sensor = &scene.profile;
  return inspect(scene.frame, inputs, cpu_backend(1));
}

/// A word, else the decision with its reason.
std::string said(const ComponentVerdict& row) {
  if (row.defect) return name_of(row.defect->word);
  std::string text = name_of(row.decision);
  if (row.decision == Decision::invalid) text += std::string(" ") + name_of(row.checks.front().reason);
  return text;
}

void count_word(const ComponentVerdict& row, const PartTruth& truth, DefectCells& cells) {
  if (!truth.defect) {
    ++cells.good;
    cells.good_worded += row.defect.has_value();
    cells.good_invalid += row.decision == Decision::invalid;
    if (row.defect || row.decision != Decision::pass) ++cells.good_others[said(row)];
    return;
  }
  WordTally& t = cells.words[*truth.defect];
  ++t.cases;
  t.right += row.defect && row.defect->word == *truth.defect;
  t.passed += row.decision == Decision::pass;
  if (!row.defect || row.defect->word != *truth.defect) ++t.others[said(row)];
}

/// Checks of place in place of the height, with limits that nothing exceeds.
Recipe of_places(const Recipe& recipe) {
  Recipe r = recipe;
  r.defects.reset();
  for (Component& c : r.components) {
    c.checks.clear();
    for (const Characteristic what :
         {Characteristic::offset_x, Characteristic::offset_y, Characteristic::rotation}) {
      Check check;
      check.characteristic = what;
      check.nominal = 0;
      check.lower = -90'000;
      check.upper = 90'000;
      c.checks.push_back(check);
    }
  }
  return r;
}

void count_place(const ComponentVerdict& row, const PartTruth& truth, PlaceTally& t) {
  const double deg = truth.rotation_deg - 180 * std::round(truth.rotation_deg / 180);
  const double truths[] = {1e3 * truth.offset_mm.x(), 1e3 * truth.offset_mm.y(), 1e3 * deg};
  ++t.cases;
  if (row.decision == Decision::invalid) {
    ++t.invalid;
    return;
  }
  std::vector<double>* to[] = {&t.x, &t.y, &t.rotation};
  for (std::size_t k = 0; k < 3; ++k)
    to[k]->push_back((row.checks[k].value - truths[k]) / std::max(1e-9, row.checks[k].u));
  t.u_um += (row.checks[0].u + row.checks[1].u) / 2;
  t.u_mdeg += row.checks[2].u;
}

void told(const DefectScene& scene, World world, const ComponentVerdict& row, const PartTruth& truth) {
  const std::optional<Defect> word = row.defect ? std::optional(row.defect->word) : std::nullopt;
  if (word == truth.defect) return;
  fmt::print("{} frame {} {}: {}, said {}{}\n", name_of(world), scene.frame.frame_id, row.reference,
             truth.defect ? name_of(*truth.defect) : "good", said(row),
             word ? ": " + row.defect->detail : "");
}

void count(const DefectScene& scene, World world, bool tell, DefectCells& cells) {
  const BoardVerdict words = measured(scene, scene.recipe), places = measured(scene, of_places(scene.recipe));
  for (std::size_t i = 0; i < scene.parts.size(); ++i) {
    count_word(words.components.at(i), scene.parts[i], cells);
    if (tell) told(scene, world, words.components[i], scene.parts[i]);
    if (scene.parts[i].flat && scene.parts[i].defect != Defect::missing)
      count_place(places.components.at(i), scene.parts[i], cells.places[static_cast<std::size_t>(world)]);
  }
  constexpr double least_seen = 0.7;  // of a foreign object, that it can be found
  if (scene.foreign && scene.foreign_seen < least_seen) return;
  PartTruth foreign;
  if (scene.foreign) foreign.defect = Defect::foreign_object;
  count_word(words.components.back(), foreign, cells);
  if (tell) told(scene, world, words.components.back(), foreign);
}

void add(PlaceTally& to, const PlaceTally& from) {
  const auto append = [](std::vector<double>& a, const std::vector<double>& b) {
    a.insert(a.end(), b.begin(), b.end());
  };
  append(to.x, from.x);
  append(to.y, from.y);
  append(to.rotation, from.rotation);
  to.cases += from.cases;
  to.invalid += from.invalid;
  to.u_um += from.u_um;
  to.u_mdeg += from.u_mdeg;
}

void add(DefectCells& to, const DefectCells& from) {
  for (const auto& [defect, t] : from.words) {
    WordTally& sum = to.words[defect];
    sum.cases += t.cases;
    sum.right += t.right;
    sum.passed += t.passed;
    for (const auto& [word, n] : t.others) sum.others[word] += n;
  }
  to.good += from.good;
  to.good_worded += from.good_worded;
  to.good_invalid += from.good_invalid;
  for (const auto& [word, n] : from.good_others) to.good_others[word] += n;
  for (std::size_t w = 0; w < to.places.size(); ++w) add(to.places[w], from.places[w]);
}

int covered(const std::vector<double>& sigmas) {
  return static_cast<int>(
      std::count_if(sigmas.begin(), sigmas.end(), [](double s) { return std::abs(s) <= 2; }));
}

constexpr double alpha = 0.01;

/// Whether the share of `x` in `n` is surely below `least`.
bool below(int n, int x, double least) { return n > 0 && binomial_tail(n, n - x, 1 - least) < alpha; }

std::string others_text(const std::map<std::string, int>& others) {
  std::string text;
  for (const auto& [word, n] : others) text += fmt::format("{}{} x{}", text.empty() ? "  " : ", ", word, n);
  return text;
}

int print_coverage(const std::vector<DefectCells>& cells) {
  int short_of = 0;
  fmt::print("\n{:10} {:10} {:>5} {:>7} {:>7} {:>7} {:>9} {:>7} {:>7}\n", "size", "world", "parts", "INVALID",
             "x %", "y %", "rotation %", "u um", "u mdeg");
  for (const DefectCells& c : cells)
    for (std::size_t w = 0; w < c.places.size(); ++w) {
      const PlaceTally& t = c.places[w];
      const auto n = static_cast<int>(t.x.size());
      if (n == 0) continue;
      std::string mark;
      for (const auto* sigmas : {&t.x, &t.y, &t.rotation}) {
        const int in = covered(*sigmas);
        if (below(n, in, 0.94)) mark += " low";
      }
      short_of += !mark.empty();
      fmt::print("{:10} {:10} {:5} {:7} {:7.1f} {:7.1f} {:9.1f} {:7.2f} {:7.1f}{}\n", c.size->name,
                 name_of(static_cast<World>(w)), t.cases, t.invalid, 100.0 * covered(t.x) / n,
                 100.0 * covered(t.y) / n, 100.0 * covered(t.rotation) / n, t.u_um / n, t.u_mdeg / n, mark);
    }
  int n = 0, in = 0, rotations = 0;
  for (const DefectCells& c : cells)
    for (const PlaceTally& t : c.places) {
      n += static_cast<int>(t.x.size());
      in += covered(t.x) + covered(t.y);
      rotations += covered(t.rotation);
    }
  if (n > 0)
    fmt::print("all: offsets {:.2f} %, rotations {:.2f} % of {} parts within U (k = 2)\n", 50.0 * in / n,
               100.0 * rotations / n, n);
  return short_of;
}

}  // namespace

DefectCells run_defects(const PartSize& size, const DefectPlan& plan) {
  std::vector<DefectCells> frames(static_cast<std::size_t>(plan.frames));
  std::atomic<int> next{0};
  std::exception_ptr failure;
  std::mutex mutex;
  const auto work = [&] {
    try {
      for (int i; (i = next++) < plan.frames;) {
        const World world = plan.world.value_or(static_cast<World>(i / 2 % world_count));
        count(defect_scene(size, world, i, plan.seed * 1000003 + static_cast<std::uint64_t>(i)), world,
              plan.tell, frames[static_cast<std::size_t>(i)]);
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      failure = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  for (unsigned i = 1; i < plan.threads; ++i) others.emplace_back(work);
  work();
  for (std::thread& other : others) other.join();
  if (failure) std::rethrow_exception(failure);
  DefectCells all;
  all.size = &size;
  for (const DefectCells& frame : frames) add(all, frame);
  return all;
}

int print_defects(const std::vector<DefectCells>& cells) {
  int short_of = 0, cases = 0, right = 0;
  fmt::print("{:10} {:15} {:>5} {:>7} {:>6}  said instead\n", "size", "defect", "cases", "right %", "passed");
  for (const DefectCells& c : cells) {
    for (const auto& [defect, t] : c.words) {
      const bool low = below(t.cases, t.right, 0.98) || t.passed > 0;
      short_of += low;
      cases += t.cases;
      right += t.right;
      fmt::print("{:10} {:15} {:5} {:7.1f} {:6}{}{}\n", c.size->name, name_of(defect), t.cases,
                 100.0 * t.right / t.cases, t.passed, others_text(t.others), low ? "  SHORT" : "");
    }
    const bool low = below(c.good, c.good - c.good_worded, 0.995);
    short_of += low;
    fmt::print("{:10} {:15} {:5} {:7.1f} {:>6}{}{}\n", c.size->name, "good", c.good,
               100.0 * (c.good - c.good_worded) / std::max(1, c.good), "-", others_text(c.good_others),
               low ? "  SHORT" : "");
  }
  fmt::print("all defects: {:.2f} % of {} named right\n", 100.0 * right / std::max(1, cases), cases);
  return short_of + print_coverage(cells);
}

}  // namespace datum::statistics
