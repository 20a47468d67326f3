#include "daemon/store/studied_results.h"

#include <fstream>
#include <nlohmann/json.hpp>

namespace datum {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// A study's plan and records; a plan of another store, or none, is null.
struct StudyLines {
  Json plan;
  std::vector<Json> records;
};

StudyLines lines_of(const fs::path& file, const std::string& store_id) {
  StudyLines study;
  std::ifstream in(file);
  std::string line;
  if (!std::getline(in, line)) return study;
  Json plan = Json::parse(line, nullptr, false);
  if (!plan.is_object() || !plan.contains("store_id") || plan["store_id"] != store_id) return study;
  study.plan = std::move(plan);
  while (std::getline(in, line)) {
    Json record = Json::parse(line, nullptr, false);
    if (record.is_object() && record.contains("result") && record["result"].is_number_unsigned())
      study.records.push_back(std::move(record));
  }
  return study;
}

template <class Take>
void each_study(const fs::path& folder, const std::string& store_id, Take take) {
  std::error_code none;
  for (fs::directory_iterator entry(folder, none), end; !none && entry != end; entry.increment(none))
    if (entry->path().extension() == ".jsonl") take(lines_of(entry->path(), store_id));
}

/// Its last run has a value, or all its attempts.
bool is_complete(const StudyLines& study) {
  if (study.records.empty()) return false;
  const Json& last = study.records.back();
  const std::size_t runs = study.plan.at("parts").size() * study.plan.at("operators").size() *
                           study.plan.at("trials").get<std::size_t>();
  return last.at("run").get<std::size_t>() >= runs &&
         (last.at("decision") != "INVALID" ||
          last.at("attempt").get<int>() >= study.plan.at("attempts").get<int>());
}

}  // namespace

std::set<std::uint64_t> studied_results(const fs::path& folder, const std::string& store_id) {
  std::set<std::uint64_t> results;
  each_study(folder, store_id, [&](const StudyLines& study) {
    for (const Json& record : study.records) results.insert(record["result"].get<std::uint64_t>());
  });
  return results;
}

std::vector<RunningStudy> running_studies(const fs::path& folder, const std::string& store_id) {
  std::vector<RunningStudy> running;
  each_study(folder, store_id, [&](const StudyLines& study) {
    try {
      if (study.plan.is_null() || is_complete(study)) return;
      running.push_back({study.plan.at("recipe_sha256"), study.plan.at("after"), study.plan.at("parts")});
    } catch (const Json::exception&) {  // a file that is no study
    }
  });
  return running;
}

}  // namespace datum
