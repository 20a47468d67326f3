// Monitors free space and removes files in a thread of its own: both may wait for a device, which must not delay the loop
// or an inspection.
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
  std::filesystem::path deliveries;  // folder of done/, failed/ and discard/; empty: frames are not kept
  std::filesystem::path pictures;    // empty: none are written
  std::vector<RoomPlace> places;     // file systems that need free space
  std::shared_ptr<const RoomSource> room;
  std::function<std::int64_t()> utc_s;  // seconds since 1970-01-01; called in the retention thread
};

class FileRetention {
 public:
  static constexpr int looks_for_a_sweep = 600;    // looks between two listings of the folders
  static constexpr std::size_t most_at_once = 16;  // files or folders removed per look

  /// Reads the free space, but does not list the folders.
  explicit FileRetention(FileRetentionDependencies parts);

  /// Why the cell accepts no further board; empty: enough space.
  std::string shortage() const;
  /// Files are removed by age only while the clock is trusted.
  void trust_clock(bool trusted);
  /// Lines for the log since the last call.
  std::vector<std::string> take_notes();
  /// "frames" and "pictures", those with a limit and a listing.
  std::map<std::string, KeptFiles> kept() const;

  /// Called from one thread only; the other members from any.
  void look();

 private:
  void list();
  /// Lists one kind of file in its folders.
  void list(const std::string& kind, const std::vector<std::filesystem::path>& folders, KeepLimit limit);
  void remove_some();
  void note(const std::string& text);

  FileRetentionDependencies parts_;
  mutable std::mutex mutex_;
  std::string shortage_;
  bool clock_trusted_ = false, list_soon_ = true;
  std::vector<std::string> notes_;
  std::map<std::string, KeptFiles> kept_;
  // of the retention thread:
  int looks_ = 0;
  std::vector<KeptFile> going_;  // removed from the back
  std::string told_;             // last reported failure
};

/// Calls FileRetention::look() once a second until its destruction.
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
