// LotReporter: writes the page of a lot into a folder when the lot has ended, the same as `datumctl report lot` writes of its results.
//
// A lot is what follows from the store alone: successive results of one recipe, without readings of artefacts, at most so many, with
// less than a time between two of them. So a reporter that begins anew finds the same lots. In the folder lots.json has the newest
// result whose lot is reported; it is written behind its report, so that a lot may be reported twice by the same bytes, and is never
// forgotten. It reads the index and the store, in the process of datumd-view: no inspection waits for it.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "daemon/store/lot_settings.h"

namespace datum {

class ResultIndex;

struct LotReporterDependencies {
  LotSettings settings;
  std::filesystem::path store, index;
  std::uint64_t free_bytes = 0;  // that must be free where a report is written
  std::function<void(int priority, const std::string&)> log;
};

class LotReporter {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::seconds pause{60};  // after a failure

  explicit LotReporter(LotReporterDependencies dependencies) : deps_(std::move(dependencies)) {}

  /// Looks at the next results, or writes one report. True: there may be more to do at once. A failure is logged, once until another
  /// one or a success comes, and tried again after a pause. Throws nothing but std::bad_alloc.
  bool work(std::int64_t now_utc_s, Time now);

 private:
  struct Piece {
    std::string recipe;
    std::vector<std::uint64_t> results;
    std::int64_t last_utc_s = 0;
  };
  bool step(std::int64_t now_utc_s);
  void begin(ResultIndex& index);
  bool look(ResultIndex& index);
  bool is_idle(ResultIndex& index, std::int64_t now_utc_s) const;
  void write(ResultIndex& index);
  void keep(std::uint64_t reported);

  LotReporterDependencies deps_;
  std::string store_id_;  // empty: not begun
  std::uint64_t seen_ = 0;
  Piece open_;                  // without results: no lot is open
  std::optional<Piece> ended_;  // to be written
  std::string fault_;           // as it was logged last
  Time again_{};
};

}  // namespace datum
