// A store that was set back would give sequence numbers again that hosts already know. It keeps its id only where the
// mark beside it (store_mark.h) confirms its progress. Otherwise it gets another id, which the chain states, and its next
// number is above every known one. Detected cases:
//
//   the mark has a higher number                   the store was restored from a copy
//   the mark has another hash of its number        another branch of the store took its place
//   the mark is a copy, missing, or of another id  the store was copied, or its whole folder was restored
//   the file is a backup (store_backup.h)          it was restored
//   a host, or its stored position, is ahead       the store and its mark were restored together
//
// Results before the statement keep the id of their announcement; sequence numbers have a gap up to the highest known
// one.
#pragma once

#include <sqlite3.h>

#include <filesystem>
#include <optional>

#include "daemon/store/result_store.h"
#include "daemon/store/store_mark.h"

namespace datum {

/// A position further ahead is treated as a fault of its holder: it causes another id, but no gap. One year of boards
/// every 30 s.
inline constexpr std::uint64_t most_skipped = 1'000'000;

struct SetBack {
  std::uint64_t given = 0;  // highest sequence number known to have been given
  std::string why;
};

/// None: the store keeps its id. `schema`: before the opening for writing; schemas before 3 had no mark.
std::optional<SetBack> find_set_back(sqlite3* db, const std::filesystem::path& file, std::int64_t schema,
                                     const std::optional<Mark>& mark, const StoreOpening& opening);
/// The case of a held position that is ahead.
SetBack set_back_by(const HeldPosition& held, std::uint64_t last_given);

/// Assigns another id in one transaction; the mark records it first. Throws StoreError and changes nothing.
Renewal renew_store(sqlite3* db, const std::filesystem::path& file, StoreMark& mark, const SetBack& found,
                    const std::string& utc);

}  // namespace datum
