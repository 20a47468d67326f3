#include "daemon/view/lot_reporter.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "config/utc_time.h"
#include "daemon/report/lot_page.h"
#include "daemon/store/studied_results.h"
#include "daemon/system/durable_file.h"
#include "daemon/view/result_index.h"

namespace datum {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t boards_in_step = 500;
constexpr std::chrono::seconds longest_report{60};
constexpr std::size_t whole_seconds = 19;  // "2026-01-31T10:00:00"

struct Reported {
  std::string store_id;
  std::uint64_t last = 0;
};

/// None: there is no such file. Throws std::runtime_error.
std::optional<Reported> read_reported(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    std::error_code ignored;
    if (!fs::exists(file, ignored)) return std::nullopt;
    throw std::runtime_error(file.string() + ": can't be read; check its permissions");
  }
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  try {
    const Json json = Json::parse(text);
    return Reported{json.at("store_id").get<std::string>(), json.at("reported").get<std::uint64_t>()};
  } catch (const Json::exception&) {
    throw std::runtime_error(file.string() +
                             ": is damaged; remove it, and lots that begin from then on are reported "
                             "(datumctl report lot writes those before)");
  }
}

}  // namespace

bool LotReporter::work(std::int64_t now_utc_s, Time now) {
  if (now < again_) return false;
  try {
    const bool more = step(now_utc_s);
    if (!fault_.empty() && !ended_) {
      deps_.log(5, "reports of lots are written again");
      fault_.clear();
    }
    return more;
  } catch (const std::exception& error) {
    again_ = now + pause;
    if (fault_ != error.what())
      deps_.log(4, fmt::format("no report of a lot is written: {}; it is tried again, and no result is lost",
                               error.what()));
    fault_ = error.what();
    return false;
  }
}

bool LotReporter::step(std::int64_t now_utc_s) {
  ResultIndex index(deps_.index, ResultIndex::Access::reading);
  const auto has = index.progress();
  if (has.store_id.empty()) return false;  // nothing is indexed yet
  if (has.store_id != store_id_) begin(index);
  if (ended_) {
    write(index);
    return !ended_;
  }
  if (look(index)) return true;
  if (!is_idle(index, now_utc_s)) return false;
  ended_ = std::exchange(open_, {});
  return true;
}

void LotReporter::begin(ResultIndex& index) {
  const auto& folder = deps_.settings.report_folder;
  std::error_code ignored;
  fs::create_directory(folder, ignored);  // not its parents: a disk that is not mounted is not replaced
  const auto reported = read_reported(folder / "lots.json");
  ResultReader store(deps_.store, longest_report);
  const auto extent = store.extent();
  if (index.progress().store_id != store.store_id())
    throw StoreError(StoreError::Kind::locked, "the index follows another store");
  open_ = {};
  ended_.reset();
  seen_ = reported ? std::min(reported->last, extent.last) : extent.last;
  if (!reported || reported->store_id != store.store_id()) {
    store_id_ = store.store_id();
    try {
      keep(seen_);
    } catch (...) {
      store_id_.clear();
      throw;
    }
    deps_.log(6, fmt::format("lots are reported from result {} of store {} on", seen_ + 1, store_id_));
  }
  store_id_ = store.store_id();
}

/// True: a lot has ended, or there may be more results.
bool LotReporter::look(ResultIndex& index) {
  const auto boards = index.oldest_after(seen_, boards_in_step);
  for (const IndexedBoard& b : boards) {
    if (b.artefact) {
      seen_ = b.sequence;
      continue;
    }
    const std::int64_t utc_s =
        utc_from_iso8601(b.measured_at.substr(0, whole_seconds) + "Z").value_or(open_.last_utc_s);
    if (!open_.results.empty() &&
        (b.recipe != open_.recipe || utc_s - open_.last_utc_s >= deps_.settings.idle_min * 60)) {
      ended_ = std::exchange(open_, {});
      return true;  // this board is looked at again
    }
    open_.recipe = b.recipe;
    open_.results.push_back(b.sequence);
    open_.last_utc_s = utc_s;
    seen_ = b.sequence;
    if (open_.results.size() == static_cast<std::size_t>(deps_.settings.most_boards)) {
      ended_ = std::exchange(open_, {});
      return true;
    }
  }
  return boards.size() == boards_in_step;
}

/// Whether the open lot has ended by time; a result that the index does not have yet may still belong to it.
bool LotReporter::is_idle(ResultIndex& index, std::int64_t now_utc_s) const {
  if (open_.results.empty() || now_utc_s - open_.last_utc_s < deps_.settings.idle_min * 60) return false;
  ResultReader store(deps_.store, longest_report);
  return store.extent().last == seen_ && index.progress().last == seen_;
}

void LotReporter::write(ResultIndex& index) {
  const fs::path& folder = deps_.settings.report_folder;
  const Piece& lot = *ended_;
  if (index.progress().last < lot.results.back()) return;  // it is made anew
  const auto room = fs::space(folder);
  if (room.available < deps_.free_bytes)
    throw std::runtime_error(
        fmt::format("{}: {} MiB are free on its file system, less than {}, twice [retention] reserve_mib",
                    folder.string(), room.available >> 20, deps_.free_bytes >> 20));
  Lot content;
  content.leave_out(studied_results(deps_.store.parent_path() / "studies", store_id_));
  index.add_to(content, lot.results, std::chrono::steady_clock::now() + longest_report);
  if (!content.boards().empty()) {
    const std::string page = read_page(deps_.store, longest_report, [&](ResultReader& store) {
      LotPage page{content, lot_choice(lot.recipe, "", "", lot.results.front(), lot.results.back()), "",
                   false, [&store](const std::string& sha256) { return store.recipe_text(sha256); }};
      const std::size_t found = content.boards().size() + content.left_out();
      if (found < lot.results.size())
        page.limited =
            fmt::format("{} results of this lot are no longer stored.", lot.results.size() - found);
      return lot_document(page, store_id_);
    });
    const fs::path file = folder / fmt::format("lot_{:08}-{:08}_{}.html", lot.results.front(),
                                               lot.results.back(), store_id_.substr(0, 8));
    write_file_durably(file, page);
    deps_.log(6, fmt::format("{}: {} boards of a lot", file.string(), content.boards().size()));
  }
  keep(lot.results.back());
  ended_.reset();
}

void LotReporter::keep(std::uint64_t reported) {
  write_file_durably(deps_.settings.report_folder / "lots.json",
                     Json{{"store_id", store_id_}, {"reported", reported}}.dump() + "\n");
}

}  // namespace datum
