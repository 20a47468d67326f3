// Identity of a frame: a hash over the files of its delivery (datumd(8), FRAME IDENTITIES).
//
// HashScheme::tree, by parts (files), each cut into leaves of hash_leaf_bytes, the last one as long as it is:
//   leaf digest = SHA-256(tag("leaf") | bytes of the leaf)
//   identity    = SHA-256(tag("list") | n | for each part: its length | its leaf digests in order)
// with tag(x) = "datumd sha256-tree-256KiB " x, filled with zero bytes to 64; n, the number of parts, and the
// lengths as 64-bit little-endian numbers. An empty part has no leaf. The tags differ, so that no leaf's bytes
// are a list's; lengths and counts say where each part ends, so that two deliveries have one identity only if
// SHA-256 itself collides. Leaves are hashed in any order by any number of threads.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "drivers/frame/hash_scheme.h"
#include "drivers/sensor/file_bytes.h"

namespace datum {

using Digest = std::array<std::uint8_t, 32>;

constexpr std::size_t leaves_of(std::uint64_t bytes) {
  return static_cast<std::size_t>((bytes + hash_leaf_bytes - 1) / hash_leaf_bytes);
}

/// Hashes leaves, one after the other; one object per thread. Throws FrameError where OpenSSL fails.
class LeafHasher {
 public:
  LeafHasher();
  ~LeafHasher();
  LeafHasher(LeafHasher&&) noexcept;
  /// One that each thread keeps.
  static LeafHasher& of_this_thread();
  Digest digest(ByteView leaf) { return digest(std::vector<ByteView>{leaf}); }
  /// Of a leaf that lies in several places.
  Digest digest(const std::vector<ByteView>& pieces);

 private:
  struct Contexts;
  std::unique_ptr<Contexts> contexts_;
};

/// One file of a delivery: its length and the digests of its leaves, in order.
struct HashedPart {
  std::uint64_t bytes = 0;
  std::vector<Digest> leaves{};
};

/// `size` bytes from `from` on of bytes that lie in several places, one after the other.
std::vector<ByteView> cut_of(const std::vector<ByteView>& pieces, std::uint64_t from, std::uint64_t size);

/// Of a part whose bytes lie in several places, one after the other. `known`: the digests of its first leaves.
HashedPart hashed_part(const std::vector<ByteView>& pieces, unsigned threads, std::vector<Digest> known = {});

/// "sha256-tree-256KiB:" and 64 lower-case hexadecimal digits.
std::string tree_identity(const std::vector<HashedPart>& parts);

/// Identity of whole parts by either scheme. HashScheme::sha256 hashes them one after the other.
std::string identity_of(HashScheme scheme, const std::vector<ByteView>& parts, unsigned threads);

}  // namespace datum
