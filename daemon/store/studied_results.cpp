#include "daemon/store/studied_results.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "config/toml_reader.h"

namespace datum {
namespace {

namespace fs = std::filesystem;
using SortedJson = nlohmann::json;

/// A study's plan and records; a plan of another store, or none, is null.
struct StudyLines {
  SortedJson plan;
  std::vector<SortedJson> records;
};

StudyLines lines_of(std::istream& in, const std::string& store_id) {
  StudyLines study;
  std::string line;
  if (!std::getline(in, line)) return study;
  SortedJson plan = SortedJson::parse(line, nullptr, false);
  if (!plan.is_object() || !plan.contains("store_id") || plan["store_id"] != store_id) return study;
  study.plan = std::move(plan);
  while (std::getline(in, line)) {
    SortedJson record = SortedJson::parse(line, nullptr, false);
    if (record.is_object() && record.contains("result") && record["result"].is_number_unsigned())
      study.records.push_back(std::move(record));
  }
  return study;
}

StudyLines lines_of(const fs::path& file, const std::string& store_id) {
  std::ifstream in(file);
  return lines_of(in, store_id);
}

template <class Take>
void each_study(const fs::path& folder, const std::string& store_id, Take take) {
  std::error_code none;
  for (fs::directory_iterator entry(folder, none), end; !none && entry != end; entry.increment(none))
    if (entry->path().extension() == ".jsonl") take(lines_of(entry->path(), store_id));
}

std::size_t runs_of(const StudyLines& study) {
  if (study.plan.contains("runs")) return study.plan.at("runs").get<std::size_t>();
  return study.plan.at("parts").size() * study.plan.at("operators").size() *
         study.plan.at("trials").get<std::size_t>();
}

/// Its last run has a value, or all its attempts.
bool is_complete(const StudyLines& study) {
  if (study.records.empty()) return false;
  const SortedJson& last = study.records.back();
  return last.at("run").get<std::size_t>() >= runs_of(study) &&
         (last.at("decision") != "INVALID" ||
          last.at("attempt").get<int>() >= study.plan.at("attempts").get<int>());
}

KeptStudy kept_study(const StudyLines& study, const std::string& text) {
  const SortedJson& p = study.plan;
  KeptStudy s;
  s.id = p.at("study");
  s.by = p.at("by");
  s.at = p.at("at");
  s.recipe = p.at("recipe");
  s.recipe_sha256 = p.at("recipe_sha256");
  s.after = p.at("after");
  s.plan_sha256 = config::sha256_hex(text.substr(0, text.find('\n')));
  s.runs = runs_of(study);
  s.results = study.records.size();
  s.complete = is_complete(study) && text.ends_with('\n');
  if (s.complete) s.sha256 = config::sha256_hex(text);
  if (s.results > 0) {
    s.first = study.records.front().at("result");
    s.last = study.records.back().at("result");
  }
  return s;
}

}  // namespace

std::set<std::uint64_t> studied_results(const fs::path& folder, const std::string& store_id) {
  std::set<std::uint64_t> results;
  each_study(folder, store_id, [&](const StudyLines& study) {
    for (const SortedJson& record : study.records) results.insert(record["result"].get<std::uint64_t>());
  });
  return results;
}

std::vector<RunningStudy> running_studies(const fs::path& folder, const std::string& store_id) {
  std::vector<RunningStudy> running;
  each_study(folder, store_id, [&](const StudyLines& study) {
    try {
      if (study.plan.is_null() || is_complete(study)) return;
      running.push_back({study.plan.at("recipe_sha256"), study.plan.at("after"), study.plan.at("parts"),
                         study.plan.value("kind", "") != "stability"});
    } catch (const SortedJson::exception&) {  // a file that is no study
    }
  });
  return running;
}

std::vector<KeptStudy> kept_studies(const fs::path& folder, const std::string& store_id) {
  constexpr std::uintmax_t most_bytes = 64 << 20;
  std::vector<KeptStudy> kept;
  std::error_code none;
  for (fs::directory_iterator entry(folder, none), end; !none && entry != end; entry.increment(none)) {
    std::error_code error;
    if (entry->path().extension() != ".jsonl" || !entry->is_regular_file(error) ||
        entry->file_size(error) > most_bytes)
      continue;
    std::stringstream text;
    text << std::ifstream(entry->path(), std::ios::binary).rdbuf();
    try {
      if (const StudyLines study = lines_of(text, store_id); !study.plan.is_null())
        kept.push_back(kept_study(study, text.str()));
    } catch (const SortedJson::exception&) {  // a file that is no study
    }
  }
  std::sort(kept.begin(), kept.end(), [](const KeptStudy& a, const KeptStudy& b) { return a.id < b.id; });
  return kept;
}

}  // namespace datum
