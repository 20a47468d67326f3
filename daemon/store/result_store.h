// Result store: a verdict is durable before it is announced, and its sequence number is never given twice.
//
// SQLite in WAL mode with synchronous=FULL. One writer per file (a lock file beside it says so); any number
// of readers (datumctl) while it runs. A stored row names what is searched for and holds the whole verdict as
// JSON. Each is a link of a chain of hashes (result_chain.h); results only go by remove_oldest, which says so there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "daemon/inspection/verdict/verdict.h"
#include "daemon/sign/signed_head.h"
#include "daemon/store/result_chain.h"

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
/// The row of a verdict whose JSON is `json`.
StoredResult row_of(const BoardVerdict& verdict, std::string json);

struct ResultFilter {
  std::optional<Decision> decision;
  std::optional<std::string> recipe, unit_id;
  std::optional<std::uint64_t> after;       // sequence numbers above this one, for a replay in order
  std::optional<std::string> from, before;  // measured_at, ISO 8601 UTC; `before` itself is left out
};
enum class ResultOrder : std::uint8_t { newest_first, oldest_first };

/// An id under which the store went before (Renewal in result_chain.h).
struct FormerId {
  std::uint64_t link = 0;  // of the statement
  std::string id;
  std::uint64_t last = 0;   // the newest result there was
  std::uint64_t given = 0;  // no result has a number above `last` and up to this one
};

/// How many results there are, and which. Their numbers have no holes but those that the former ids name.
struct StoreExtent {
  std::uint64_t count = 0;
  std::uint64_t first = 0, last = 0;  // sequence numbers, 0 where empty
  std::string store_id;
  std::uint64_t given{};           // the highest number that was given
  std::vector<FormerId> former{};  // oldest first; those whose results have all been removed are left out

  /// The highest number that a host can have.
  std::uint64_t highest() const { return given > last ? given : last; }
  /// The oldest result above a number; 0: there is none.
  std::uint64_t next(std::uint64_t after) const;
  /// Where a run of numbers that no result has begins at `sequence`: its last one; otherwise 0.
  std::uint64_t hole(std::uint64_t sequence) const;
  /// How many results have numbers above this one.
  std::uint64_t count_above(std::uint64_t sequence) const;
  /// The highest number with at least so many results above it.
  std::uint64_t below_newest(std::uint64_t results) const;
  /// Up to which number a host has the results of this store that has all up to `sequence` of the store `id`; none: that
  /// id says nothing about this store.
  std::optional<std::uint64_t> position_of(const std::string& id, std::uint64_t sequence) const;
};

/// Which results go, oldest first until one does not.
struct RemovalOrder {
  std::uint64_t up_to = 0;         // none above this one
  std::string measured_before;     // only what was measured before this time, ISO 8601; empty: at any time
  std::uint64_t most = 32;         // at once: the store takes no result meanwhile
  std::string rule, utc;           // why and when, for the chain
  std::function<bool()> enough{};  // asked before each but the first; true: no more at once
};

/// A number of this store's that somebody holds.
struct HeldPosition {
  std::uint64_t sequence = 0;  // 0: nobody
  std::string who;             // in words
};

/// What opening a store for writing may have to do.
struct StoreOpening {
  std::string utc{};  // now, ISO 8601, for the statement that it was made or migrated; empty: not stated
  /// Migrating a large store takes as long as reading it: told every few hundred results.
  std::function<void(std::uint64_t done, std::uint64_t of)> progress{};
  /// The highest number that somebody beside the store holds of a store with this id.
  std::function<HeldPosition(const std::string& store_id)> held{};
};

class ResultStore {
 public:
  /// Opens for writing, creates the file where there is none (its folder must exist), brings an older schema
  /// forward, and gives it another id where it was set back or is a copy (store_renewal.h). Throws StoreError.
  explicit ResultStore(const std::filesystem::path& file, const StoreOpening& opening = {});
  /// Reads beside a running daemon; store() then throws std::logic_error. Throws StoreError.
  static ResultStore read_only(const std::filesystem::path& file);
  ~ResultStore();
  ResultStore(ResultStore&&) noexcept;
  ResultStore& operator=(ResultStore&&) noexcept;

  /// Random id of this file, 16 hex digits: with it a wiped, replaced or set back store is seen, although its numbers
  /// begin anew or go on.
  const std::string& id() const { return id_; }
  /// That opening it gave it another id.
  const std::optional<Renewal>& renewed() const { return renewed_; }
  /// Gives it another id, since somebody holds a number that it never gave. Throws StoreError and changes nothing.
  Renewal renew(const HeldPosition& held, const std::string& utc);

  /// Gives the verdict its sequence and store_id and commits it. Returns the sequence only when it is on the
  /// disk and the store still has its name. Throws StoreError and leaves the verdict as it was; it is then not to be announced.
  std::uint64_t store(BoardVerdict& verdict);

  /// Commits links that state these, in this order. Throws StoreError and then states none of them.
  void state(const std::vector<std::string>& statements);

  /// Keeps heads of its chain that a signer signed. Throws StoreError and then keeps none of them.
  void keep_signed(const std::vector<SignedHead>& heads);
  /// The newest of them as it was kept; none: there is none.
  std::optional<std::string> signed_head();

  /// Throws StoreError (io) where the store's files lost their names since it was opened: nothing is stored then.
  void check_present() const;

  std::optional<StoredResult> latest();
  std::optional<StoredResult> get(std::uint64_t sequence);
  std::vector<StoredResult> list(const ResultFilter& filter, std::uint64_t limit,
                                 ResultOrder order = ResultOrder::newest_first);
  /// Sequence of the newest result of this very frame: same id and same bytes.
  std::optional<std::uint64_t> already_measured(const std::string& frame_id, const std::string& frame_sha256);
  StoreExtent extent();

  /// The newest link of the chain. None: a store of schema 1, which only its writer brings forward.
  std::optional<ChainEntry> head();
  /// Hash of a stored result's link; empty where it has none.
  std::string chain_sha256(std::uint64_t sequence);

  /// That the mark (store_mark.h) could not be written since the store was opened: a store that is put back while datumd does
  /// not run might not be noticed.
  bool mark_failed() const;

  /// Takes the oldest results out as `order` says, never the newest; the chain then states it. Their space is used
  /// again by results to come. It does not wait for the disk: a power cut may bring them back, until a result was stored
  /// after that. Throws StoreError and changes nothing.
  Removal remove_oldest(const RemovalOrder& order);
  /// Bytes of the file without the pages that wait for results to come.
  std::uint64_t used_bytes();
  /// The time of day up to which somebody vouched for this computer's clock, as keep_clock was told last; empty: nobody.
  std::string kept_clock();
  void keep_clock(const std::string& utc);

 private:
  struct Impl;
  struct Reading {};
  ResultStore(const std::filesystem::path& file, Reading);
  std::unique_ptr<Impl> impl_;
  std::string id_;
  std::optional<Renewal> renewed_;
};

}  // namespace datum
