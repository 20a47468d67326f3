#include "daemon/view/study_pages.h"

#include <fmt/format.h>

#include <algorithm>

#include "daemon/quality/study/study_file.h"
#include "daemon/report/page_template.h"
#include "daemon/report/page_text.h"

namespace datum {
namespace {

namespace fs = std::filesystem;
using quality::StudyFile;
using quality::StudyRecord;

constexpr std::size_t most_studies = 200, most_records = 500;
constexpr std::uintmax_t most_bytes = 16u << 20;  // 10,000 runs have 6 MB

StudyFile opened(const fs::path& folder, const std::string& id) {
  const fs::path file = folder / (id + ".jsonl");
  std::error_code failed;
  if (const auto bytes = fs::file_size(file, failed); !failed && bytes > most_bytes)
    throw quality::StudyRefused(fmt::format("{}: {} MiB are no study", file.string(), bytes >> 20));
  return StudyFile::open(folder, id);
}

PageData data_of(const StudyFile& study) {
  const quality::StudyPlan& p = study.plan();
  const auto next = study.next();
  const auto invalid = std::count_if(study.records().begin(), study.records().end(),
                                     [](const StudyRecord& r) { return r.decision == "INVALID"; });
  return texts({{"id", p.id},
                {"link", "/study?id=" + url_part(p.id)},
                {"state", next ? "in progress" : "complete"},
                {"done", std::to_string(next.value_or(study.runs().size()))},
                {"runs", std::to_string(study.runs().size())},
                {"results", std::to_string(study.records().size())},
                {"invalid", std::to_string(invalid)},
                {"kind", p.rated == quality::Rated::characteristic
                             ? name_of(p.kind)
                             : fmt::format("{} of each {}", name_of(p.kind), name_of(p.rated))},
                {"recipe", p.recipe},
                {"recipe_sha256", p.recipe_sha256},
                {"parts", std::to_string(p.parts.size())},
                {"operators", std::to_string(p.operators.size())},
                {"trials", std::to_string(p.trials)},
                {"order", name_of(p.order)},
                {"seed", std::to_string(p.seed)},
                {"store_id", p.store_id},
                {"at", p.at},
                {"by", p.by}});
}

}  // namespace

std::string studies_page(const fs::path& folder, std::chrono::milliseconds limit) {
  const auto until = std::chrono::steady_clock::now() + limit;
  std::vector<std::pair<std::string, PageData>> found;  // by the time when it was begun
  PageData faults = PageData::type::list;
  for (const std::string& id : quality::studies_in(folder)) {
    if (std::chrono::steady_clock::now() > until) throw PageTimeout("the page takes too long");
    try {
      const StudyFile study = opened(folder, id);
      found.emplace_back(study.plan().at, data_of(study));
    } catch (const std::runtime_error& error) {
      faults.push_back(texts({{"fault", error.what()}}));
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  PageData data, rows = PageData::type::list;
  for (std::size_t i = 0; i < std::min(found.size(), most_studies); ++i) rows.push_back(found[i].second);
  data.set("any", !found.empty());
  data.set("is_cut", found.size() > most_studies);
  data.set("studies", rows);
  data.set("faults", faults);
  return render("studies", data);
}

std::string study_page(const fs::path& folder, const std::string& id, ResultReader& store) {
  const auto ids = quality::studies_in(folder);  // no text of a request names a file
  if (std::find(ids.begin(), ids.end(), id) == ids.end()) return "";
  const StudyFile study = opened(folder, id);
  const bool is_foreign = study.plan().store_id != store.store_id();
  const auto& records = study.records();
  const std::size_t first = records.size() - std::min(records.size(), most_records);
  PageData rows = PageData::type::list;
  for (std::size_t i = first; i < records.size(); ++i) {
    const StudyRecord& r = records[i];
    const quality::PlannedRun& run = study.runs()[r.run];
    const std::string stored = is_foreign ? "" : store.chain_sha256(r.result);
    rows.push_back(texts({{"result", std::to_string(r.result)},
                          {"run", std::to_string(r.run + 1)},
                          {"part", run.part},
                          {"operator", run.op},
                          {"trial", std::to_string(run.trial)},
                          {"attempt", std::to_string(r.attempt)},
                          {"decision", r.decision},
                          {"measured_at", r.measured_at},
                          {"entry", is_foreign                 ? "of another store"
                                    : stored.empty()           ? "no longer stored"
                                    : stored == r.chain_sha256 ? "as recorded"
                                                               : "another one"}}));
  }
  PageData data = data_of(study);
  data.set("is_foreign", is_foreign);
  data.set("is_cut", first > 0);
  data.set("records", rows);
  return render("study", data);
}

}  // namespace datum
