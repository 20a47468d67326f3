// Whether the files that SQLite holds open still have the store's names: what is committed to a file without a name, or
// under another one, is gone after the next start.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace datum {

class StorePresence {
 public:
  /// Notes the store's file, its WAL and the WAL's index as they are now; all that are there are open by then.
  explicit StorePresence(std::filesystem::path store);

  /// Throws StoreError (io) where one of them is gone, or another file has its name.
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
