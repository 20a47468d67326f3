#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "drivers/frame/frame_error.h"
#include "drivers/sensor/header_lines.h"
#include "drivers/sensor/lzf.h"
#include "drivers/sensor/organised_cloud.h"
#include "drivers/sensor/stored_number.h"

namespace datum {
namespace {

constexpr std::size_t most_fields = 64;

struct Field {
  std::string name;
  StoredNumber number;
  std::size_t count = 1;
  std::size_t offset = 0;  // within a point, bytes
  std::size_t column = 0;  // within a line of ascii
};

struct PcdHeader {
  std::vector<Field> fields;
  std::uint64_t rows = 0, cols = 0, points = 0;
  std::size_t point_bytes = 0, columns = 0;
  std::string data;    // "ascii", "binary", "binary_compressed"
  std::size_t at = 0;  // offset of the data
};

const Field& field_of(const PcdHeader& header, const std::string& wanted, const std::string& name) {
  const auto found = std::find_if(header.fields.begin(), header.fields.end(),
                                  [&](const Field& f) { return f.name == wanted; });
  const bool real = found != header.fields.end() && found->number.kind == StoredNumber::Kind::real &&
                    (found->number.bytes == 4 || found->number.bytes == 8) && found->count == 1;
  if (!real) throw FrameError(fmt::format("{}: no field {} of one 4 or 8-byte float", name, wanted));
  return *found;
}

std::uint64_t natural(const HeaderLines& lines, std::string_view word) {
  const auto value = natural_in(word);
  if (!value) lines.refuse(fmt::format("{} is not a whole number", word));
  return *value;
}

void read_fields(const HeaderLines& lines, const std::map<std::string, std::vector<std::string>>& given,
                 PcdHeader& header) {
  const auto of = [&](const char* key) {
    const auto found = given.find(key);
    return found == given.end() ? std::vector<std::string>{} : found->second;
  };
  const auto names = of("FIELDS"), sizes = of("SIZE"), types = of("TYPE");
  auto counts = of("COUNT");
  if (counts.empty()) counts.assign(names.size(), "1");
  if (names.empty() || names.size() > most_fields || sizes.size() != names.size() ||
      types.size() != names.size() || counts.size() != names.size())
    lines.refuse("FIELDS, SIZE, TYPE and COUNT must name 1 to 64 fields alike");
  for (std::size_t i = 0; i < names.size(); ++i) {
    Field field{names[i], {}, natural(lines, counts[i]), header.point_bytes, header.columns};
    field.number.bytes = natural(lines, sizes[i]);
    const std::size_t b = field.number.bytes;
    if ((b != 1 && b != 2 && b != 4 && b != 8) || field.count < 1 || field.count > 4096)
      lines.refuse(fmt::format("field {} of {} bytes, {} times", names[i], sizes[i], counts[i]));
    field.number.kind = types[i] == "F"   ? StoredNumber::Kind::real
                        : types[i] == "I" ? StoredNumber::Kind::integer
                                          : StoredNumber::Kind::natural;
    header.point_bytes += b * field.count;
    header.columns += field.count;
    header.fields.push_back(field);
  }
}

PcdHeader read_pcd_header(ByteView file, const std::string& name) {
  HeaderLines lines(file, name);
  std::map<std::string, std::vector<std::string>> given;
  while (given.count("DATA") == 0) {
    if (!lines.next()) lines.refuse("the header has no line DATA");
    const auto words = lines.words();
    if (words.empty() || words[0].front() == '#') continue;
    if (!given.emplace(words[0], std::vector<std::string>(words.begin() + 1, words.end())).second)
      lines.refuse(fmt::format("{} twice", words[0]));
  }
  const auto one = [&](const std::string& key) {
    if (given[key].size() != 1) lines.refuse("the header needs a line " + key + " with one value");
    return given[key][0];
  };
  PcdHeader header;
  read_fields(lines, given, header);
  header.cols = natural(lines, one("WIDTH"));
  header.rows = natural(lines, one("HEIGHT"));
  header.points = natural(lines, one("POINTS"));
  header.data = one("DATA");
  header.at = lines.at();
  const auto viewpoint = given.find("VIEWPOINT");
  const std::vector<std::string> origin{"0", "0", "0", "1", "0", "0", "0"};
  if (viewpoint != given.end() && viewpoint->second != origin)
    lines.refuse("VIEWPOINT is not 0 0 0 1 0 0 0: export points in the sensor's own coordinates");
  return header;
}

void check_header(const PcdHeader& header, std::size_t file_bytes, const std::string& name,
                  std::uint64_t most_pixels) {
  const auto refuse = [&](const std::string& what) { throw FrameError(fmt::format("{}: {}", name, what)); };
  if (header.rows == 1)
    refuse("HEIGHT 1: a cloud without rows; export an organised one, with a point for each pixel");
  check_raster_size(header.rows, header.cols, header.data == "ascii" ? 1 : 4, file_bytes, name, most_pixels);
  if (header.points != header.rows * header.cols)
    refuse(fmt::format("POINTS {} where WIDTH x HEIGHT is {}", header.points, header.rows * header.cols));
}

// Point by point, or field by field for a compressed file.
void fill(OrganisedCloud& cloud, ByteView data, const PcdHeader& header, bool by_field,
          const std::string& name) {
  std::vector<float>* into[] = {&cloud.x, &cloud.y, &cloud.z};
  const char* names[] = {"x", "y", "z"};
  for (int k = 0; k < 3; ++k) {
    const Field& field = field_of(header, names[k], name);
    const std::size_t step = by_field ? field.number.bytes : header.point_bytes;
    const std::size_t from = by_field ? field.offset * header.points : field.offset;
    into[k]->resize(header.points);
    for (std::size_t i = 0; i < header.points; ++i)
      (*into[k])[i] = static_cast<float>(number_at(data, from + i * step, field.number, false));
  }
}

void read_ascii(OrganisedCloud& cloud, ByteView data, const PcdHeader& header, const std::string& name) {
  HeaderLines lines(data, name + " data", data.size());
  const std::size_t x = field_of(header, "x", name).column, y = field_of(header, "y", name).column,
                    z = field_of(header, "z", name).column;
  for (std::size_t i = 0; i < header.points; ++i) {
    if (!lines.next()) lines.refuse(fmt::format("{} points where {} are announced", i, header.points));
    const auto words = lines.words();
    if (words.size() != header.columns)
      lines.refuse(fmt::format("{} values where {} belong", words.size(), header.columns));
    for (const auto& [column, into] : {std::pair{x, &cloud.x}, {y, &cloud.y}, {z, &cloud.z}}) {
      const auto value = number_in(words[column]);
      if (!value) lines.refuse(fmt::format("{} is not a number", words[column]));
      into->push_back(static_cast<float>(*value));
    }
  }
}

Bytes unpacked(ByteView data, std::size_t size, const std::string& name) {
  const StoredNumber u32{StoredNumber::Kind::natural, 4};
  if (data.size() < 8) throw FrameError(name + ": the file ends before its compressed data");
  const auto packed = static_cast<std::size_t>(number_at(data, 0, u32, false));
  const auto announced = static_cast<std::size_t>(number_at(data, 4, u32, false));
  if (announced != size || packed != data.size() - 8)
    throw FrameError(fmt::format("{}: {} bytes packed in {}; {} packed in {} are there", name, announced,
                                 packed, size, data.size() - 8));
  return unpack_lzf(data.subspan(8), size, name);
}

}  // namespace

OrganisedCloud read_pcd(ByteView file, const std::string& name, std::uint64_t most_pixels) {
  const PcdHeader header = read_pcd_header(file, name);
  check_header(header, file.size(), name, most_pixels);
  OrganisedCloud cloud;
  cloud.rows = static_cast<int>(header.rows);
  cloud.cols = static_cast<int>(header.cols);
  cloud.printed = header.data == "ascii";
  const ByteView data = file.subspan(header.at);
  const std::size_t size = header.points * header.point_bytes;
  if (header.data == "ascii") {
    read_ascii(cloud, data, header, name);
  } else if (header.data == "binary") {
    if (data.size() != size)
      throw FrameError(fmt::format("{}: {} bytes of points; exactly {} belong", name, data.size(), size));
    fill(cloud, data, header, false, name);
  } else if (header.data == "binary_compressed") {
    // LZF expands 3 bytes to at most 264; the second limit is a frame of 2^28 points of 16 bytes.
    if (size / 88 > data.size() || size > std::size_t{1} << 32)
      throw FrameError(name + ": more points than its compressed data can hold");
    fill(cloud, unpacked(data, size, name), header, true, name);
  } else {
    throw FrameError(
        fmt::format("{}: DATA {}; ascii, binary or binary_compressed is read", name, header.data));
  }
  return cloud;
}

}  // namespace datum
