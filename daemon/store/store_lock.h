// Lock file for the single writer of a store.
#pragma once

#include <filesystem>

namespace datum {

/// Held during the life of this object; the kernel releases it at any end of the process.
class StoreLock {
 public:
  /// Throws StoreError where another writer holds the lock, or its file can't be created.
  explicit StoreLock(const std::filesystem::path& store);
  ~StoreLock();
  StoreLock(const StoreLock&) = delete;
  StoreLock& operator=(const StoreLock&) = delete;

 private:
  int fd_ = -1;
};

}  // namespace datum
