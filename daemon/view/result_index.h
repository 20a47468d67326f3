// An index beside the store, of datumd-view's own: what the pages search by and the store has no index for. It holds nothing that is
// not in the store, and is made anew where it is missing, damaged, of another store or another form.
//
//   board        a row a result: time, unit, recipe, decision, whether it is of an artefact
//   series       recipe, component, characteristic
//   day          sums of a series for each UTC day, so that a year is 366 rows
//   calibration  results by calibration
//   word         texts by number
//   summary      what a lot needs of a result (BoardSummary), so that no verdict's text is read for it
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "daemon/report/lot.h"
#include "daemon/store/sqlite.h"
#include "daemon/view/result_reader.h"

namespace datum {

struct IndexedBoard {
  std::uint64_t sequence = 0;
  std::string measured_at, unit_id, recipe;
  Decision decision = Decision::invalid;
  bool artefact = false;  // of a reference check: no product
};

/// What a list says of a result beside its decision.
struct BoardNote {
  std::string why;        // it did not pass, in words
  bool artefact = false;  // of a reference check: no product
};

struct SeriesName {
  std::string recipe, reference, what;
};

/// One UTC day of a series. Sums are of measured values: INVALID has none.
struct SeriesDay {
  std::string day;  // "2026-11-23"
  std::uint64_t decisions[4] = {};
  std::uint64_t n = 0;
  double mean = 0, least = 0, most = 0;
};

struct CalibrationUse {
  std::string id, sha256, first_at, last_at;
  std::uint64_t results = 0, first = 0, last = 0;
};

class ResultIndex {
 public:
  /// Opens or makes the file. `for_reading`: of a page; it is never made then. Throws StoreError.
  enum class Access : std::uint8_t { reading, writing };
  ResultIndex(const std::filesystem::path& file, Access access);

  /// Takes the next results of the store, at most `most`; the number that was taken. An index of another store begins anew, and what
  /// retention removed goes.
  std::size_t take(ResultReader& store, std::size_t most);

  struct Progress {
    std::string store_id;
    std::uint64_t last = 0;  // the newest result that it has
  };
  Progress progress();
  /// In the store's order, above `after`.
  std::vector<IndexedBoard> oldest_after(std::uint64_t after, std::size_t most);
  /// Newest first. Exact text of the unit; a unit that begins with it follows, then panels with such a board. Each result once.
  std::vector<IndexedBoard> by_unit(const std::string& unit, std::size_t most);
  /// The newest `most` of a choice, in the store's order, without readings of artefacts.
  std::vector<std::uint64_t> choice(const std::string& recipe, const std::string& from,
                                    const std::string& before, std::size_t most);
  /// Adds these results to a lot, in this order; those that are not in the index are left out. Throws StoreError, PageTimeout after
  /// `until`.
  void add_to(Lot& lot, const std::vector<std::uint64_t>& sequences,
              std::chrono::steady_clock::time_point until);
  /// None: it is not in the index.
  std::optional<BoardNote> note(std::uint64_t sequence);
  std::vector<std::string> recipes(std::size_t most);
  /// Of a recipe.
  std::vector<SeriesName> series(const std::string& recipe, std::size_t most);
  /// Rising days.
  std::vector<SeriesDay> days(const SeriesName& name, const std::string& from, std::size_t most);
  std::vector<CalibrationUse> calibrations(std::size_t most);

 private:
  void make();
  void begin_anew(const std::string& store_id);
  void remove_below(std::uint64_t first);

  std::filesystem::path file_;
  sqlite::Connection db_;
};

}  // namespace datum
