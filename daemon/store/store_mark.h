// StoreMark: a file beside the result store that records its progress. A store restored from a copy lacks the sequence
// numbers that were given after the copy; the mark has them.
//
//   results.db.mark   two blocks, written in turn; the newer one with a valid checksum holds
//
//     datumd mark 1
//     turn 42                                   counts the writes; the higher block is the newer one
//     file 1310735 1763829000123456789          inode and birth time of this file, which reveal a copied mark
//     store 7f3c... 17 <SHA-256>                id, highest number given, hash of that result's entry ("-": none)
//     former 19ab... 25                         a former id, and its highest number
//     crc 1A2B3C4D                              CRC-32 of all bytes before this line
//
// A sequence number is written to the mark before its announcement, and reaches the disk at the latest with the commit of
// the next result. After a power cut the mark may lack one result; it is never ahead of the store.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace datum {

std::filesystem::path mark_of(const std::filesystem::path& store);

/// Progress of a store.
struct MarkedPlace {
  std::string store_id;
  std::uint64_t given = 0;  // highest sequence number
  std::string sha256;       // of that result's entry; empty: none
};

/// Content of a mark file.
struct Mark {
  MarkedPlace place;
  std::vector<std::pair<std::string, std::uint64_t>>
      former;           // ids with their highest sequence numbers, the newest last
  bool copied = false;  // the file is a copy
  std::uint64_t turn = 0;

  /// Highest sequence number given under an id; none: unknown id.
  std::optional<std::uint64_t> given(const std::string& store_id) const;
};

/// None: there is no mark, or none of its blocks is readable. Throws StoreError (io).
std::optional<Mark> read_mark(const std::filesystem::path& store);

/// Writes the mark.
class StoreMark {
 public:
  /// Opens or creates the mark of a store. Throws StoreError (io).
  explicit StoreMark(const std::filesystem::path& store);
  ~StoreMark();
  StoreMark(const StoreMark&) = delete;
  StoreMark& operator=(const StoreMark&) = delete;

  /// Content at the opening; none: empty.
  const std::optional<Mark>& found() const { return found_; }
  /// Writes durably. A changed id makes the id before a former one. Throws StoreError (io).
  void keep(const MarkedPlace& place);
  /// Writes without waiting for the disk. False: the write failed.
  bool advance(std::uint64_t given, const std::string& sha256);

 private:
  bool write();

  std::filesystem::path file_;
  int fd_ = -1;
  std::string identity_;  // of the file
  std::optional<Mark> found_;
  Mark now_;
};

}  // namespace datum
