// Whole copies of a result store, also while datumd writes to it, and how one is put back.
//
// A backup is one file without a -wal, read as any store. Its table copy says when it was made and how far the store had got:
// it is verified against that, and datumd never goes on with it under its id (store_renewal.h).
#pragma once

#include <sqlite3.h>

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>

#include "daemon/store/chain_check.h"

namespace datum {

/// What a backup says of itself.
struct BackupNote {
  std::string utc;
  ChainEntry head;          // link and SHA-256 of the newest link; without them where the store had no chain
  std::uint64_t given = 0;  // the highest number that the store had given
};
/// None: the file is no backup. The file is a store.
std::optional<BackupNote> backup_note_of(sqlite3* db, const std::filesystem::path& file);

/// The copy, or what it replaces, is not what it must be; what() says what was left where.
class BackupError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Backup {
  BackupNote note;
  ChainReport report;  // of the copy
};
/// Copies `store` as it is at one moment to `to`, which must not exist: the copy is verified, on the disk, and then appears
/// under its name in one step. A fault in the chain is copied too and told in the report. Throws StoreError, BackupError.
Backup back_up(const std::filesystem::path& store, const std::filesystem::path& to, const std::string& utc);

struct Restored {
  Backup backup;
  std::filesystem::path set_aside;  // the store that was there; empty: there was none
};
/// Puts a copy in the place of `store` while no datumd writes there; what was there is set aside, never deleted. The copy must
/// be as it was written. datumd gives it another id at its next start. Throws StoreError, BackupError, and changes nothing.
Restored put_back(const std::filesystem::path& backup, const std::filesystem::path& store,
                  const std::string& utc);

}  // namespace datum
