// StoreMark: a file beside the result store that says how far the store has got. A store that is put back from a copy knows
// nothing of the numbers that were given after the copy was made; the mark does.
//
//   results.db.mark   two blocks, written in turn; the newer one with a good checksum holds
//
//     datumd mark 1
//     turn 42                                   which block is the newer one
//     file 1310735 1763829000123456789          inode and time of birth of this very file: a copied mark shows as one
//     store 7f3c... 17 <SHA-256>                id, highest number given, hash of that result's link ("-": none)
//     former 19ab... 25                         an id that went before, and its highest number
//     crc 1A2B3C4D                              CRC-32 of all before this line
//
// A result's number reaches the mark before anybody is told of it, and the disk with the commit of the next result at the
// latest: a power cut leaves the mark as old as one result, never ahead of the store.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace datum {

std::filesystem::path mark_of(const std::filesystem::path& store);

/// How far a store had got.
struct MarkedPlace {
  std::string store_id;
  std::uint64_t given = 0;  // the highest number
  std::string sha256;       // of that result's link; empty: there is none
};

/// What a mark's file holds.
struct Mark {
  MarkedPlace place;
  std::vector<std::pair<std::string, std::uint64_t>>
      former;           // ids with their highest numbers, the newest last
  bool copied = false;  // the file is not the one that was written
  std::uint64_t turn = 0;

  /// The highest number given under an id; none: the mark does not know it.
  std::optional<std::uint64_t> given(const std::string& store_id) const;
};

/// None: there is no mark there, or no block of it can be read. Throws StoreError (io).
std::optional<Mark> read_mark(const std::filesystem::path& store);

/// The writer's side.
class StoreMark {
 public:
  /// Opens the mark of a store, makes it where there is none. Throws StoreError (io).
  explicit StoreMark(const std::filesystem::path& store);
  ~StoreMark();
  StoreMark(const StoreMark&) = delete;
  StoreMark& operator=(const StoreMark&) = delete;

  /// As the file was when it was opened; none: it held nothing.
  const std::optional<Mark>& found() const { return found_; }
  /// On the disk when it returns. Another id than before makes the one before a former one. Throws StoreError (io).
  void keep(const MarkedPlace& place);
  /// Written, not waited for. False: it could not be written.
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
