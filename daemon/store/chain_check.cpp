#include "daemon/store/chain_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "daemon/store/chart_records.h"
#include "daemon/store/check_records.h"
#include "daemon/store/recipe_archive.h"
#include "daemon/store/store_rows.h"
#include "daemon/store/store_schema.h"

namespace datum {
namespace {

namespace fs = std::filesystem;

class Walk {
 public:
  Walk(sqlite3* db, const fs::path& file, const std::vector<HeldEntry>& held)
      : db_(db),
        file_(file),
        held_(held),
        rows_(db, file, (std::string(result_columns) + "ORDER BY sequence").c_str()) {
    report_.store_id = store_id_of(db, file);
    id_ = first_id();
    for (const HeldEntry& link : held_) held_at_.emplace(link.link, &link);
  }

  ChainReport run() {
    sqlite::Statement links(db_, file_, (std::string(link_columns) + "ORDER BY link").c_str());
    next_row();
    while (links.step()) step(link_of(links));
    while (have_row_) unknown_row();
    if (id_ != report_.store_id)
      fault(0, fmt::format("the store's id is {}, its chain says {}", report_.store_id, id_));
    if (report_.links == 0) fault(0, "there is no chain");
    check_count();
    for (const std::string& sha256 : altered_recipes(db_, file_))
      fault(0, fmt::format("the kept text of the recipe with SHA-256 {} was altered", sha256));
    for (const std::string& altered : altered_checks(db_, file_)) fault(0, altered);
    for (const std::string& altered : altered_charts(db_, file_)) fault(0, altered);
    for (const std::string& altered : altered_acts(db_, file_)) fault(0, altered);
    for (const HeldEntry& held : held_) check_held(held);
    report_.given = std::max(report_.last, given_);
    return std::move(report_);
  }

 private:
  void step(const ChainEntry& link) {
    const std::string id_before = id_;
    if (report_.links++ == 0) {
      before_ = hash_before(link);
      first_link_ = link.link;
    } else if (link.link != report_.head.link + 1) {
      fault(0, fmt::format("links {} to {} of the chain are missing", report_.head.link + 1, link.link - 1));
    }
    if (link.sequence != 0)
      step_result(link);
    else
      step_statement(link);
    for (auto [at, end] = held_at_.equal_range(link.link); at != end; ++at)
      compare(*at->second, link, id_before);
    before_ = link.sha256;
    report_.head = link;
  }

  void compare(const HeldEntry& held, const ChainEntry& link, const std::string& id_before) {
    if (held.sha256 != link.sha256)
      fault(link.sequence, fmt::format("link {} is not what {}: the store was rewritten", link.link,
                                       held.who.empty() ? "is held elsewhere" : held.who + " says"));
    else if (!held.store.empty() && held.store != id_ && held.store != id_before)
      fault(link.sequence,
            fmt::format("{} is of store {}, link {} of store {}", held.who, held.store, link.link, id_));
    else if (held.in_store)
      report_.signed_link = link.link, report_.signed_result = report_.last;
  }

  void step_statement(const ChainEntry& link) {
    if (chain_hash(before_, id_, link.statement) != link.sha256)
      fault(0, fmt::format("statement {} was altered, or what stands before it", link.link));
    Renewal renewal;
    if (is_statement(link.statement, renewal)) {
      id_ = renewal.id;
      given_ = renewal.given;
      if (report_.renewals.size() < ChainReport::most_told)
        report_.renewals.push_back(words_of(link.statement));
      return;
    }
    if (link.link == 1) is_begin_ = link.statement.rfind(R"({"what":"made")", 0) == 0;
    if (report_.statements.size() == ChainReport::most_told)
      report_.statements.erase(report_.statements.begin());
    report_.statements.push_back(words_of(link.statement));
  }

  void step_result(const ChainEntry& link) {
    ++report_.results;
    if (report_.first == 0) report_.first = link.sequence;
    const std::uint64_t before = std::max(report_.last, given_);
    if ((before != 0 || is_begin_) && link.sequence != before + 1)
      fault(link.sequence, before == 0 ? "is the first of a store that was made empty"
                                       : fmt::format("follows result {}", before));
    report_.last = link.sequence;
    while (have_row_ && row_.sequence < link.sequence) unknown_row();
    if (!have_row_ || row_.sequence != link.sequence)
      return fault(link.sequence, "is missing: it was taken out, and no statement says so");
    row_.store_id = id_;
    if (chain_hash(before_, row_) != link.sha256)
      fault(link.sequence, "was altered, or what stands before it");
    next_row();
  }

