#include "daemon/quality/study/study_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "daemon/system/durable_file.h"

namespace datum::quality {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int schema = 1;
// Of all kinds but crossed, which a former datumctl would take for crossed.
constexpr int schema_of_kinds = 2;
// Of an attribute study that does not rate characteristics, which a former datumctl would take for one that does.
constexpr int schema_of_ratings = 3;

int schema_of(const StudyPlan& p) {
  if (p.rated != Rated::characteristic) return schema_of_ratings;
  return p.kind == StudyKind::crossed ? schema : schema_of_kinds;
}

Json json_of(const CertifiedValue& c) {
  Json out{{"part", c.part}, {"component", c.component}, {"characteristic", c.characteristic}};
  if (!c.decision.empty())
    out["decision"] = c.decision;
  else
    out.update({{"count", c.value->count}, {"digits", c.value->digits}, {"u", c.u}, {"unit", c.unit}});
  return out;
}

CertifiedValue certified_of(const Json& j) {
  CertifiedValue c;
  c.part = j.at("part");
  c.component = j.at("component");
  c.characteristic = j.at("characteristic");
  if (j.contains("decision")) {
    c.decision = j.at("decision");
  } else {
    c.value = Decimal{j.at("count"), j.at("digits")};
    c.u = j.at("u");
    c.unit = j.at("unit");
  }
  return c;
}

Json json_of(const StudyPlan& p) {
  Json out{{"schema", schema_of(p)},
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
  if (p.kind == StudyKind::crossed) return out;
  out["kind"] = name_of(p.kind);
  if (p.rated != Rated::characteristic) out["rated"] = name_of(p.rated);
  out["runs"] = p.runs().size();
  out["references"] = Json::array();
  for (const CertifiedValue& c : p.references) out["references"].push_back(json_of(c));
  return out;
}

RunOrder order_of(const std::string& name) {
  for (const RunOrder order : {RunOrder::full, RunOrder::operators, RunOrder::listed})
    if (name == name_of(order)) return order;
  throw StudyRefused("order '" + name.substr(0, 40) + "' is not known");
}

StudyPlan plan_of(const Json& j) {
  const int version = j.at("schema").get<int>();
  if (version < schema || version > schema_of_ratings)
    throw StudyRefused(
        fmt::format("schema {}, this datumctl reads {} to {}", version, schema, schema_of_ratings));
  StudyPlan p;
  if (version >= schema_of_kinds) {
    const std::string name = j.at("kind");
    const auto kind = study_kind_of(name);
    if (!kind) throw StudyRefused("kind '" + name.substr(0, 40) + "' is not known");
    p.kind = *kind;
    for (const Json& c : j.at("references")) p.references.push_back(certified_of(c));
  }
  if (version == schema_of_ratings) {
    const std::string name = j.at("rated");
    const auto rated = rated_of(name);
    if (!rated) throw StudyRefused("rated '" + name.substr(0, 40) + "' is not known");
    p.rated = *rated;
  }
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
  p.order = order_of(j.at("order"));
  p.seed = j.at("seed");
  p.attempts = j.at("attempts");
  demand_plan(p);
  if (version >= schema_of_kinds && j.at("runs") != p.runs().size())
    throw StudyRefused("the plan has another number of runs than it says");
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

fs::path path_of(const fs::path& folder, const std::string& id) { return folder / (id + ".jsonl"); }

std::string line_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

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
  if (!is_study_id(id)) throw StudyRefused("'" + id.substr(0, 64) + "' is no study's id");
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
  if (plan_.kind == StudyKind::stability && r.unit_id.empty())
    refuse(
        fmt::format("the board has no serial number: a stability study runs beside production for weeks, and "
                    "its part is known by '{}'; --trigger sends it",
                    run.part));
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
    if (entry.path().extension() == ".jsonl" && is_study_id(entry.path().stem().string()))
      ids.push_back(entry.path().stem().string());
  std::sort(ids.begin(), ids.end());
  return ids;
}

}  // namespace datum::quality
