// What a program did to its files, in the order in which it did it: written by the preloaded library
// (disk_library.cpp), read by who builds the disks that a power cut may leave (disk_states.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace datum::faults {

/// What a record of the log is of. Paths are absolute.
enum class DiskAct : std::uint32_t {
  write,     // bytes at an offset of `path`
  truncate,  // `path` to `offset` bytes
  sync,      // fsync or fdatasync of `path`, a file or a folder, has returned
  create,    // `path` is new
  make,      // a folder
  rename,    // `path` to `to`
  remove,    // a file or an empty folder
  tell,      // bytes that went to the socket `offset`: what hosts may know from here on
};

/// Before each record's path, other path and bytes.
struct DiskRecordHead {
  DiskAct act;
  std::uint32_t path_bytes, to_bytes;
  std::uint64_t offset, bytes;
};

struct DiskRecord {
  DiskAct act;
  std::string path, to;
  std::uint64_t offset = 0;
  std::string bytes;
};

/// Reads a log up to its last whole record. Throws std::runtime_error where it is none.
std::vector<DiskRecord> read_disk_log(const std::filesystem::path& file);

/// What the library is told, in the environment of the program that it is loaded into.
constexpr const char* disk_folder_variable = "FAULT_DISK_FOLDER";    // only what is in it counts
constexpr const char* disk_log_variable = "FAULT_DISK_LOG";          // none: nothing is written down
constexpr const char* disk_control_variable = "FAULT_DISK_CONTROL";  // a DiskControl, read at each act

}  // namespace datum::faults
