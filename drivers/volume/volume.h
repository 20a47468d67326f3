// A volume of scalar samples, as a scanner's file holds it: NRRD (attached, or a detached header of raw samples) and
// NIfTI-1 and -2 in one file. A file is accepted as a whole or refused: nothing is guessed, clipped or filled.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "drivers/frame/bounded_text.h"

namespace datum {

/// Refused input: "FILE: what is wrong; what is allowed or to be done".
class VolumeError : public std::runtime_error {
 public:
  explicit VolumeError(const std::string& what) : std::runtime_error(bounded_text(what)) {}
};

enum class VoxelType : std::uint8_t { i8, u8, i16, u16, i32, u32, f32, f64 };
const char* name_of(VoxelType type);  // "int8", "uint8" ... "float", "double", as NRRD writes them
std::size_t bytes_of(VoxelType type);

enum class VolumeFormat : std::uint8_t { nrrd, nifti };

/// Limit of voxels: that of the diffusion (gpu/diffusion/diffusion.h).
constexpr std::uint64_t most_voxels = std::uint64_t{1} << 30;
/// Limit of the bytes before the samples.
constexpr std::size_t most_header_bytes = std::size_t{1} << 20;

struct VolumeHeader {
  VolumeFormat format = VolumeFormat::nrrd;
  VoxelType type = VoxelType::i16;
  bool big_endian = false;
  bool gzip = false;             // the samples are a gzip stream; NIfTI: the whole file is
  std::uint32_t size[3] = {};    // x runs fastest
  double spacing[3] = {};        // 0: not stated
  std::string spacing_unit;      // "": not stated
  double slope = 1, offset = 0;  // value = slope * sample + offset; NRRD has none
  std::string data_file;         // of the samples, beside the header; "": the header's own file
  /// From the begin of the stream of samples: after decompression; NIfTI: the header's bytes too. -1: the last bytes of
  /// the file are the samples.
  std::int64_t skip = 0;
  std::string text;  // the header's own bytes; NIfTI: with its extensions

  std::uint64_t voxels() const { return std::uint64_t{size[0]} * size[1] * size[2]; }
  std::uint64_t sample_bytes() const { return voxels() * bytes_of(type); }
};

struct Volume {
  VolumeHeader header;
  std::vector<std::byte> samples;  // in this machine's byte order
};

/// Calls visit(T{}) with the type of the samples.
template <class Visit>
decltype(auto) with_type(VoxelType type, const Visit& visit) {
  switch (type) {
    case VoxelType::i8:
      return visit(std::int8_t{});
    case VoxelType::u8:
      return visit(std::uint8_t{});
    case VoxelType::i16:
      return visit(std::int16_t{});
    case VoxelType::u16:
      return visit(std::uint16_t{});
    case VoxelType::i32:
      return visit(std::int32_t{});
    case VoxelType::u32:
      return visit(std::uint32_t{});
    case VoxelType::f32:
      return visit(float{});
    case VoxelType::f64:
      break;
  }
  return visit(double{});
}

template <class T>
T sample_at(const std::vector<std::byte>& samples, std::size_t i) {
  T value;
  std::memcpy(&value, samples.data() + i * sizeof value, sizeof value);
  return value;
}

/// The header of a NRRD file from its first bytes; `text` of it ends with the blank line or, detached, with the bytes.
/// Throws VolumeError: a field that is absent, twice, misspelt or not supported; sizes of 0, or more than 2^30 voxels.
VolumeHeader nrrd_from_bytes(std::string_view bytes, const std::string& name);
/// The same of a NIfTI file; `bytes` begin with the header, decompressed, and hold all that precedes the samples.
VolumeHeader nifti_from_bytes(std::string_view bytes, const std::string& name);
/// Bytes before the samples, read from the first 540; for nifti_from_bytes.
std::uint64_t nifti_bytes_before_samples(std::string_view bytes, const std::string& name);

/// The header of the same samples, attached to them, with what was done: of NRRD a key/value pair `key`:=`done` (a
/// second time "key 2"), of NIfTI the description, cut to its 79 bytes.
std::string header_with(const VolumeHeader& header, const std::string& key, const std::string& done);
std::string nrrd_with(const VolumeHeader& header, const std::string& key, const std::string& done);
std::string nifti_with(const VolumeHeader& header, const std::string& done);

/// Throws VolumeError where the product is 0 or above most_voxels.
void check_sizes(const std::uint64_t size[3], const std::string& name);

}  // namespace datum
