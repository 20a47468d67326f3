#include "daemon/store/store_backup.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "daemon/store/store_lock.h"
#include "daemon/store/store_rows.h"
#include "daemon/store/store_schema.h"

namespace datum {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& file, const std::string& what, const std::string& remedy) {
  throw BackupError(fmt::format("{}: {}: {}; {}", file.string(), what, std::strerror(errno), remedy));
}

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

void sync(const fs::path& file, int flags) {
  const int fd = ::open(file.c_str(), flags | O_CLOEXEC);
  const bool good = fd >= 0 && ::fsync(fd) == 0;
  const int why = errno;
  if (fd >= 0) ::close(fd);
  errno = why;
  if (!good) fail(file, "can't be brought to the disk", "look at the disk and at 'journalctl -k'");
}

/// A copy under a temporary name; removed unless it is completed.
class PartCopy {
 public:
  explicit PartCopy(const fs::path& to)
      : to_(to), part_(folder_of(to) / fmt::format(".{}.{}.part", to.filename().string(), ::getpid())) {
    const int fd = ::open(part_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd < 0) fail(part_, "can't be made", "check that the folder exists and may be written by this user");
    ::close(fd);
  }
  ~PartCopy() {
    for (const char* tail : {"", "-journal", "-wal", "-shm"}) ::unlink((part_.string() + tail).c_str());
  }
  PartCopy(const PartCopy&) = delete;
  PartCopy& operator=(const PartCopy&) = delete;

  const fs::path& path() const { return part_; }
  /// Replaces the existing file.
  void replace() const {
    if (::rename(part_.c_str(), to_.c_str()) != 0) fail(to_, "can't be replaced", "nothing was changed");
    sync(folder_of(to_), O_RDONLY | O_DIRECTORY);
  }
  /// Never replaces an existing file.
  void appear() const {
    if (::renameat2(AT_FDCWD, part_.c_str(), AT_FDCWD, to_.c_str(), RENAME_NOREPLACE) != 0)
      fail(to_, "the copy can't get its name", "name another file; nothing was overwritten");
    sync(folder_of(to_), O_RDONLY | O_DIRECTORY);
  }

 private:
  fs::path to_, part_;
};

/// Copies `from` in one snapshot and adds the note; leaves no journal behind.
void copy_pages(const fs::path& from, const fs::path& to, const std::string& utc) {
  const sqlite::Connection source = sqlite::open(from, SQLITE_OPEN_READONLY);
  sqlite3_busy_timeout(source.get(), 2000);
  readable_schema(source.get(), from);
  const sqlite::Connection copy = sqlite::open(to, SQLITE_OPEN_READWRITE);
  sqlite3_backup* pages = sqlite3_backup_init(copy.get(), "main", source.get(), "main");
  if (!pages) sqlite::fail(copy.get(), to, "begin the copy");
  const int code = sqlite3_backup_step(pages, -1);  // in WAL mode no writer waits for it
  sqlite3_backup_finish(pages);
  if (code != SQLITE_DONE) sqlite::fail(copy.get(), to, fmt::format("copy {}", from.string()));
  sqlite::execute(copy.get(), to, "PRAGMA journal_mode = DELETE");
  if (backup_note_of(copy.get(), to)) return;  // `from` is itself a backup
  const bool chain = readable_schema(copy.get(), to) >= 2;
  const ChainEntry head = chain ? head_of(copy.get(), to) : ChainEntry{};
  sqlite::execute(copy.get(), to,
                  "CREATE TABLE copy (utc TEXT NOT NULL, link INTEGER NOT NULL, sha256 TEXT NOT NULL, given "
                  "INTEGER NOT NULL)");
  sqlite::Statement note(copy.get(), to, "INSERT INTO copy VALUES (?1, ?2, ?3, ?4)");
  note.bind(1, utc).bind(2, static_cast<std::int64_t>(head.link)).bind(3, head.sha256);
  note.bind(4, static_cast<std::int64_t>(last_given(copy.get(), to))).step();
}