  void next_row() {
    have_row_ = rows_.step();
    if (have_row_) row_ = row_of(rows_, report_.store_id);
  }
  void unknown_row() {
    fault(row_.sequence, "is not in the chain: it was put in");
    next_row();
  }

  /// Hash before the first entry: where retention removed the entries before it, a later statement gives their last hash.
  std::string hash_before(const ChainEntry& first) {
    if (first.link == 1) return std::string(chain_begin);
    sqlite::Statement rows(
        db_, file_,
        (std::string(link_columns) + "WHERE statement LIKE '{\"what\":\"removed\"%' ORDER BY link DESC")
            .c_str());
    while (rows.step()) {
      Removal removal;
      if (is_statement(rows.text(2), removal) && removal.last_link + 1 == first.link)
        return removal.last_sha256;
    }
    fault(first.sequence,
          fmt::format("the chain begins at link {}, and no statement says what was before", first.link));
    return "unknown";
  }

  /// Id that the first entry is hashed with: the oldest statement of a renewal gives it.
  std::string first_id() {
    sqlite::Statement rows(
        db_, file_,
        (std::string(link_columns) + "WHERE statement LIKE '{\"what\":\"renewed\"%' ORDER BY link").c_str());
    Renewal renewal;
    while (rows.step())
      if (is_statement(rows.text(2), renewal)) return renewal.former_id;
    return report_.store_id;
  }

  template <class Statement>
  static bool is_statement(const std::string& text, Statement& statement) {
    try {
      return from_statement(text, statement);
    } catch (const std::runtime_error&) {  // reported when the walk reaches it
      return false;
    }
  }

  /// The store's own row counts the sequence numbers that were given.
  void check_count() {
    const std::uint64_t counted = last_given(db_, file_);
    const std::uint64_t last = std::max(report_.last, given_);
    if (report_.links > 0 && last != counted)
      fault(counted, fmt::format("was the newest; the chain ends with {}", last));
  }

  void check_held(const HeldEntry& held) {
    const std::string who = held.who.empty() ? "" : fmt::format(" by {}", held.who);
    if (held.link > report_.head.link)
      fault(0, fmt::format(
                   "link {} is held elsewhere{}, the chain ends with {}: it was cut, or is of another store",
                   held.link, who, report_.head.link));
    else if (held.link + 1 < first_link_ && held.who.empty())
      fault(0, fmt::format("link {} was removed since; hold a newer one", held.link));
    else if (held.link < first_link_ && !held.in_store)
      report_.removed_heads.push_back(fmt::format(
          "{} is of link {}, which retention removed since; keep a newer one", held.who, held.link));
  }

  void fault(std::uint64_t sequence, const std::string& what) {
    ++report_.faults;
    if (report_.first_faults.size() < ChainReport::most_told)
      report_.first_faults.push_back({sequence, what});
  }

  sqlite3* db_;
  const fs::path& file_;
  const std::vector<HeldEntry>& held_;
  std::multimap<std::uint64_t, const HeldEntry*> held_at_;  // by entry number
  sqlite::Statement rows_;
  StoredResult row_;
  bool have_row_ = false;
  std::uint64_t first_link_ = 0;
  std::string before_, id_;  // of the entry before the next one
  std::uint64_t given_ = 0;  // highest sequence number that a renewal states
  bool is_begin_ = false;    // the chain begins with the creation of the store
  ChainReport report_;
};

}  // namespace

ChainReport check_chain(const fs::path& file, const std::vector<HeldEntry>& held) {
  if (!fs::exists(file))
    throw StoreError(StoreError::Kind::missing, file.string() + ": no result store there");
  const sqlite::Connection db = sqlite::open(file, SQLITE_OPEN_READONLY);
  sqlite3_busy_timeout(db.get(), 2000);
  if (readable_schema(db.get(), file) < 2)
    throw StoreError(
        StoreError::Kind::corrupt,
        file.string() + ": a store of schema 1 has no chain; it gets one when this datumd starts with it");
  sqlite::execute(db.get(), file, "BEGIN");  // one snapshot for all reads
  return Walk(db.get(), file, held).run();
}

}  // namespace datum
