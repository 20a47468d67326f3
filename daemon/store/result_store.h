// Result store: a verdict is durable before it is announced, and its sequence number is never given twice.
//
// SQLite in WAL mode with synchronous=FULL. One writer per file, by a lock file beside it; any number of readers
// (datumctl) at the same time. A row has the searchable fields and the whole verdict as JSON. Each result is an entry of
// a hash chain (result_chain.h). Only remove_oldest removes results, and the chain states each removal.
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
#include "daemon/store/chart_records.h"
#include "daemon/store/check_records.h"
#include "daemon/store/result_chain.h"
#include "daemon/store/result_times.h"

namespace datum {

namespace quality {
struct SeriesBefore;
}

/// The store failed; what() gives the file, the fault and the remedy.
class StoreError : public std::runtime_error {
 public:
  enum class Kind : std::uint8_t {
    missing,      // no such file (read-only access)
    not_a_store,  // another program's file, or not SQLite
    newer,        // made by a newer datumd
    locked,       // another writer holds it
    full,         // no space on the device, or the file size limit of the process
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

/// Text of a recipe's file, which is kept beside the results that were measured by it.
struct RecipeText {
  std::string sha256, name;
  std::shared_ptr<const std::string> text;  // null: it is not kept
};

struct ResultFilter {
  std::optional<Decision> decision;
  std::optional<std::string> recipe, unit_id;
  std::optional<std::uint64_t> after;       // sequence numbers above this one, for reading in order
  std::optional<std::string> from, before;  // measured_at, ISO 8601 UTC; `before` is exclusive
  /// Of the unit, or of a board of a panel; every verdict's text is read.
  std::optional<std::string> board_serial = std::nullopt;
  std::optional<std::uint64_t> up_to = std::nullopt;  // sequence numbers up to this one
};

/// A member of a verdict's JSON that names this serial number.
std::string serial_in_json(const std::string& serial);

enum class ResultOrder : std::uint8_t { newest_first, oldest_first };

/// A former id of the store (Renewal in result_chain.h).
struct FormerId {
  std::uint64_t link = 0;  // entry number of the statement
  std::string id;
  std::uint64_t last = 0;   // the newest result under this id
  std::uint64_t given = 0;  // no result has a sequence number above `last` and up to this one
};

/// Number and range of the results. Sequence numbers have no gaps except those that the former ids state.
struct StoreExtent {
  std::uint64_t count = 0;
  std::uint64_t first = 0, last = 0;  // sequence numbers, 0: empty
  std::string store_id;
  std::uint64_t given{};           // highest sequence number given
  std::vector<FormerId> former{};  // oldest first; without those whose results have all been removed

  /// Highest sequence number that a host can hold.
  std::uint64_t highest() const { return given > last ? given : last; }
  /// The oldest result above a sequence number; 0: none.
  std::uint64_t next(std::uint64_t after) const;
  /// The last number of a gap that begins at `sequence`; 0: no gap begins there.
  std::uint64_t hole(std::uint64_t sequence) const;
  /// Number of results above a sequence number.
  std::uint64_t count_above(std::uint64_t sequence) const;
  /// The highest number with at least this number of results above it.
  std::uint64_t below_newest(std::uint64_t results) const;
  /// Position in this store of a host that has everything up to `sequence` of the store `id`; none: the id is unknown
  /// here.
  std::optional<std::uint64_t> position_of(const std::string& id, std::uint64_t sequence) const;
};

/// Order to remove results, oldest first, until one must stay.
struct RemovalOrder {
  std::uint64_t up_to = 0;         // sequence number, inclusive
  std::string measured_before;     // exclusive bound of measured_at, ISO 8601; empty: any time
  std::uint64_t most = 32;         // per call: the store accepts no result meanwhile
  std::string rule, utc;           // reason and time for the chain
  std::function<bool()> enough{};  // called before each removal after the first; true: stop
};

/// A sequence number of this store that somebody holds.
struct HeldPosition {
  std::uint64_t sequence = 0;  // 0: none
  std::string who;             // as text
};

/// Inputs for opening a store for writing.
struct StoreOpening {
  // Now, ISO 8601, for the statement of creation or migration; empty: no time in the statement.
  std::string utc{};
  /// Progress of a migration, which reads the whole store; called every few hundred results.
  std::function<void(std::uint64_t done, std::uint64_t of)> progress{};
  /// The highest sequence number of the store with this id that is held outside of the store.
  std::function<HeldPosition(const std::string& store_id)> held{};
};

class ResultStore {
 public:
  /// Opens for writing and creates a missing file (its folder must exist). Migrates an older schema, and assigns another
  /// id to a store that was set back or copied (store_renewal.h). Throws StoreError.
  explicit ResultStore(const std::filesystem::path& file, const StoreOpening& opening = {});
  /// Opens for reading beside a running daemon; store() then throws std::logic_error. Throws StoreError.
  static ResultStore read_only(const std::filesystem::path& file);
  ~ResultStore();
  ResultStore(ResultStore&&) noexcept;
  ResultStore& operator=(ResultStore&&) noexcept;

