// The lock of a store's one writer: a file beside it.
#pragma once

#include <filesystem>

namespace datum {

/// Held while this object lives; the kernel lets go when the process dies, however it dies.
class StoreLock {
 public:
  /// Throws StoreError: locked by another writer, or the lock's file can't be made.
  explicit StoreLock(const std::filesystem::path& store);
  ~StoreLock();
  StoreLock(const StoreLock&) = delete;
  StoreLock& operator=(const StoreLock&) = delete;

 private:
  int fd_ = -1;
};

}  // namespace datum
