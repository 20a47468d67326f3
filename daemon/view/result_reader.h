// Reads stored results for a page beside their writer, or while there is none.
//
// A reader is opened for one page and holds one snapshot at most as long as its time limit, so that it never holds the WAL's
// checkpoints back for longer. It takes no lock that a writer waits for: SQLite's readers of a WAL share theirs. It needs no right to
// write: a store that datumd ended cleanly has no WAL, and is then read as a file that does not change; `steady` tells afterwards
// whether that was so.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "daemon/store/result_store.h"
#include "daemon/store/sqlite.h"

namespace datum {

/// A page took longer than its limit.
class PageTimeout : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class ResultReader {
 public:
  /// All statements together take at most `limit`. Throws StoreError.
  ResultReader(std::filesystem::path store, std::chrono::milliseconds limit);
  ResultReader(const ResultReader&) = delete;
  ResultReader& operator=(const ResultReader&) = delete;

  const std::string& store_id() const { return id_; }
  /// Newest first, below `before` where one is given. Throws StoreError, PageTimeout.
  std::vector<StoredResult> newest(std::size_t most, std::optional<std::uint64_t> before = std::nullopt);
  /// The same without the verdicts' texts.
  std::vector<StoredResult> newest_heads(std::size_t most);
  /// Oldest first, above `after`.
  std::vector<StoredResult> oldest_after(std::uint64_t after, std::size_t most);
  std::optional<StoredResult> get(std::uint64_t sequence);
  std::string chain_sha256(std::uint64_t sequence);
  /// Of the recipe with this hash; none: it is not kept.
  std::optional<std::string> recipe_text(const std::string& sha256);
  struct Extent {
    std::uint64_t first = 0, last = 0;  // sequence numbers; 0: empty
  };
  Extent extent();

  /// False: a writer began meanwhile on a store that was read as one without a writer; what was read is worth nothing.
  bool steady() const;

 private:
  void open(bool immutable);
  std::vector<StoredResult> rows(const std::string& columns, const char* where, std::uint64_t bound,
                                 std::size_t most);
  template <class Read>
  auto timed(Read&& read);

  std::filesystem::path file_;
  std::chrono::steady_clock::time_point until_;
  sqlite::Connection db_;
  std::string id_;
  std::vector<FormerId> former_;
  struct Seen {
    std::filesystem::file_time_type written;
    std::uintmax_t bytes = 0;
  };
  std::optional<Seen> seen_;  // of a store that was read as one without a writer
};

/// Makes a page from a reader, again where the store changed under an unlocked one. Throws what `make` throws.
std::string read_page(const std::filesystem::path& store, std::chrono::milliseconds limit,
                      const std::function<std::string(ResultReader&)>& make);

}  // namespace datum
