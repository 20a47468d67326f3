#include "daemon/ctl/study_files.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace datum {
namespace {

using quality::StudyRefused;

BoardVerdict recorded_verdict(const quality::StudyRecord& record, ResultStore& store) {
  const auto result = store.get(record.result);
  if (!result)
    throw StudyRefused(fmt::format("result {} of the study is not in the store any more", record.result));
  if (store.chain_sha256(record.result) != record.chain_sha256)
    throw StudyRefused(fmt::format(
        "result {} is not the one that the study recorded: its entry has another hash", record.result));
  return result->verdict();
}

/// The series of the same kind in `all`, or `wanted` there with empty readings.
StudySeries& same_in(std::vector<StudySeries>& all, StudySeries wanted, std::size_t runs,
                     const quality::StudyFile& study) {
  for (StudySeries& s : all)
    if (s.reference == wanted.reference && s.characteristic == wanted.characteristic &&
        s.parameter == wanted.parameter)
      return s;
  StudySeries& s = all.emplace_back(std::move(wanted));
  for (std::size_t i = 0; i < runs; ++i) {
    const quality::PlannedRun& run = study.runs()[i];
    quality::Reading reading;
    reading.part = run.part;
    reading.op = run.op;
    reading.trial = fmt::format("{}", run.trial);
    s.table.readings.push_back(std::move(reading));
  }
  return s;
}

StudySeries series_for(const ComponentVerdict& component, const CheckVerdict& check) {
  StudySeries s;
  s.reference = component.reference;
  s.package = component.package;
  s.characteristic = check.check.characteristic;
  s.parameter = check.check.parameter;
  s.lower = check.check.lower;
  s.upper = check.check.upper;
  s.table.unit = unit_of(check.check.characteristic);
  return s;
}

StudySeries rated_series(quality::Rated rated, const std::string& reference, const std::string& package) {
  StudySeries s;
  s.reference = reference;
  s.package = package;
  s.rated = rated;
  return s;
}

}  // namespace

std::filesystem::path studies_folder(const std::filesystem::path& store, const std::string& folder) {
  return folder.empty() ? store.parent_path() / "studies" : std::filesystem::path(folder);
}

std::set<std::uint64_t> results_of_studies(const std::filesystem::path& folder, const std::string& store_id) {
  std::set<std::uint64_t> results;
  for (const std::string& id : quality::studies_in(folder)) {
    try {
      const auto study = quality::StudyFile::open(folder, id);
      if (study.plan().store_id != store_id) continue;
      for (const auto& record : study.records()) results.insert(record.result);
    } catch (const StudyRefused& error) {
      fmt::print(stderr, "datumctl: {}\n", error.what());
    }
  }
  return results;
}

std::vector<StudySeries> series_of(const quality::StudyFile& study, ResultStore& store) {
  if (store.id() != study.plan().store_id)
    throw StudyRefused(
        fmt::format("the study is of store {}, this one is {}", study.plan().store_id, store.id()));
  std::vector<StudySeries> all;
  // Runs that were not measured yet are no missing values.
  const std::size_t runs = study.records().empty() ? 0 : study.records().back().run + 1;
  for (const quality::StudyRecord& record : study.records()) {
    const BoardVerdict v = recorded_verdict(record, store);
    const auto reading_in = [&](StudySeries wanted) -> quality::Reading& {
      return same_in(all, std::move(wanted), runs, study).table.readings[record.run];
    };
    const quality::Rated rated = study.plan().rated;
    if (rated == quality::Rated::board) {
      reading_in(rated_series(rated, "board", "")).decision = name_of(v.decision);
      continue;
    }
    const bool usable = v.decision != Decision::invalid || v.reason == Reason::none;
    for (const ComponentVerdict& component : v.components) {
      if (rated == quality::Rated::component) {
        if (!is_skipped(component))
          reading_in(rated_series(rated, component.reference, component.package)).decision =
              name_of(usable ? component.decision : Decision::invalid);
        continue;
      }
      for (const CheckVerdict& check : component.checks) {
        quality::Reading& reading = reading_in(series_for(component, check));
        if (usable && check.decision != Decision::invalid && std::isfinite(check.value)) {
          reading.value = quality::decimal_of(check.value, 6);
          reading.at_s = quality::utc_seconds(record.measured_at);
        }
        reading.decision = name_of(check.decision);
      }
    }
  }
  return all;
}

quality::StudyRecord record_of(const StoredResult& result, const std::string& chain_sha256) {
  const BoardVerdict v = result.verdict();
  quality::StudyRecord record;
  record.result = result.sequence;
  record.chain_sha256 = chain_sha256;
  record.decision = name_of(v.decision);
  record.measured_at = v.measured_at;
  record.unit_id = v.unit_id;
  record.recipe_sha256 = v.recipe_sha256;
  record.calibration_sha256 = v.calibration_sha256;
  record.code = v.code;
  record.frame_sha256 = v.frame_sha256;
  return record;
}

}  // namespace datum
