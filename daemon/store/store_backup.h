// Backup of a result store, also while datumd writes to it, and its restoration.
//
// A backup is one file without a -wal, readable like any store. Its table `copy` holds its time and the state of the
// store, against which it is verified. datumd never continues it under its id (store_renewal.h).
#pragma once

#include <sqlite3.h>

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>

#include "daemon/store/chain_check.h"

namespace datum {

/// Content of the table `copy`.
struct BackupNote {
  std::string utc;
  ChainEntry head;          // number and SHA-256 of the newest entry; empty for a store without chain
  std::uint64_t given = 0;  // highest sequence number that the store had given
};
/// None: the file is not a backup. The file must be a store.
std::optional<BackupNote> backup_note_of(sqlite3* db, const std::filesystem::path& file);

/// The copy, or the file it replaces, is not valid; what() gives the remaining files.
class BackupError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Backup {
  BackupNote note;
  ChainReport report;  // of the copy
};
/// Copies a snapshot of `store` to `to`, which must not exist. The copy is verified and on the disk before it appears
/// under its name. A fault in the chain is copied too and reported. Throws StoreError, BackupError.
Backup back_up(const std::filesystem::path& store, const std::filesystem::path& to, const std::string& utc);

struct Restored {
  Backup backup;
  std::filesystem::path set_aside;  // the former store; empty: there was none
};
/// Replaces `store` by a backup while no datumd writes there; the former store is renamed, never deleted. The backup must
/// be unaltered. datumd assigns another id at its next start. Throws StoreError, BackupError, and changes nothing.
Restored put_back(const std::filesystem::path& backup, const std::filesystem::path& store,
                  const std::string& utc);

}  // namespace datum
