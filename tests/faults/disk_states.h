// Possible contents of a disk after a power cut, from the operations before it.
//
// Bytes: those written before the last sync of their file are present. Of later writes each sector is present or not, in
// any order; a sector of 512 or 4096 bytes is written atomically. Where a file grew without its bytes, it holds zeros, or
// bytes of another file. Names (created, renamed, removed): in their order up to some point, not before the last sync of
// their folder. Journaling file systems guarantee this (ext4, XFS, btrfs). Half of the states also keep what ext4 does:
// every sync of any file flushes all earlier names.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/faults/disk_log.h"

namespace datum::faults {

/// Content of files by path; folders end with '/'.
using Tree = std::map<std::string, std::string>;

class DiskStates {
 public:
  /// `there`: files from before the log. All paths begin with the same folder.
  explicit DiskStates(Tree there);

  /// Adds a file of another program as already flushed.
  void put(const std::string& path, const std::string& bytes);
  /// Applies the next record of the log.
  void follow(const DiskRecord& record);
  /// The state that the program sees.
  Tree seen() const;
  /// A random disk that a power cut may leave now.
  Tree after_a_cut(std::mt19937& random) const;

 private:
  struct Change {  // a change of bytes without sync
    bool truncates = false;
    std::uint64_t offset = 0;  // or the new size
    std::string bytes;
  };
  struct File {
    std::string synced;
    std::vector<Change> changes;
  };
  using Names = std::map<std::string, std::shared_ptr<File>>;  // null: a folder

  void sync(const std::string& path);
  static void apply(const DiskRecord& record, const std::shared_ptr<File>& made, Names& names);
  static std::string all_of(const File& file);
  static std::string some_of(const File& file, std::mt19937& random);

  struct Move {  // a change of names without sync
    DiskRecord record;
    std::shared_ptr<File> made;
    bool may_be_lost_on_ext4 = true;
  };
  Names names_, synced_names_;
  std::vector<Move> moves_;
};

}  // namespace datum::faults
