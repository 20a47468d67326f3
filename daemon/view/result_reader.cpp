#include "daemon/view/result_reader.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include "daemon/report/page_text.h"
#include "daemon/store/recipe_archive.h"
#include "daemon/store/store_rows.h"
#include "daemon/store/store_schema.h"

namespace datum {
namespace {

namespace fs = std::filesystem;

constexpr int busy_timeout_ms = 100;
constexpr int steps_between_looks = 1000;  // virtual machine instructions of SQLite, some 10 us

fs::path beside(const fs::path& store, const char* ending) { return store.string() + ending; }

/// A file: URI whose path no character can end.
std::string unchanging_uri(const fs::path& file) {
  std::string uri = "file:";
  for (const fs::path& part : fs::absolute(file).relative_path()) uri += "/" + url_part(part.string());
  return uri + "?immutable=1";
}

bool has_wal(const fs::path& store) {
  std::error_code ignored;
  const auto bytes = fs::file_size(beside(store, "-wal"), ignored);
  return !ignored && bytes > 0;
}

}  // namespace

ResultReader::ResultReader(fs::path store, std::chrono::milliseconds limit)
    : file_(std::move(store)), until_(std::chrono::steady_clock::now() + limit) {
  std::error_code ignored;
  if (!fs::exists(file_, ignored))
    throw StoreError(StoreError::Kind::missing,
                     file_.string() + ": no result store there; datumd makes it with its first start");
  try {
    open(false);
  } catch (const StoreError&) {
    // Without a WAL, and without the right to make its index, SQLite can't read the file as one that a writer may change.
    if (has_wal(file_)) throw;
    open(true);
  }
}

void ResultReader::open(bool immutable) {
  if (immutable) seen_ = Seen{fs::last_write_time(file_), fs::file_size(file_)};
  db_ = immutable ? sqlite::open(unchanging_uri(file_), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
                  : sqlite::open(file_, SQLITE_OPEN_READONLY);
  sqlite3_busy_timeout(db_.get(), busy_timeout_ms);
  sqlite3_progress_handler(
      db_.get(), steps_between_looks,
      [](void* self) -> int {
        return std::chrono::steady_clock::now() > static_cast<const ResultReader*>(self)->until_;
      },
      this);
  const std::int64_t schema = readable_schema(db_.get(), file_);
  id_ = store_id_of(db_.get(), file_);
  if (schema >= 3) former_ = former_ids_of(db_.get(), file_);
}

template <class Read>
auto ResultReader::timed(Read&& read) {
  try {
    if (std::chrono::steady_clock::now() > until_) throw PageTimeout("the page takes too long");
    return read();
  } catch (const StoreError&) {
    if ((sqlite3_errcode(db_.get()) & 0xff) == SQLITE_INTERRUPT) throw PageTimeout("the page takes too long");
    throw;
  }
}

std::vector<StoredResult> ResultReader::rows(const std::string& columns, const char* where,
                                             std::uint64_t bound, std::size_t most) {
  return timed([&] {
    sqlite::Statement rows(db_.get(), file_, (columns + where + " LIMIT ?2").c_str());
    rows.bind(1, static_cast<std::int64_t>(bound)).bind(2, static_cast<std::int64_t>(most));
    std::vector<StoredResult> found;
    while (rows.step())
      found.push_back(
          known_row_of(rows, id_at_sequence(former_, static_cast<std::uint64_t>(rows.integer(0)), id_)));
    return found;
  });
}

std::vector<StoredResult> ResultReader::newest(std::size_t most, std::optional<std::uint64_t> before) {
  constexpr std::uint64_t any = INT64_MAX;
  return rows(result_columns, "WHERE sequence < ?1 ORDER BY sequence DESC",
              std::min(before.value_or(any), any), most);
}

std::vector<StoredResult> ResultReader::newest_heads(std::size_t most) {
  return rows(
      "SELECT sequence, measured_at, unit_id, recipe, decision, reason, frame_id, frame_sha256, '' FROM "
      "result ",
      "WHERE sequence <= ?1 ORDER BY sequence DESC", INT64_MAX, most);
}

std::vector<StoredResult> ResultReader::oldest_after(std::uint64_t after, std::size_t most) {
  return rows(result_columns, "WHERE sequence > ?1 ORDER BY sequence", after, most);
}

std::optional<StoredResult> ResultReader::get(std::uint64_t sequence) {
  if (sequence > INT64_MAX) return std::nullopt;
  auto found = rows(result_columns, "WHERE sequence = ?1", sequence, 1);
  return found.empty() ? std::nullopt : std::optional(std::move(found.front()));
}

std::string ResultReader::chain_sha256(std::uint64_t sequence) {
  return timed([&]() -> std::string {
    return sqlite::has_table(db_.get(), file_, "chain") ? chain_sha256_of(db_.get(), file_, former_, sequence)
                                                        : "";
  });
}

std::optional<std::string> ResultReader::recipe_text(const std::string& sha256) {
  return timed([&] { return archived_recipe(db_.get(), file_, sha256); });
}

ResultReader::Extent ResultReader::extent() {
  return timed([&]() -> Extent {
    sqlite::Statement row(db_.get(), file_,
                          "SELECT (SELECT min(sequence) FROM result), (SELECT max(sequence) FROM result)");
    row.step();
    return {static_cast<std::uint64_t>(row.integer(0)), static_cast<std::uint64_t>(row.integer(1))};
  });
}

bool ResultReader::steady() const {
  if (!seen_) return true;
  std::error_code ignored;
  return !has_wal(file_) && fs::last_write_time(file_, ignored) == seen_->written &&
         fs::file_size(file_, ignored) == seen_->bytes;
}

std::string read_page(const fs::path& store, std::chrono::milliseconds limit,
                      const std::function<std::string(ResultReader&)>& make) {
  constexpr int tries = 3;
  for (int i = 1;; ++i) {
    ResultReader reader(store, limit);
    try {
      std::string page = make(reader);
      if (reader.steady()) return page;
    } catch (const StoreError&) {
      if (reader.steady() || i == tries) throw;
    }
    if (i == tries)
      throw StoreError(StoreError::Kind::locked,
                       store.string() + ": datumd starts; the page can be made again in a moment");
  }
}

}  // namespace datum
