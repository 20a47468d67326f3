// Small volumes as files: NRRD headers by their fields, NIfTI-1 headers by their bytes.
#pragma once

#include <zlib.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace datum::testing {

template <class T>
void put_at(std::string& bytes, std::size_t at, T value, bool big = false) {
  char raw[sizeof value];
  std::memcpy(raw, &value, sizeof value);
  for (std::size_t i = 0; i < sizeof value; ++i)
    bytes[at + i] = raw[big == (std::endian::native == std::endian::big) ? i : sizeof value - 1 - i];
}

/// Samples in a byte order.
template <class T>
std::string samples_bytes(const std::vector<T>& samples, bool big = false) {
  std::string bytes(samples.size() * sizeof(T), '\0');
  for (std::size_t i = 0; i < samples.size(); ++i) put_at(bytes, i * sizeof(T), samples[i], big);
  return bytes;
}

inline std::string gzip_bytes(const std::string& bytes) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, bytes.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

/// A header that ends with a blank line; `more` are lines.
inline std::string nrrd_header(const std::string& type, const std::string& sizes,
                               const std::string& encoding = "raw", const std::string& endian = "little",
                               const std::string& more = "") {
  return "NRRD0004\n# of a scanner\ntype: " + type + "\ndimension: 3\nsizes: " + sizes +
         "\nendian: " + endian + "\nencoding: " + encoding + "\n" + more + "\n";
}

struct NiftiFields {
  std::int16_t dim[8] = {3, 3, 2, 2, 1, 1, 1, 1};
  std::int16_t datatype = 4, bitpix = 16;
  float offset = 352, slope = 0, inter = 0;
  std::string magic = std::string("n+1\0", 4);
};

inline std::string nifti_header(const NiftiFields& f, bool big = false) {
  std::string b(352, '\0');
  put_at<std::int32_t>(b, 0, 348, big);
  for (std::size_t k = 0; k < 8; ++k) put_at(b, 40 + 2 * k, f.dim[k], big);
  put_at(b, 70, f.datatype, big);
  put_at(b, 72, f.bitpix, big);
  for (std::size_t k = 1; k < 4; ++k) put_at(b, 76 + 4 * k, 0.5f * static_cast<float>(k), big);
  put_at(b, 108, f.offset, big);
  put_at(b, 112, f.slope, big);
  put_at(b, 116, f.inter, big);
  b[123] = 2;
  b.replace(344, 4, f.magic);
  return b;
}

}  // namespace datum::testing