/// Reads every page of the copy, and checks its chain.
Backup examine(const fs::path& file) {
  const sqlite::Connection copy = sqlite::open(file, SQLITE_OPEN_READONLY);
  sqlite::Statement check(copy.get(), file, "PRAGMA integrity_check(1)");
  if (check.step() && check.text(0) != "ok")
    throw BackupError(
        fmt::format("{}: the copy does not hold together: {}; the disk, or the store, is damaged",
                    file.string(), check.text(0)));
  Backup backup;
  if (const auto note = backup_note_of(copy.get(), file)) backup.note = *note;
  if (readable_schema(copy.get(), file) >= 2) backup.report = check_chain(file);
  return backup;
}

/// Gives the copy to the owner of its folder: a copy that root makes must belong to datumd's account.
void give_to_owner_of(const fs::path& folder, const fs::path& file) {
  struct stat of {};
  if (::stat(folder.c_str(), &of) == 0 && ::geteuid() == 0 &&
      ::chown(file.c_str(), of.st_uid, of.st_gid) != 0)
    fail(file, "can't be given to the owner of its folder", "nothing was changed");
}

/// Checkpoints the WAL of the former store: a -wal beside the new file would be taken for the new file's.
void empty_wal(const fs::path& store) {
  {
    const sqlite::Connection db = sqlite::open(store, SQLITE_OPEN_READWRITE);
    sqlite3_busy_timeout(db.get(), 2000);
    sqlite::execute(db.get(), store, "PRAGMA wal_checkpoint(TRUNCATE)");
  }
  std::error_code none;
  const auto left = fs::file_size(store.string() + "-wal", none);
  if (!none && left > 0)
    throw BackupError(
        fmt::format("{}-wal: another program reads the store; end it and restore again", store.string()));
}

/// Renames the former store beside its place; empty: there is none.
fs::path set_aside(const fs::path& store, const std::string& utc) {
  if (!fs::exists(store) && !fs::exists(store.string() + "-wal")) return {};
  try {
    empty_wal(store);
  } catch (const StoreError& damaged) {
    throw BackupError(
        fmt::format("{}; move it, its -wal and its -shm away by hand, then restore again", damaged.what()));
  }
  std::string stamp = utc;
  stamp.erase(std::remove(stamp.begin(), stamp.end(), ':'), stamp.end());
  const fs::path aside = store.string() + ".set-aside-" + stamp;
  if (::link(store.c_str(), aside.c_str()) != 0)
    fail(aside, "the store that is there can't be set aside", "nothing was changed");
  return aside;
}

}  // namespace

std::optional<BackupNote> backup_note_of(sqlite3* db, const fs::path& file) {
  if (sqlite::query_integer(db, file, "SELECT count(*) FROM sqlite_master WHERE name = 'copy'") == 0)
    return std::nullopt;
  sqlite::Statement row(db, file, "SELECT utc, link, sha256, given FROM copy");
  if (!row.step()) return std::nullopt;
  return BackupNote{row.text(0),
                    {static_cast<std::uint64_t>(row.integer(1)), 0, "", row.text(2)},
                    static_cast<std::uint64_t>(row.integer(3))};
}

Backup back_up(const fs::path& store, const fs::path& to, const std::string& utc) {
  if (!fs::exists(store))
    throw StoreError(StoreError::Kind::missing, store.string() + ": no result store there");
  if (fs::exists(fs::symlink_status(to)))
    throw BackupError(to.string() + ": is there already; name another file, nothing is overwritten");
  const PartCopy part(to);
  copy_pages(store, part.path(), utc);
  const Backup backup = examine(part.path());
  sync(part.path(), O_RDONLY);
  part.appear();
  return backup;
}

Restored put_back(const fs::path& backup, const fs::path& store, const std::string& utc) {
  if (!fs::exists(backup)) throw StoreError(StoreError::Kind::missing, backup.string() + ": no backup there");
  const StoreLock lock(store);
  give_to_owner_of(folder_of(store), store.string() + ".lock");
  const PartCopy part(store);
  copy_pages(backup, part.path(), utc);
  Restored restored{examine(part.path()), {}};
  if (restored.backup.report.faults > 0)
    throw BackupError(
        fmt::format("{}: is not as it was written: {}; 'datumctl verify results --store' shows all; "
                    "nothing was changed",
                    backup.string(), restored.backup.report.first_faults.front().what));
  give_to_owner_of(folder_of(store), part.path());
  sync(part.path(), O_RDONLY);
  restored.set_aside = set_aside(store, utc);
  part.replace();
  return restored;
}

}  // namespace datum
