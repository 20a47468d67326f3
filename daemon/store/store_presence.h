// Checks that the files SQLite holds open still have the store's names: a commit to an unlinked or renamed file is lost
// at the next start.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace datum {

class StorePresence {
 public:
  /// Records the identities of the store's file, its WAL and the WAL index; all existing ones are open by then.
  explicit StorePresence(std::filesystem::path store);

  /// Throws StoreError (io) where a file is missing, or another file has its name.
  void check() const;

 private:
  struct Noted {
    std::filesystem::path file;
    std::uint64_t device = 0, inode = 0;
  };
  std::filesystem::path store_;
  std::vector<Noted> noted_;
};

}  // namespace datum
