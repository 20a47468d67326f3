// Room for a store's WAL, written at the store's opening: a commit then writes over what the disk has, and its synchronisation
// need not make the file longer in the file system's own journal. SQLite ignores what follows the last frame of the WAL, and
// begins the WAL anew within this room after each checkpoint.
#pragma once

#include <filesystem>

namespace datum {

/// Writes zeros behind the WAL of this store and synchronises them. No other process may write the store meanwhile. Without room on
/// the device, or without a WAL, all is left as it was: a commit finds and says what is wrong.
void make_wal_room(const std::filesystem::path& store);

}  // namespace datum