  /// Random id of this file, 16 hex digits. It reveals an emptied, replaced or set back store even where the numbers
  /// continue.
  const std::string& id() const { return id_; }
  /// The renewal at opening; none: the id stayed.
  const std::optional<Renewal>& renewed() const { return renewed_; }
  /// Assigns another id, since a holder knows a number that was never given. Throws StoreError and changes nothing.
  Renewal renew(const HeldPosition& held, const std::string& utc);

  /// Assigns sequence and store_id and commits the verdict. Returns the sequence number when the result is on the disk
  /// and the store still has its name. Throws StoreError and leaves the verdict unchanged; it must then not be announced.
  std::uint64_t store(BoardVerdict& verdict);
  /// The same for several in this order, with one synchronisation: all or none. `recipes`: one for each verdict, or none;
  /// the first result of a recipe keeps its text in the same transaction.
  void store(const std::vector<BoardVerdict*>& verdicts, const std::vector<RecipeText>& recipes = {});

  /// Commits entries with these statements in this order. Throws StoreError and then commits none.
  void state(const std::vector<std::string>& statements);

  /// Commits records of reference checks with their statements. Throws StoreError and then commits none.
  void keep_checks(const std::vector<CheckRecord>& records);

  /// Commits records of control charts with their statements, and the result up to which all are watched. Throws StoreError and then commits
  /// none.
  void keep_charts(const std::vector<ChartRecord>& records, std::uint64_t watched,
                   const std::vector<ChartCheckpoint>& checkpoints = {});

  /// Stores signed heads of its chain. Throws StoreError and then stores none.
  void keep_signed(const std::vector<SignedHead>& heads);
  /// The newest stored signed head; none: there is none.
  std::optional<std::string> signed_head();

  /// Keeps times of results beside them (result_times.h). Does not wait for the disk. Throws StoreError and then keeps none.
  void keep_times(const std::vector<ResultTimes>& times);
  /// The kept times of a result; none: it has none.
  std::optional<std::string> times(std::uint64_t sequence);

  /// Once for each 4 MB of its WAL: true, checkpoint() is due, on a thread for which no host waits. Commits leave it to the caller from the
  /// first call on; without one they make it themselves, and the next result waits for it.
  bool checkpoint_due();
  /// Copies what is committed from the WAL into the store's file and synchronises both, by a connection of its own: a commit on another
  /// thread does not wait for it. Throws StoreError; it can be made again at any time.
  static void checkpoint(const std::filesystem::path& file);

  /// The kept text of a recipe by its SHA-256; none: it is not kept. Throws StoreError (corrupt) where the text has another hash.
  std::optional<std::string> recipe_text(const std::string& sha256);

  /// Throws StoreError (io) where the store's files lost their names since the opening: no result is stored then.
  void check_present() const;

  std::optional<StoredResult> latest();
  std::optional<StoredResult> get(std::uint64_t sequence);
  std::vector<StoredResult> list(const ResultFilter& filter, std::uint64_t limit,
                                 ResultOrder order = ResultOrder::newest_first);
  /// Sequence number of the newest result of the same frame: equal id and equal bytes.
  std::optional<std::uint64_t> already_measured(const std::string& frame_id, const std::string& frame_sha256);
  StoreExtent extent();

  /// The newest entry of the chain. None: a store of schema 1, which only a writer migrates.
  std::optional<ChainEntry> head();
  /// Hash of the entry of a result; empty: it has none.
  std::string chain_sha256(std::uint64_t sequence);

  /// True: a write of the mark (store_mark.h) failed since the opening. A store that is set back while datumd is stopped
  /// might then go unnoticed.
  bool mark_failed() const;

  /// Removes the oldest results by `order`, never the newest; the chain states the removal, and their sums stay. Later results reuse the
  /// space. It does not wait for the disk: a power cut before the next stored result may undo it. Throws StoreError and
  /// changes nothing.
  Removal remove_oldest(const RemovalOrder& order);
  /// Sums of removed results by the filter's recipe and whole days, for a SeriesBook to go on from. It asks this store for units as long
  /// as it lives. Throws StoreError.
  quality::SeriesBefore removed_series(const ResultFilter& filter);
  /// All reads of its life see the same state. For a store that was opened for reading.
  class Snapshot {
   public:
    /// Throws StoreError.
    explicit Snapshot(ResultStore& store);
    ~Snapshot();
    Snapshot(const Snapshot&) = delete;
    Snapshot& operator=(const Snapshot&) = delete;

   private:
    ResultStore& store_;
  };
  /// Bytes of the file without free pages.
  std::uint64_t used_bytes();
  /// The last time of day with a trusted clock, by keep_clock(); empty: none.
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
