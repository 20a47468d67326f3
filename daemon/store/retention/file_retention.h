// Watches the room and removes files, on a thread of its own: both may wait for a device, and neither the loop nor an
// inspection waits for them.
#pragma once

#include <condition_variable>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "daemon/store/retention/file_sweep.h"
#include "daemon/store/retention/retention_snapshot.h"
#include "daemon/store/retention/room.h"

namespace datum {

struct FileRetentionDependencies {
  RetentionSettings settings;
  std::filesystem::path deliveries;  // done/, failed/ and discard/ are in it; empty: frames are not kept
  std::filesystem::path pictures;    // empty: none are written
  std::vector<RoomPlace> places;     // that need room
  std::shared_ptr<const RoomSource> room;
  std::function<std::int64_t()> utc_s;  // since 1970-01-01; called on its thread
};

class FileRetention {
 public:
  static constexpr int looks_for_a_sweep = 600;    // the folders are listed no more often
  static constexpr std::size_t most_at_once = 16;  // files or folders removed in one look

  /// Looks at the room, not at the folders.
  explicit FileRetention(FileRetentionDependencies parts);

  /// Why no further board may be taken; empty: there is room.
  std::string shortage() const;
  /// Files go by age only while somebody vouches for the clock.
  void trust_clock(bool trusted);
  /// For the log, since the last call.
  std::vector<std::string> take_notes();
  /// Of "frames" and "pictures" those that have a limit and were listed.
  std::map<std::string, KeptFiles> kept() const;

  /// On one thread; the others may be called on any.
  void look();

 private:
  void list();
  /// Of one kind of file, in its folders.
  void list(const std::string& kind, const std::vector<std::filesystem::path>& folders, KeepLimit limit);
  void remove_some();
  void note(const std::string& text);

  FileRetentionDependencies parts_;
  mutable std::mutex mutex_;
  std::string shortage_;
  bool clock_trusted_ = false, list_soon_ = true;
  std::vector<std::string> notes_;
  std::map<std::string, KeptFiles> kept_;
  // of the thread that looks:
  int looks_ = 0;
  std::vector<KeptFile> going_;  // the next one is the last
  std::string told_;             // the failure noted last
};

/// Looks once a second, until it is destroyed.
class FileRetentionThread {
 public:
  explicit FileRetentionThread(FileRetention& keeper);
  ~FileRetentionThread();
  FileRetentionThread(const FileRetentionThread&) = delete;
  FileRetentionThread& operator=(const FileRetentionThread&) = delete;

 private:
  void run();

  FileRetention& keeper_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace datum
