#include "daemon/ctl/study_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "daemon/quality/statistics/exact.h"

namespace datum {

using quality::StudyFile;
using Json = nlohmann::ordered_json;

std::string run_text(const StudyFile& study, std::size_t run) {
  const quality::PlannedRun& r = study.runs()[run];
  return fmt::format("run {} of {}: part {}, operator {}, trial {}", run + 1, study.runs().size(), r.part,
                     r.op, r.trial);
}

std::string next_text(const StudyFile& study) {
  const auto next = study.next();
  if (!next) return fmt::format("the study is complete: datumctl study solve {}\n", study.plan().id);
  const int attempts = study.attempts_of(*next);
  return fmt::format(
      "next: {}{}\n", run_text(study, *next),
      attempts == 0 ? ""
                    : fmt::format(" again: {} of {} attempts were INVALID", attempts, study.plan().attempts));
}

/// With what it rates, where it is not each characteristic.
std::string kind_text(const quality::StudyPlan& p) {
  const std::string kind = name_of(p.kind);
  return p.rated == quality::Rated::characteristic ? kind
                                                   : fmt::format("{} of each {}", kind, name_of(p.rated));
}

std::string plan_text(const quality::StudyPlan& p) {
  const bool over_time = p.kind == quality::StudyKind::stability;
  std::string text = fmt::format("study {} by {} at {}: {}, recipe {} {}, {} parts x {} {} x {} {}, order {}",
                                 p.id, p.by, p.at, kind_text(p), p.recipe, p.recipe_sha256.substr(0, 12),
                                 p.parts.size(), p.operators.size(), over_time ? "subgroups" : "operators",
                                 p.trials, over_time ? "readings" : "trials", name_of(p.order));
  if (!over_time) text += fmt::format(", seed {}", p.seed);
  if (!p.references.empty())
    text += fmt::format(", {} {}", p.references.size(),
                        p.kind == quality::StudyKind::attribute ? "right decisions" : "certified values");
  return text;
}

std::string status_text(const StudyFile& study) {
  const quality::StudyPlan& p = study.plan();
  std::string text = plan_text(p) + "\n";
  const auto next = study.next();
  text += fmt::format("{} of {} runs measured, {} results\n", next ? *next : study.runs().size(),
                      study.runs().size(), study.records().size());
  for (const auto* names : {&p.parts, &p.operators}) {
    for (const std::string& name : *names) {
      std::size_t invalid = 0, all = 0;
      for (const quality::StudyRecord& r : study.records()) {
        const quality::PlannedRun& run = study.runs()[r.run];
        if ((names == &p.parts ? run.part : run.op) != name) continue;
        ++all;
        invalid += r.decision == "INVALID";
      }
      if (invalid > 0)
        text += fmt::format("{} {}: {} of {} results INVALID\n", names == &p.parts ? "part" : "operator",
                            name, invalid, all);
    }
  }
  return text;
}

Json status_json(const StudyFile& study) {
  const quality::StudyPlan& p = study.plan();
  Json out{{"study", p.id},
           {"by", p.by},
           {"at", p.at},
           {"kind", name_of(p.kind)},
           {"rated", p.kind == quality::StudyKind::attribute ? Json(name_of(p.rated)) : Json(nullptr)},
           {"recipe", p.recipe},
           {"recipe_sha256", p.recipe_sha256},
           {"parts", p.parts},
           {"operators", p.operators},
           {"trials", p.trials},
           {"order", name_of(p.order)},
           {"seed", p.seed},
           {"runs", study.runs().size()},
           {"records", Json::array()}};
  for (const quality::CertifiedValue& c : p.references)
    out["references"].push_back(
        {{"part", c.part},
         {"component", c.component},
         {"characteristic", c.characteristic},
         {c.decision.empty() ? "reference" : "decision",
          c.decision.empty() ? Json(quality::ratio(c.value->count, 1, c.value->digits)) : Json(c.decision)},
         {"u", c.u},
         {"unit", c.unit}});
  out["next"] = study.next() ? Json(*study.next() + 1) : Json(nullptr);
  for (const quality::StudyRecord& r : study.records()) {
    const quality::PlannedRun& run = study.runs()[r.run];
    out["records"].push_back({{"run", r.run + 1},
                              {"part", run.part},
                              {"operator", run.op},
                              {"trial", run.trial},
                              {"attempt", r.attempt},
                              {"result", r.result},
                              {"chain_sha256", r.chain_sha256},
                              {"decision", r.decision},
                              {"measured_at", r.measured_at}});
  }
  return out;
}

}  // namespace datum
