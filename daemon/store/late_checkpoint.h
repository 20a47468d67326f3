// Checkpoints of a store's WAL, as SQLite's automatic one: the pages are copied into the file, and both are synchronised. A commit
// that hosts wait for, a result's, leaves it to the commit of the times behind it, as long as that comes; and all commits leave it to who asks
// due() and makes it on another thread, by another connection: the next result would wait for it, too. A checkpoint that readers
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

  /// Once for each `pages` of the WAL: true, the caller makes a checkpoint now. Commits leave it to the caller from the first call on.
  bool due() {
    is_left_ = true;
    if (wal_pages_ - checked_pages_ < pages) return false;
    checked_pages_ = wal_pages_;
    return true;
  }

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
    auto& it = *static_cast<LateCheckpoint*>(self);
    it.wal_pages_ = wal_pages;
    if (wal_pages < it.checked_pages_) it.checked_pages_ = 0;  // it began anew
    if (wal_pages - it.checked_pages_ >= (it.is_awaited_ || it.is_left_ ? late_pages : pages) &&
        sqlite3_wal_checkpoint_v2(db, name, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr) == SQLITE_OK)
      it.checked_pages_ = wal_pages;
    return SQLITE_OK;
  }

  static constexpr int pages = 1000, late_pages = 4000;  // the first is SQLite's own number
  bool is_awaited_ = false, is_left_ = false;
  int wal_pages_ = 0;      // at the last commit
  int checked_pages_ = 0;  // of the WAL at the last checkpoint
};

}  // namespace datum
