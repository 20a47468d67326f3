#include "daemon/quality/study/study_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <tuple>

#include "daemon/system/durable_file.h"
#include "gpu/core/philox.h"

namespace datum::quality {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int schema = 1;
constexpr std::size_t most_runs = 10'000;

bool is_id(const std::string& id) {
  return !id.empty() && id.size() <= 64 && id[0] != '.' && std::all_of(id.begin(), id.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
           c == '_' || c == '.';
  });
}

void demand_names(const std::vector<std::string>& names, const char* what) {
  std::set<std::string> seen;
  for (const std::string& name : names) {
    if (name.empty() || name.size() > 100 || std::any_of(name.begin(), name.end(), [](char c) {
          return static_cast<unsigned char>(c) < ' ' || c == 127;
        }))
      throw StudyRefused(fmt::format("{}: a name has 1 to 100 bytes without control characters", what));
    if (!seen.insert(name).second) throw StudyRefused(fmt::format("{}: '{}' stands there twice", what, name));
  }
}

void demand_plan(const StudyPlan& p) {
  if (!is_id(p.id))
    throw StudyRefused("a study's id has 1 to 64 of A-Z a-z 0-9 . _ -, and does not begin with a point");
  demand_names(p.parts, "parts");
  demand_names(p.operators, "operators");
  if (p.parts.size() < 2 || p.operators.empty() || p.trials < 1 || (p.operators.size() > 1 && p.trials < 2))
    throw StudyRefused(
        "a study needs two parts, and two trials where it has operators; ten parts, three operators and two "
        "trials say more");
  if (p.operators.size() == 1 && p.trials < 2) throw StudyRefused("a study of one operator needs two trials");
  if (p.parts.size() * p.operators.size() * static_cast<std::size_t>(p.trials) > most_runs)
    throw StudyRefused(fmt::format("more than {} runs", most_runs));
  if (p.by.empty()) throw StudyRefused("who starts the study: --by NAME");
}

Json json_of(const StudyPlan& p) {
  return {{"schema", schema},
          {"study", p.id},
          {"by", p.by},
          {"at", p.at},
          {"recipe", p.recipe},
          {"recipe_sha256", p.recipe_sha256},
          {"store_id", p.store_id},
          {"after", p.after},
          {"parts", p.parts},
          {"operators", p.operators},
          {"trials", p.trials},
          {"order", name_of(p.order)},
          {"seed", p.seed},
          {"attempts", p.attempts}};
}

StudyPlan plan_of(const Json& j) {
  if (j.at("schema").get<int>() != schema)
    throw StudyRefused(fmt::format("schema {}, this datumctl reads {}", j.at("schema").dump(), schema));
  StudyPlan p;
  p.id = j.at("study");
  p.by = j.at("by");
  p.at = j.at("at");
  p.recipe = j.at("recipe");
  p.recipe_sha256 = j.at("recipe_sha256");
  p.store_id = j.at("store_id");
  p.after = j.at("after");
  p.parts = j.at("parts").get<std::vector<std::string>>();
  p.operators = j.at("operators").get<std::vector<std::string>>();
  p.trials = j.at("trials");
  p.order = j.at("order") == name_of(RunOrder::full) ? RunOrder::full : RunOrder::operators;
  p.seed = j.at("seed");
  p.attempts = j.at("attempts");
  demand_plan(p);
  return p;
}

Json json_of(const StudyRecord& r, const PlannedRun& run) {
  return {{"run", r.run + 1},
          {"part", run.part},
          {"operator", run.op},
          {"trial", run.trial},
          {"attempt", r.attempt},
          {"result", r.result},
          {"chain_sha256", r.chain_sha256},
          {"decision", r.decision},
          {"measured_at", r.measured_at},
          {"unit_id", r.unit_id},
          {"recipe_sha256", r.recipe_sha256},
          {"calibration_sha256", r.calibration_sha256},
          {"code", r.code},
          {"frame_sha256", r.frame_sha256}};
}

StudyRecord record_of(const Json& j) {
  StudyRecord r;
  r.run = j.at("run").get<std::size_t>() - 1;
  r.attempt = j.at("attempt");
  r.result = j.at("result");
  r.chain_sha256 = j.at("chain_sha256");
  r.decision = j.at("decision");
  r.measured_at = j.at("measured_at");
  r.unit_id = j.at("unit_id");
  r.recipe_sha256 = j.at("recipe_sha256");
  r.calibration_sha256 = j.at("calibration_sha256");
  r.code = j.at("code");
  r.frame_sha256 = j.at("frame_sha256");
  return r;
}

std::uint64_t random_key(std::uint64_t seed, std::uint32_t kind, std::uint32_t a, std::uint32_t b) {
  const PhiloxBlock block = philox({{kind, a, b, 0}}, seed);
  return (static_cast<std::uint64_t>(block.word[0]) << 32) | block.word[1];
}

fs::path path_of(const fs::path& folder, const std::string& id) { return folder / (id + ".jsonl"); }

std::string line_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

const char* name_of(RunOrder order) { return order == RunOrder::full ? "full" : "operators"; }

