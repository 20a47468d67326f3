// The file operations of a program in their order: written by the preloaded library (disk_library.cpp), read to construct
// the disks that a power cut may leave (disk_states.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace datum::faults {

/// Kind of a record. Paths are absolute.
enum class DiskAct : std::uint32_t {
  write,     // bytes at an offset of `path`
  truncate,  // `path` to `offset` bytes
  sync,      // fsync or fdatasync of `path`, a file or a folder, has returned
  create,    // a new file `path`
  make,      // a new folder
  rename,    // from `path` to `to`
  remove,    // a file or an empty folder
  tell,      // bytes sent to the socket `offset`: known to hosts from now on
};

/// Header before each record's path, other path and bytes.
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

/// Reads a log up to its last complete record. Throws std::runtime_error for another file.
std::vector<DiskRecord> read_disk_log(const std::filesystem::path& file);

/// Parameters of the library, in the environment of its program.
constexpr const char* disk_folder_variable = "FAULT_DISK_FOLDER";    // only operations in it are recorded
constexpr const char* disk_log_variable = "FAULT_DISK_LOG";          // unset: no recording
constexpr const char* disk_control_variable = "FAULT_DISK_CONTROL";  // a DiskControl, read at each operation

}  // namespace datum::faults
