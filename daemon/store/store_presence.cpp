#include "daemon/store/store_presence.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include "daemon/store/result_store.h"

namespace datum {

StorePresence::StorePresence(std::filesystem::path store) : store_(std::move(store)) {
  for (const char* ending : {"", "-wal", "-shm"}) {
    const std::filesystem::path file = store_.string() + ending;
    struct stat info {};
    if (::stat(file.c_str(), &info) == 0) noted_.push_back({file, info.st_dev, info.st_ino});
  }
}

void StorePresence::check() const {
  for (const Noted& noted : noted_) {
    struct stat info {};
    const bool there = ::stat(noted.file.c_str(), &info) == 0 && info.st_nlink > 0;
    if (there && info.st_dev == noted.device && info.st_ino == noted.inode) continue;
    throw StoreError(StoreError::Kind::io, fmt::format("{} is {} since datumd opened the store: results "
                                                       "would be lost; put the file back under its name, "
                                                       "or start datumd again",
                                                       noted.file.string(), there ? "another file" : "gone"));
  }
}

}  // namespace datum