std::vector<PlannedRun> StudyPlan::runs() const {
  struct Keyed {
    std::tuple<int, std::uint64_t, std::uint64_t> key;
    PlannedRun run;
  };
  std::vector<Keyed> keyed;
  for (int trial = 1; trial <= trials; ++trial) {
    for (std::size_t j = 0; j < operators.size(); ++j) {
      for (std::size_t i = 0; i < parts.size(); ++i) {
        const auto index = static_cast<std::uint32_t>(keyed.size()), t = static_cast<std::uint32_t>(trial);
        const std::uint64_t own = random_key(seed, 1, index, 0);
        const std::uint64_t of_operator = random_key(seed, 2, t, static_cast<std::uint32_t>(j));
        keyed.push_back({order == RunOrder::full ? std::tuple{0, own, std::uint64_t{0}}
                                                 : std::tuple{trial, of_operator, own},
                         {parts[i], operators[j], trial}});
      }
    }
  }
  std::stable_sort(keyed.begin(), keyed.end(), [](const Keyed& a, const Keyed& b) { return a.key < b.key; });
  std::vector<PlannedRun> sorted;
  for (Keyed& k : keyed) sorted.push_back(std::move(k.run));
  return sorted;
}

StudyFile StudyFile::create(const fs::path& folder, const StudyPlan& plan) {
  demand_plan(plan);
  StudyFile file;
  file.path_ = path_of(folder, plan.id);
  fs::create_directories(folder);
  const GrowingFile growing(file.path_);
  if (!growing.read().empty())
    throw StudyRefused(file.path_.string() + " is there already; a study gets an id of its own");
  file.plan_ = plan;
  file.runs_ = plan.runs();
  const std::string line = line_of(json_of(plan));
  growing.append(0, line);
  file.whole_ = line.size();
  return file;
}

StudyFile StudyFile::open(const fs::path& folder, const std::string& id) {
  StudyFile file;
  if (!is_id(id)) throw StudyRefused("'" + id.substr(0, 64) + "' is no study's id");
  file.path_ = path_of(folder, id);
  std::ifstream in(file.path_, std::ios::binary);
  if (!in)
    throw StudyRefused(file.path_.string() +
                       ": no such study; datumctl study status lists those that are there");
  std::ostringstream bytes;
  bytes << in.rdbuf();
  const std::string text = bytes.str();
  int line = 0;
  for (std::size_t from = 0, end = 0; (end = text.find('\n', from)) != std::string::npos; from = end + 1) {
    ++line;
    try {
      const Json json = Json::parse(text.begin() + static_cast<std::ptrdiff_t>(from),
                                    text.begin() + static_cast<std::ptrdiff_t>(end));
      if (line == 1) {
        file.plan_ = plan_of(json);
        file.runs_ = file.plan_.runs();
      } else {
        StudyRecord record = record_of(json);
        if (file.next() != record.run || record.attempt != file.attempts_of(record.run) + 1)
          throw StudyRefused("a record that is not that of the next run");
        file.records_.push_back(std::move(record));
      }
    } catch (const std::exception& error) {
      throw StudyRefused(
          fmt::format("{}:{}: {}; the file was edited or damaged", file.path_.string(), line, error.what()));
    }
    file.whole_ = end + 1;
  }
  if (line == 0) throw StudyRefused(file.path_.string() + ": no plan");
  return file;
}

int StudyFile::attempts_of(std::size_t run) const {
  return static_cast<int>(
      std::count_if(records_.begin(), records_.end(), [&](const StudyRecord& r) { return r.run == run; }));
}

std::optional<std::size_t> StudyFile::next() const {
  // Runs are measured in their order, so that the last record tells.
  std::size_t run = 0;
  if (!records_.empty()) {
    const StudyRecord& last = records_.back();
    run = last.run + (last.decision != "INVALID" || last.attempt >= plan_.attempts);
  }
  return run < runs_.size() ? std::optional(run) : std::nullopt;
}

void StudyFile::demand(const StudyRecord& r, const PlannedRun& run) const {
  const auto refuse = [&](const std::string& why) {
    throw StudyRefused(fmt::format("result {}: {}", r.result, why));
  };
  const std::uint64_t newest = records_.empty() ? plan_.after : records_.back().result;
  if (r.result <= newest)
    refuse(fmt::format("it is not newer than result {}, {}", newest,
                       records_.empty() ? "with which the study began" : "the last one of the study"));
  if (r.recipe_sha256 != plan_.recipe_sha256)
    refuse("measured by another recipe than the study's, " + plan_.recipe_sha256.substr(0, 12));
  if (!r.unit_id.empty() && r.unit_id != run.part)
    refuse(fmt::format("unit '{}' lay there; this run is of part '{}'", r.unit_id.substr(0, 100), run.part));
  for (const StudyRecord& other : records_) {
    if (other.frame_sha256 == r.frame_sha256)
      refuse(fmt::format("its frame is that of result {}", other.result));
    if (other.calibration_sha256 != r.calibration_sha256)
      refuse("the calibration has changed since the study began; start another one");
    if (other.code != r.code) refuse("datumd has changed since the study began; start another one");
  }
}

void StudyFile::add(StudyRecord record) {
  const auto run = next();
  if (!run) throw StudyRefused("the study is complete");
  demand(record, runs_[*run]);
  record.run = *run;
  record.attempt = attempts_of(*run) + 1;
  const GrowingFile growing(path_);
  const std::string text = growing.read();
  if (text.find('\n', whole_) != std::string::npos)
    throw StudyRefused(path_.string() + ": another program has added a record meanwhile; try again");
  const std::string line = line_of(json_of(record, runs_[*run]));
  growing.append(whole_, line);
  whole_ += line.size();
  records_.push_back(std::move(record));
}

std::vector<std::string> studies_in(const fs::path& folder) {
  std::vector<std::string> ids;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".jsonl" && is_id(entry.path().stem().string()))
      ids.push_back(entry.path().stem().string());
  std::sort(ids.begin(), ids.end());
  return ids;
}

}  // namespace datum::quality
