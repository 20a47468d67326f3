// Bundle: recipes and calibrations for cells of a fleet, in one file that an Ed25519 key signs. The file is the manifest, lines
// of text with one spelling for each value, an empty line, and the bytes of the files in the manifest's order, nothing behind:
//
//   datumd bundle 1                             kind and version: a signature is valid for this kind of statement only
//   name line-3
//   number 12                                   counts up; a cell refuses an older one
//   by Jane Doe                                 who made it
//   cell cell-1                                 a line for each cell, in ascending order; "cell *": every cell
//   recipe board.toml 1234 <SHA-256>            kind, file name, bytes; recipes first, each kind in ascending order
//   calibration cell-1.toml 987 <SHA-256>
//   key <public key>                            64 hex digits
//   signature <128 hex digits>                  of all lines before this one
//
// No clock is used.
#pragma once

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/sign/ed25519.h"

namespace datum {

/// A bundle can't be made, read or trusted; what() gives the fault and what is allowed.
class BundleError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class BundleKind : std::uint8_t { recipe, calibration };
const char* name_of(BundleKind kind);  // "recipe", "calibration"

struct BundleFile {
  BundleKind kind = BundleKind::recipe;
  std::string name;  // of a file without a folder, "board.toml"
  std::string sha256, text;
};

struct Bundle {
  std::string name;
  std::uint64_t number = 0;
  std::string by;
  std::vector<std::string> cells;  // "*" alone: every cell
  std::vector<BundleFile> files;
  std::string key, signature;
};

inline constexpr std::size_t most_bundle_bytes = 16 << 20, most_bundle_files = 1000, most_bundle_cells = 1000;
inline constexpr std::uint64_t most_bundle_number = 999'999'999'999;

/// Sorts cells and files, computes the files' hashes, sets key and signature. Throws BundleError for contents that bundle_of()
/// refuses.
void sign(Bundle& bundle, const SigningKey& key);
/// True: the signature is valid for the bundle's key. It does not say that the key is trusted.
bool is_good(const Bundle& bundle);

/// The whole file.
std::string bytes_of(const Bundle& bundle);
/// Parses exactly what bytes_of() writes, with every file's size and hash; it does not check the signature. Throws BundleError.
Bundle bundle_of(std::string_view bytes);

/// Bytes of a regular file of at most most_bundle_bytes, read once; no symbolic link. Throws BundleError.
std::string bundle_bytes(const std::filesystem::path& file);

/// "bundle line-3, number 12", for messages.
std::string name_of(const Bundle& bundle);

/// Public keys, 64 hex digits, of the *.pem and *.pub files of a folder. A file that is no Ed25519 public key, or that other
/// accounts may write, is refused, and with it all: nobody would notice its absence. Throws BundleError.
std::vector<std::string> trusted_keys(const std::filesystem::path& folder);
/// Throws BundleError where the signature is wrong or its key is none of `trusted`.
void demand_trusted(const Bundle& bundle, const std::vector<std::string>& trusted);
/// Throws BundleError where the bundle is not for this cell.
void demand_for(const Bundle& bundle, const std::string& cell);

}  // namespace datum
