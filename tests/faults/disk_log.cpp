#include "tests/faults/disk_log.h"

#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace datum::faults {

std::vector<DiskRecord> read_disk_log(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error(file.string() + ": nothing was written down; was the library loaded?");
  std::vector<DiskRecord> records;
  DiskRecordHead head{};
  while (in.read(reinterpret_cast<char*>(&head), sizeof head)) {
    DiskRecord record{head.act, std::string(head.path_bytes, 0), std::string(head.to_bytes, 0), head.offset,
                      std::string(head.bytes, 0)};
    for (std::string* part : {&record.path, &record.to, &record.bytes})
      in.read(part->data(), static_cast<std::streamsize>(part->size()));
    if (!in) break;
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace datum::faults
