#include "tests/statistics/surface_campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <thread>

#include "tests/statistics/surface_case.h"

namespace datum::statistics {
namespace {

constexpr std::array limits_um{60.0, 120.0, 300.0, 1100.0};
constexpr int good_share = 4;  // one good part per four cases with a defect

struct Case {
  std::size_t solid, limit;
  Defect kind;
  std::uint64_t seed;
};

struct Outcome {
  BoardVerdict verdict;
  DefectTruth truth;
  std::string words;
};

std::vector<Case> cases_of(const CampaignPlan& plan) {
  std::vector<Case> cases;
  constexpr std::array kinds{Defect::dent,  Defect::pit,  Defect::post,   Defect::burr,
                             Defect::moved, Defect::bent, Defect::missing};
  for (int n = 0; n < plan.cases; ++n) {
    const auto i = static_cast<std::size_t>(n);
    Case c{i % solids().size(), i / solids().size() % limits_um.size(),
           kinds[i / solids().size() / limits_um.size() % kinds.size()], plan.seed * 1'000'003 + i};
    if (c.kind == Defect::moved && !solids()[c.solid].has_feature) c.kind = Defect::dent;
    // the virtual part's chamfers and features collide with a bent edge
    if (c.kind == Defect::bent && solids()[c.solid].name == "demo") c.kind = Defect::pit;
    cases.push_back(c);
    if (n % good_share == 0)
      cases.push_back({i / good_share % solids().size(), i / good_share / solids().size() % limits_um.size(),
                       Defect::none, c.seed + 500'009});
  }
  if (!plan.only.empty())
    std::erase_if(cases, [&](const Case& c) {
      return std::find(plan.only.begin(), plan.only.end(), c.seed) == plan.only.end();
    });
  return cases;
}

Outcome outcome_of(SurfaceCell& cell, const Case& c) {
  std::mt19937_64 random(c.seed);
  const SeededDefect defect = seeded(cell.solid(), c.kind, random);
  const SurfaceCell::Seen seen = cell.look(defect, c.seed, beyond_limit);
  Outcome o{cell.inspect(seen), seen.truth, ""};
  o.words = fmt::format("{} at a limit of {} um, {}, seed {}: {}, {} pixels see it, up to {:.1f} um; {}",
                        cell.solid().name, cell.limit_um(), defect.words(), c.seed,
                        name_of(o.verdict.decision), o.truth.pixels, o.truth.worst_um, o.verdict.detail);
  for (const ComponentVerdict& region : o.verdict.components)
    for (const CheckVerdict& check : region.checks)
      o.words += fmt::format("\n    {}: {} {:.1f} +- {:.1f} um {} {}", region.reference,
                             name_of(check.decision), check.value, 2 * check.u,
                             check.reason == Reason::none ? "" : name_of(check.reason), check.detail);
  return o;
}

void count(CampaignTally& t, const Outcome& o) {
  ++t.cases;
  int* const of[] = {&t.passed, &t.inconclusive, &t.failed, &t.invalid};
  ++*of[static_cast<std::size_t>(o.verdict.decision)];
  if (o.truth.pixels < seen_px) return;
  ++t.seen;
  t.wrong_passes += o.verdict.decision == Decision::pass;
}

}  // namespace

Campaign run_campaign(const CampaignPlan& plan) {
  const std::vector<Case> cases = cases_of(plan);
  std::vector<Outcome> outcomes(cases.size());
  std::atomic<std::size_t> next = 0;
  const std::size_t cells = solids().size() * limits_um.size();
  const auto work = [&] {
    for (std::size_t at; (at = next++) < cells;) {
      const std::size_t solid = at % solids().size(), limit = at / solids().size();
      std::optional<SurfaceCell> cell;
      for (std::size_t i = 0; i < cases.size(); ++i) {
        if (cases[i].solid != solid || cases[i].limit != limit) continue;
        if (!cell) cell.emplace(solids()[solid], limits_um[limit]);
        outcomes[i] = outcome_of(*cell, cases[i]);
      }
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < plan.threads; ++i) threads.emplace_back(work);
  work();
  for (std::thread& t : threads) t.join();
  Campaign all;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Outcome& o = outcomes[i];
    if (!plan.only.empty()) all.told.push_back(o.words);
    if (cases[i].kind == Defect::none) {
      count(all.good, o);
      if (o.verdict.decision == Decision::fail || o.verdict.decision == Decision::invalid)
        all.wrong.push_back("good part refused: " + o.words);
      continue;
    }
    count(all.defects, o);
    count(all.of_solid[solids()[cases[i].solid].name], o);
    count(all.of_defect[name_of(cases[i].kind)], o);
    if (o.truth.pixels >= seen_px && o.verdict.decision == Decision::pass)
      all.wrong.push_back("wrong PASS: " + o.words);
  }
  return all;
}

}  // namespace datum::statistics
