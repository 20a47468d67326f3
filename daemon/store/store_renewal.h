// A store that was set back gives numbers again that hosts have already taken as others. So it goes on under its id only
// where the mark beside it (store_mark.h) vouches for that; otherwise it gets another id, which the chain states, and its next
// number is above every number that is known to have been given. What is seen:
//
//   the mark knows a higher number                 the store was put back from a copy
//   the mark knows another hash of its number      another branch of the store took its place
//   the mark is a copy, or missing, or another's   the store was copied, or its whole folder was put back
//   the file is a backup (store_backup.h)          it was put back
//   a host, or a host's kept position, is ahead    the store and its mark were put back together
//
// Results before the statement keep the id that they were announced with; numbers have a hole up to the highest one known.
#pragma once

#include <sqlite3.h>

#include <filesystem>
#include <optional>

#include "daemon/store/result_store.h"
#include "daemon/store/store_mark.h"

namespace datum {

/// A position further ahead is taken for a fault of whoever holds it: it makes another id, but no hole. A year of boards, one
/// each 30 s.
inline constexpr std::uint64_t most_skipped = 1'000'000;

struct SetBack {
  std::uint64_t given = 0;  // the highest number that is known to have been given
  std::string why;
};

/// None: the store may go on under its id. `schema`: as it was before it was opened for writing; those before 3 had no mark.
std::optional<SetBack> find_set_back(sqlite3* db, const std::filesystem::path& file, std::int64_t schema,
                                     const std::optional<Mark>& mark, const StoreOpening& opening);
/// Of a position that somebody holds.
SetBack set_back_by(const HeldPosition& held, std::uint64_t last_given);

/// Gives the store another id, in one transaction; the mark knows it before. Throws StoreError and changes nothing.
Renewal renew_store(sqlite3* db, const std::filesystem::path& file, StoreMark& mark, const SetBack& found,
                    const std::string& utc);

}  // namespace datum
