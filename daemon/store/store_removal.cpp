#include "daemon/store/store_removal.h"

#include <fmt/format.h>

#include "daemon/store/recipe_archive.h"
#include "daemon/store/store_rows.h"
#include "daemon/store/store_sums.h"
#include "daemon/store/studied_results.h"

namespace datum {
namespace {

namespace fs = std::filesystem;

/// Removes the oldest entries and their results by the order.
class Removing {
 public:
  Removing(sqlite3* db, const fs::path& file, const std::string& store_id,
           const std::vector<FormerId>& former, const RemovalOrder& order)
      : db_(db), file_(file), store_id_(store_id), former_(former), order_(order) {}

  Removal run() {
    sqlite::Statement links(db_, file_, (std::string(link_columns) + "ORDER BY link").c_str());
    newest_ =
        static_cast<std::uint64_t>(sqlite::query_integer(db_, file_, "SELECT max(sequence) FROM result"));
    removal_.rule = order_.rule;
    removal_.utc = order_.utc;
    while (links.step()) {
      removal_.more =
          removal_.results >= order_.most || (removal_.results > 0 && order_.enough && order_.enough());
      if (removal_.more || !take(link_of(links))) break;
    }
    return removal_;
  }
  /// The results' verdicts by number, read within the time that the order allows.
  const ReadVerdicts& verdicts() const { return verdicts_; }

 private:
  /// False: this entry stays, and all after it.
  bool take(const ChainEntry& link) {
    if (before_.empty()) before_ = hash_before(link);
    if (link.sequence != 0) {
      if (link.sequence > order_.up_to || link.sequence >= newest_) return false;
      if (!take_result(link)) return false;
    } else if (chain_hash(before_, id_at_link(former_, link.link, store_id_), link.statement) !=
               link.sha256) {
      found(fmt::format("statement {} was altered", link.link));
    }
    before_ = link.sha256;
    removal_.last_link = link.link;
    removal_.last_sha256 = link.sha256;
    return true;
  }

  bool take_result(const ChainEntry& link) {
    sqlite::Statement row(db_, file_, (std::string(result_columns) + "WHERE sequence = ?1").c_str());
    row.bind(1, static_cast<std::int64_t>(link.sequence));
    if (!row.step()) {
      found(fmt::format("result {} was missing", link.sequence));
    } else {
      const StoredResult r = row_of(row, id_at_link(former_, link.link, store_id_));
      if (!order_.measured_before.empty() && r.measured_at >= order_.measured_before) return false;
      if (chain_hash(before_, r) != link.sha256) found(fmt::format("result {} was altered", link.sequence));
      verdicts_[link.sequence] = readable_verdict(r);
    }
    ++removal_.results;
    if (removal_.first == 0) removal_.first = link.sequence;
    removal_.last = link.sequence;
    return true;
  }

  /// Hash before the oldest entry, from the newest removal statement.
  std::string hash_before(const ChainEntry& first) {
    if (first.link == 1) return std::string(chain_begin);
    sqlite::Statement rows(
        db_, file_,
        (std::string(link_columns) + "WHERE statement LIKE '{\"what\":\"removed\"%' ORDER BY link DESC")
            .c_str());
    while (rows.step()) {
      Removal earlier;
      if (from_statement(rows.text(2), earlier) && earlier.last_link + 1 == first.link)
        return earlier.last_sha256;
    }
    found(fmt::format("nothing states what stood before link {}", first.link));
    return "unknown";
  }

  void found(const std::string& what) {
    if (removal_.altered.empty()) removal_.altered = what;
  }

  sqlite3* db_;
  const fs::path& file_;
  const std::string& store_id_;
  const std::vector<FormerId>& former_;
  const RemovalOrder& order_;
  std::uint64_t newest_ = 0;
  std::string before_;  // hash of the last removed entry
  Removal removal_;
  ReadVerdicts verdicts_;
};

void execute(sqlite3* db, const fs::path& file, const std::string& sql) {
  sqlite::execute(db, file, sql.c_str());
}

}  // namespace

Removal remove_oldest(sqlite3* db, const fs::path& file, const std::string& store_id,
                      const std::vector<FormerId>& former, const RemovalOrder& order) {
  Removing removing(db, file, store_id, former, order);
  Removal removal = removing.run();
  if (removal.results == 0) return {};
  const std::set<std::uint64_t> studied = studied_results(file.parent_path() / "studies", store_id);
  const sqlite::InOrder in_order(db, file);
  try {
    execute(db, file, "BEGIN IMMEDIATE");
    add_to_sums(db, file, removal.last, removing.verdicts(), studied);
    execute(db, file, fmt::format("DELETE FROM result WHERE sequence <= {}", removal.last));
    if (removal.altered.empty() && static_cast<std::uint64_t>(sqlite3_changes(db)) != removal.results)
      removal.altered = "results were among them that the chain does not know";
    execute(db, file, fmt::format("DELETE FROM chain WHERE link <= {}", removal.last_link));
    execute(db, file, fmt::format("DELETE FROM former WHERE link <= {}", removal.last_link));
    remove_unused_recipes(db, file);
    append_statement(db, file, store_id, to_statement(removal));
    execute(db, file, "COMMIT");
  } catch (...) {
    if (!sqlite3_get_autocommit(db)) sqlite3_exec(db, "ROLLBACK", nullptr, nullptr, nullptr);
    throw;
  }
  return removal;
}

}  // namespace datum
