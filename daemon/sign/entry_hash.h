// The SHA-256 of one link of the chain of results, from the hash before it and the link's body: what result_chain.h hashes
// behind it, as netstrings. Whoever has bodies can walk a chain without knowing what they mean.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace datum {

/// A link and its hash.
struct ChainPlace {
  std::uint64_t link = 0;  // counts from 1
  std::string sha256;      // 64 hex digits
  bool operator==(const ChainPlace&) const = default;
};

class EntryHash {
 public:
  /// `before`: hash of the link before.
  explicit EntryHash(std::string_view before);
  ~EntryHash();
  EntryHash(EntryHash&&) noexcept;
  EntryHash& operator=(EntryHash&&) noexcept;

  /// Appends a part of the body as it is.
  EntryHash& add(std::string_view bytes);
  /// Appends one netstring, "LENGTH:BYTES,".
  EntryHash& field(std::string_view bytes);
  /// Ends it.
  std::string hex();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

}  // namespace datum
