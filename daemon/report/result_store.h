// Result store: a verdict is durable before it is announced, and its sequence number is never given twice.
//
// SQLite in WAL mode with synchronous=FULL. One writer per file (a lock file beside it says so); any number
// of readers (datumctl) while it runs. A stored row names what is searched for and holds the whole verdict as
// JSON.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "daemon/inspect/verdict.h"

namespace datum {

/// The store can't do what was asked; what() names the file, what is wrong and what to do.
class StoreError : public std::runtime_error {
 public:
  enum class Kind : std::uint8_t {
    missing,      // no such file (reading only)
    not_a_store,  // another program's file, or not SQLite at all
    newer,        // made by a newer datumd
    locked,       // another writer holds it
    full,         // no room left on the device, or the file size limit of the process
    corrupt,      // damaged content
    io,           // anything else: permission, read error
  };
  StoreError(Kind kind, const std::string& what) : std::runtime_error(what), kind_(kind) {}
  Kind kind() const { return kind_; }

 private:
  Kind kind_;
};

/// One row.
struct StoredResult {
  std::uint64_t sequence = 0;
  std::string store_id;
  std::string measured_at;  // ISO 8601 UTC
  std::string unit_id, recipe, frame_id, frame_sha256;
  Decision decision = Decision::invalid;
  std::string reason;  // name_of(Reason) of the board, "NONE" where there is none
  std::string json;    // to_json(verdict)

  /// Throws StoreError (corrupt) where the JSON is not a verdict.
  BoardVerdict verdict() const;
};

struct ResultFilter {
  std::optional<Decision> decision;
  std::optional<std::string> recipe, unit_id;
  std::optional<std::uint64_t> after;  // sequence numbers above this one, for a replay in order
};
enum class ResultOrder : std::uint8_t { newest_first, oldest_first };

/// How many results there are, and which.
struct StoreExtent {
  std::uint64_t count = 0;
  std::uint64_t first = 0, last = 0;  // sequence numbers, 0 where empty
  std::string store_id;
};

class ResultStore {
 public:
  /// Opens for writing, creates the file where there is none (its folder must exist). Throws StoreError.
  explicit ResultStore(const std::filesystem::path& file);
  /// Reads beside a running daemon; store() then throws std::logic_error. Throws StoreError.
  static ResultStore read_only(const std::filesystem::path& file);
  ~ResultStore();
  ResultStore(ResultStore&&) noexcept;
  ResultStore& operator=(ResultStore&&) noexcept;

  /// Random id of this file, 16 hex digits: with it a wiped or replaced store is seen, although its numbers
  /// begin anew.
  const std::string& id() const { return id_; }

  /// Gives the verdict its sequence and store_id and commits it. Returns the sequence only when it is on the
  /// disk. Throws StoreError and leaves the verdict as it was; the number is then not used up.
  std::uint64_t store(BoardVerdict& verdict);

  std::optional<StoredResult> latest();
  std::optional<StoredResult> get(std::uint64_t sequence);
  std::vector<StoredResult> list(const ResultFilter& filter, std::uint64_t limit,
                                 ResultOrder order = ResultOrder::newest_first);
  /// Sequence of the newest result of this very frame: same id and same bytes.
  std::optional<std::uint64_t> already_measured(const std::string& frame_id, const std::string& frame_sha256);
  StoreExtent extent();

 private:
  struct Impl;
  ResultStore(const std::filesystem::path& file, bool writer);
  std::unique_ptr<Impl> impl_;
  std::string id_;
};

}  // namespace datum
