// SHA-256 of one entry of the chain of results, over the hash of the entry before and the entry's body (netstrings, see
// result_chain.h). A reader with the bodies can check a chain without an interpretation of them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace datum {

/// Number and hash of an entry.
struct ChainPlace {
  std::uint64_t link = 0;  // counted from 1
  std::string sha256;      // 64 hex digits
  bool operator==(const ChainPlace&) const = default;
};

class EntryHash {
 public:
  /// `before`: hash of the entry before.
  explicit EntryHash(std::string_view before);
  ~EntryHash();
  EntryHash(EntryHash&&) noexcept;
  EntryHash& operator=(EntryHash&&) noexcept;

  /// Appends bytes of the body unchanged.
  EntryHash& add(std::string_view bytes);
  /// Appends one netstring, "LENGTH:BYTES,".
  EntryHash& field(std::string_view bytes);
  /// Completes the hash; 64 hex digits.
  std::string hex();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

}  // namespace datum
