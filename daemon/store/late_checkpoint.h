// Checkpoints of a store's WAL, as SQLite's automatic one: the pages are copied into the file, and both are synchronised. A commit
// that hosts wait for, a result's, leaves it to the commit of the times behind it, as long as that comes. A checkpoint that readers
// keep from starting the WAL anew is made again after as many pages, not after each commit: it synchronises two files.
#pragma once

#include <sqlite3.h>

namespace datum {

class LateCheckpoint {
 public:
  /// Takes the place of the automatic one of `db`, which makes no commit after this object's end.
  explicit LateCheckpoint(sqlite3* db) { sqlite3_wal_hook(db, &LateCheckpoint::committed, this); }
  LateCheckpoint(const LateCheckpoint&) = delete;
  LateCheckpoint& operator=(const LateCheckpoint&) = delete;

  /// While it lives, hosts wait for the commit.
  class Awaited {
   public:
    explicit Awaited(LateCheckpoint& of) : of_(of) { of_.is_awaited_ = true; }
    ~Awaited() { of_.is_awaited_ = false; }
    Awaited(const Awaited&) = delete;
    Awaited& operator=(const Awaited&) = delete;

   private:
    LateCheckpoint& of_;
  };

 private:
  /// A failed checkpoint is tried again after the next commit.
  static int committed(void* self, sqlite3* db, const char* name, int wal_pages) {
    constexpr int pages = 1000, awaited_pages = 4000;  // the first is SQLite's own number
    auto& it = *static_cast<LateCheckpoint*>(self);
    if (wal_pages < it.checked_pages_) it.checked_pages_ = 0;  // it began anew
    if (wal_pages - it.checked_pages_ >= (it.is_awaited_ ? awaited_pages : pages) &&
        sqlite3_wal_checkpoint_v2(db, name, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr) == SQLITE_OK)
      it.checked_pages_ = wal_pages;
    return SQLITE_OK;
  }

  bool is_awaited_ = false;
  int checked_pages_ = 0;  // of the WAL at the last checkpoint
};

}  // namespace datum
