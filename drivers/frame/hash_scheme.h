// Which hash a frame's identity is, and its name in verdicts and stores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace datum {

/// Schemes of a frame's identity. datumd(8), FRAME IDENTITIES defines both.
enum class HashScheme : std::uint8_t {
  sha256,  // of the delivered bytes, one file after the other; results of older versions
  tree,    // SHA-256 of leaves of hash_leaf_bytes and of the list of their digests
};

/// Size of a leaf of HashScheme::tree; a file's last leaf may be shorter.
inline constexpr std::size_t hash_leaf_bytes = std::size_t{256} << 10;

/// Text before the hexadecimal digest of an identity: "sha256-tree-256KiB:", or nothing for a plain SHA-256.
inline std::string_view prefix_of(HashScheme scheme) {
  return scheme == HashScheme::tree ? "sha256-tree-256KiB:" : "";
}

/// The scheme that a stored identity names; none: a scheme of another version.
inline std::optional<HashScheme> scheme_of(const std::string& identity) {
  if (identity.starts_with(prefix_of(HashScheme::tree))) return HashScheme::tree;
  if (identity.find(':') == std::string::npos) return HashScheme::sha256;
  return std::nullopt;
}

}  // namespace datum
