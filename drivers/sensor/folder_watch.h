// inotify watch of one folder.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace datum {

struct FolderEvent {
  enum class Kind {
    complete,  // moved in, or closed by its writer
    created,   // a new name: growing, or linked (OpenSSH's sftp server ends an upload by link and unlink)
    overflow,  // events were lost: list the folder
    gone,      // the folder was moved, removed or unmounted
  } kind = Kind::created;
  std::string name;
};

class FolderWatch {
 public:
  /// Throws LostError: no such folder, or the system's limit of watches is reached.
  explicit FolderWatch(const std::filesystem::path& folder);
  ~FolderWatch();
  FolderWatch(const FolderWatch&) = delete;
  FolderWatch& operator=(const FolderWatch&) = delete;

  int fd() const { return fd_; }
  /// The oldest events, some dozens at most; does not block. Bounded, so that a flooded folder does not stall
  /// the loop.
  std::vector<FolderEvent> read();

 private:
  int fd_ = -1;
};

}  // namespace datum
