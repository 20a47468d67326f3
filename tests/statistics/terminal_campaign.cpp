#include "tests/statistics/terminal_campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <mutex>
#include <thread>

#include "daemon/inspection/board/pipeline.h"
#include "daemon/inspection/verdict/decision.h"
#include "tests/statistics/statistics_tally.h"

namespace datum::statistics {
namespace {

Decision decided(CheckVerdict v, double upper, double nominal) {
  v.check.lower.reset();
  v.check.nominal = nominal;
  v.check.upper = upper;
  v.reason = Reason::none;
  v.decision = Decision::invalid;
  decide(v, DecisionRule::iso14253, 0.95);
  return v.decision;
}

void count(const TerminalScene& scene, World world, bool tell, TerminalCells& cells) {
  InspectionInputs inputs;
  inputs.recipe = &scene.recipe;
  inputs.sensor = &scene.profile;
  const BoardVerdict verdict = inspect(scene.frame, inputs, cpu_backend(1));
  for (std::size_t i = 0; i < scene.parts.size(); ++i) {
    const TerminalTruth& truth = scene.parts[i];
    const ComponentVerdict& row = verdict.components.at(i);
    if (truth.defect) {
      ++cells.defects;
      cells.defects_named += row.defect && row.defect->word == *truth.defect;
      cells.defects_passed += row.decision == Decision::pass;
      if (tell && !(row.defect && row.defect->word == *truth.defect))
        fmt::print("{} {} {}: {}, said {} {}\n", name_of(world), scene.frame.frame_id, row.reference,
                   name_of(*truth.defect), name_of(row.decision), row.checks[0].detail);
      continue;
    }
    cells.good_worded += row.defect.has_value();
    for (std::size_t k = 0; k < row.checks.size(); ++k) {
      const CheckVerdict& v = row.checks[k];
      TerminalTally& t = cells.cells[{v.check.characteristic, world}];
      ++t.cases;
      if (v.decision == Decision::invalid) {
        ++t.invalid;
        if (tell)
          fmt::print("{} {} {} {}: INVALID {}\n", name_of(world), scene.frame.frame_id, row.reference,
                     name_of(v.check.characteristic), v.detail);
        continue;
      }
      const double sigmas = (v.value - truth.values[k]) / std::max(1e-9, v.u);
      if (tell && std::abs(sigmas) > 2)
        fmt::print("{} {} {} {}: {:.2f}, true {:.2f}, u {:.2f}\n", name_of(world), scene.frame.frame_id,
                   row.reference, name_of(v.check.characteristic), v.value, truth.values[k], v.u);
      t.sigmas.push_back(sigmas);
      t.u += v.u;
      const double wide = std::max(8 * v.u, truth.values[k]);  // far enough off for C_m
      t.at_limit_passed += decided(v, truth.values[k], truth.values[k] - wide) == Decision::pass;
      t.beyond_passed += decided(v, truth.values[k] - std::max(0.2 * truth.values[k], 5 * v.u),
                                 truth.values[k] - 2 * wide) == Decision::pass;
    }
  }
}

void add(TerminalCells& to, const TerminalCells& from) {
  for (const auto& [key, t] : from.cells) {
    TerminalTally& sum = to.cells[key];
    sum.sigmas.insert(sum.sigmas.end(), t.sigmas.begin(), t.sigmas.end());
    sum.cases += t.cases;
    sum.invalid += t.invalid;
    sum.at_limit_passed += t.at_limit_passed;
    sum.beyond_passed += t.beyond_passed;
    sum.u += t.u;
  }
  to.defects += from.defects;
  to.defects_named += from.defects_named;
  to.defects_passed += from.defects_passed;
  to.good_worded += from.good_worded;
}

int print_row(Characteristic what, const char* world, const TerminalTally& t, bool judged) {
  const int n = static_cast<int>(t.sigmas.size());
  if (n == 0) {
    fmt::print("{:24} {:10} {:5} {:7}\n", name_of(what), world, t.cases, t.invalid);
    return 0;
  }
  const int in = static_cast<int>(
      std::count_if(t.sigmas.begin(), t.sigmas.end(), [](double s) { return std::abs(s) <= 2; }));
  double mean = 0;
  for (const double s : t.sigmas) mean += s / n;
  constexpr double alpha = 0.01;
  const bool low = judged && binomial_tail(n, n - in, 0.06) < alpha;
  const bool passed = t.beyond_passed > 0 || (judged && binomial_tail(n, t.at_limit_passed, 0.05) < alpha);
  fmt::print("{:24} {:10} {:5} {:7} {:7.1f} {:8.2f} {:8.2f} {:8} {:8}{}\n", name_of(what), world, t.cases,
             t.invalid, 100.0 * in / n, mean, t.u / n, t.at_limit_passed, t.beyond_passed,
             std::string(low ? "  LOW" : "") + (passed ? "  PASSED" : ""));
  return low + passed;
}

}  // namespace

TerminalCells run_terminals(const TerminalPlan& plan) {
  const int all = plan.frames * terminal_case_count;
  std::vector<TerminalCells> frames(static_cast<std::size_t>(all));
  std::atomic<int> next{0};
  std::exception_ptr failure;
  std::mutex mutex;
  const auto work = [&] {
    try {
      for (int i; (i = next++) < all;) {
        const auto which = static_cast<TerminalCase>(i % terminal_case_count);
        const int frame = i / terminal_case_count;
        if (plan.only && *plan.only != which) continue;
        const World world = plan.world.value_or(static_cast<World>(frame % world_count));
        count(terminal_scene(which, world, frame / world_count + frame,
                             plan.seed * 1000003 + static_cast<std::uint64_t>(i)),
              world, plan.tell, frames[static_cast<std::size_t>(i)]);
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
  TerminalCells sum;
  for (const TerminalCells& frame : frames) add(sum, frame);
  return sum;
}

int print_terminals(const TerminalCells& cells) {
  int short_of = 0;
  fmt::print("{:24} {:10} {:>5} {:>7} {:>7} {:>8} {:>8} {:>8} {:>8}\n", "characteristic", "world", "cases",
             "INVALID", "in U %", "mean e/u", "mean u", "at limit", "beyond");
  std::map<Characteristic, TerminalTally> sums;
  for (const auto& [key, t] : cells.cells) {
    short_of += print_row(key.first, name_of(key.second), t, false);
    TerminalCells one, sum;
    one.cells[{key.first, World::all}] = t;
    sum.cells[{key.first, World::all}] = sums[key.first];
    add(sum, one);
    sums[key.first] = sum.cells.begin()->second;
  }
  for (const auto& [what, t] : sums) short_of += print_row(what, "together", t, true);
  fmt::print("paste: {} missing or bridged deposits, {} named, {} passed; {} good ones with a word\n",
             cells.defects, cells.defects_named, cells.defects_passed, cells.good_worded);
  return short_of + (cells.defects_passed > 0);
}

}  // namespace datum::statistics
