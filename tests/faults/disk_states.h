// What a disk may hold after a power cut, by what was asked of it until then.
//
// Bytes: what was written before the last sync of its file is there. Of what was written after it each sector may be
// there or not, whatever the order; a sector is 512 or 4096 bytes and is written whole. Where a file grew and its
// bytes did not come, there are zeros, or bytes of another file.
// Names (made, moved, removed): in their order up to some point, which is not before the last sync of a folder that
// they are in. This is what journaling file systems keep (ext4, XFS, btrfs); half of the states keep what ext4 does
// beside it: every sync of any file takes all names before it along.
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

/// Files by path, with their bytes; folders end with '/'.
using Tree = std::map<std::string, std::string>;

class DiskStates {
 public:
  /// `there`: files that lay there before the log began. Paths of both begin with the same folder.
  explicit DiskStates(Tree there);

  /// Another program put a file there, long ago.
  void put(const std::string& path, const std::string& bytes);
  /// The next record of the log has been done.
  void follow(const DiskRecord& record);
  /// What the program sees.
  Tree seen() const;
  /// One of the disks that a cut now may leave.
  Tree after_a_cut(std::mt19937& random) const;

 private:
  struct Change {  // of bytes, not synced
    bool truncates = false;
    std::uint64_t offset = 0;  // or the new size
    std::string bytes;
  };
  struct File {
    std::string synced;
    std::vector<Change> changes;
  };
  using Names = std::map<std::string, std::shared_ptr<File>>;  // no file: a folder

  void sync(const std::string& path);
  static void apply(const DiskRecord& record, const std::shared_ptr<File>& made, Names& names);
  static std::string all_of(const File& file);
  static std::string some_of(const File& file, std::mt19937& random);

  struct Move {  // of names, not synced
    DiskRecord record;
    std::shared_ptr<File> made;
    bool may_be_lost_on_ext4 = true;
  };
  Names names_, synced_names_;
  std::vector<Move> moves_;
};

}  // namespace datum::faults
