#include "daemon/ctl/study_live.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <charconv>
#include <memory>

#include "daemon/ctl/measured_study.h"
#include "daemon/ctl/study_start.h"
#include "daemon/ctl/study_text.h"
#include "daemon/ctl/triggered_result.h"

namespace datum {
namespace {

using quality::StudyFile;
using quality::StudyRefused;

struct LiveOptions {
  StudyPlace place;
  std::string result;
  bool trigger = false;
};

std::uint64_t number_of_result(const std::string& text, ResultStore& store) {
  if (text == "last") {
    const auto latest = store.latest();
    if (!latest) throw StudyRefused("the store has no result");
    return latest->sequence;
  }
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size())
    throw std::invalid_argument("--result " + text + ": wanted: a sequence number, or last");
  return number;
}

void take_next(CommandLine& line, const LiveOptions& o) {
  StudyFile study = StudyFile::open(o.place.studies(), o.place.id);
  const auto next = study.next();
  if (next && (o.trigger || !o.result.empty())) {
    std::string result = o.result;
    if (o.trigger) result = fmt::format("{}", triggered_result(line.link, study.runs()[*next].part));
    auto store = ResultStore::read_only(o.place.store_file());
    const auto stored = store.get(number_of_result(result, store));
    if (!stored) throw StudyRefused("the store has no result " + result);
    if (store.id() != study.plan().store_id)
      throw StudyRefused(
          fmt::format("the study is of store {}, this one is {}", study.plan().store_id, store.id()));
    study.add(record_of(*stored, store.chain_sha256(stored->sequence)));
    fmt::print("result {} {}: {}\n", stored->sequence, study.records().back().decision,
               run_text(study, *next));
    if (study.records().back().decision == "INVALID" && study.next() != next)
      fmt::print("! this was the last attempt: the run has no value\n");
  }
  fmt::print("{}", next_text(study));
}

void print_status(const LiveOptions& o, bool json) {
  const auto folder = o.place.studies();
  if (o.place.id.empty()) {
    for (const std::string& id : quality::studies_in(folder)) {
      const StudyFile study = StudyFile::open(folder, id);
      if (json)
        fmt::print("{}\n", status_json(study).dump());
      else
        fmt::print("{}", status_text(study));
    }
    return;
  }
  const StudyFile study = StudyFile::open(folder, o.place.id);
  if (json) {
    fmt::print("{}\n", status_json(study).dump(2));
    return;
  }
  fmt::print("{}", status_text(study));
  fmt::print("{}", next_text(study));
}

}  // namespace

void add_live_study_commands(CommandLine& line, CLI::App& study) {
  add_study_start(line, study);
  auto o = std::make_shared<LiveOptions>();
  auto* next = line.link_leaf(
      study, "next",
      "the run to be measured now; with --trigger or --result takes its result, and shows the one after it",
      [&line, o] { return guarded_study([&] { take_next(line, *o); }); });
  next->add_option("id", o->place.id, "of the study")->required();
  auto* trigger = next->add_flag("--trigger", o->trigger,
                                 "triggers the armed cell with the part as unit, and takes that result");
  next->add_option("--result", o->result, "takes this result of the store: a sequence number, or last")
      ->excludes(trigger);
  add_place_options(line, *next, o->place);

  auto* status = line.leaf(study, "status", "progress of a study with its INVALID results, or of all studies",
                           [&line, o] { return guarded_study([&] { print_status(*o, line.json); }); });
  status->add_option("id", o->place.id, "of the study");
  add_place_options(line, *status, o->place);
  line.add_json(*status, "with the records as JSON");
}

}  // namespace datum
