#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "drivers/frame/frame_error.h"
#include "drivers/sensor/header_lines.h"
#include "drivers/sensor/stated_map.h"
#include "drivers/sensor/stored_number.h"

namespace datum {
namespace {

using Keys = std::map<std::string, std::string>;

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

std::string trimmed(std::string_view text) {
  const std::size_t from = text.find_first_not_of(" \t");
  if (from == std::string_view::npos) return "";
  return std::string(text.substr(from, text.find_last_not_of(" \t") - from + 1));
}

/// "key = value" or "key = { ... }" over several lines; keys in lower case.
Keys read_keys(HeaderLines& lines) {
  if (!lines.next() || trimmed(lines.line()) != "ENVI") lines.refuse("does not start with a line \"ENVI\"");
  Keys keys;
  while (lines.next()) {
    const std::string line(lines.line());
    if (trimmed(line).empty() || line[0] == ';') continue;
    const std::size_t equals = line.find('=');
    if (equals == std::string::npos) lines.refuse("neither \"key = value\" nor a comment");
    const std::string key = lower(trimmed(line.substr(0, equals)));
    std::string value = trimmed(line.substr(equals + 1));
    while (!value.empty() && value.front() == '{' && value.find('}') == std::string::npos) {
      if (!lines.next()) lines.refuse("'{' without '}'");
      value += " " + trimmed(lines.line());
    }
    if (!keys.emplace(key, value).second) lines.refuse("'" + key + "' twice");
  }
  return keys;
}

class EnviHeader {
 public:
  EnviHeader(ByteView text, const std::string& name)
      : lines_(text, name), name_(name), keys_(read_keys(lines_)) {}

  [[noreturn]] void refuse(const std::string& what) const { throw FrameError(name_ + ": " + what); }
  std::optional<std::string> text(const std::string& key) const {
    const auto found = keys_.find(key);
    return found == keys_.end() ? std::nullopt : std::optional(found->second);
  }
  std::uint64_t natural(const std::string& key, std::optional<std::uint64_t> fallback = std::nullopt) const {
    const auto value = text(key);
    if (!value && fallback) return *fallback;
    if (!value) refuse("has no '" + key + "'");
    const auto number = natural_in(*value);
    if (!number) refuse(fmt::format("'{} = {}' is not a whole number", key, *value));
    return *number;
  }
  /// Elements of "{a, b, c}".
  std::vector<std::string> list(const std::string& key) const {
    const std::string value = text(key).value_or("{}");
    if (value.size() < 2 || value.front() != '{' || value.back() != '}') refuse("'" + key + "' is no {list}");
    std::vector<std::string> parts;
    for (std::size_t at = 1; at + 1 < value.size();) {
      const std::size_t end = std::min(value.find(',', at), value.size() - 1);
      parts.push_back(trimmed(value.substr(at, end - at)));
      at = end + 1;
    }
    return parts;
  }

 private:
  HeaderLines lines_;
  std::string name_;
  Keys keys_;
};

/// mm of "units=Meters" among `parts`.
double unit_mm(const EnviHeader& header, const std::vector<std::string>& parts, const std::string& key) {
  for (const std::string& part : parts) {
    if (lower(part).rfind("units=", 0) != 0) continue;
    const std::string unit = lower(part.substr(6));
    if (unit == "millimeters" || unit == "mm") return 1;
    if (unit == "meters" || unit == "m") return 1000;
    if (unit == "micrometers" || unit == "um") return 0.001;
  }
  header.refuse("'" + key + "' without units=Meters, Millimeters or Micrometers; leave it out or state them");
}

void read_steps(const EnviHeader& header, const std::string& key, std::size_t first, StatedMap& map) {
  if (!header.text(key)) return;
  const auto parts = header.list(key);
  const auto x = parts.size() > first + 1 ? number_in(parts[first]) : std::nullopt;
  const auto y = parts.size() > first + 1 ? number_in(parts[first + 1]) : std::nullopt;
  if (!x || !y) header.refuse("'" + key + "' has no pixel size");
  const double mm = unit_mm(header, parts, key);
  map.x_step = *x * mm;
  map.y_step = *y * mm;
}

void read_statements(const EnviHeader& header, StatedMap& map) {
  read_steps(header, "map info", 5, map);
  read_steps(header, "pixel size", 0, map);
  for (const auto& [key, neutral] : {std::pair{"data gain values", 1.0}, {"data offset values", 0.0}}) {
    if (!header.text(key)) continue;
    const auto parts = header.list(key);
    const auto value = parts.size() == 1 ? number_in(parts[0]) : std::nullopt;
    if (value != neutral)
      header.refuse(fmt::format("'{}' other than {}: scale and offset stand in the sidecar", key, neutral));
  }
  if (const auto ignored = header.text("data ignore value")) {
    map.invalid = number_in(*ignored);
    if (!map.invalid) header.refuse("'data ignore value' is not a number");
  }
}

template <class Sample>
Samples samples(ByteView data, const StoredImage& image) {
  std::vector<Sample> out(image.size());
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<Sample>(
        number_at(data, image.runs[0].at + i * image.as.bytes, image.as, image.big_endian));
  return out;
}

Samples samples_of_envi(ByteView data, const StoredImage& image) {
  const StoredNumber& as = image.as;
  if (as.kind == StoredNumber::Kind::real) return samples<float>(data, image);
  if (as.kind == StoredNumber::Kind::integer)
    return as.bytes == 2 ? samples<std::int16_t>(data, image) : samples<std::int32_t>(data, image);
  return as.bytes == 2 ? samples<std::uint16_t>(data, image) : samples<std::uint8_t>(data, image);
}

}  // namespace

EnviMap envi_map(std::uint64_t data_bytes, const std::string& name, ByteView text,
                 const std::string& header_name, std::uint64_t most_pixels) {
  using Kind = StoredNumber::Kind;
  static const std::map<std::uint64_t, StoredNumber> types{{1, {Kind::natural, 1}}, {2, {Kind::integer, 2}},
                                                           {3, {Kind::integer, 4}}, {4, {Kind::real, 4}},
                                                           {5, {Kind::real, 8}},    {12, {Kind::natural, 2}}};
  const EnviHeader header(text, header_name);
  const auto type = types.find(header.natural("data type"));
  if (type == types.end())
    header.refuse(fmt::format("data type {}; 2, 3, 4, 5 and 12 are read", *header.text("data type")));
  if (header.natural("bands", 1) != 1) header.refuse("several bands; a height map has one");
  const std::uint64_t rows = header.natural("lines"), cols = header.natural("samples"),
                      at = header.natural("header offset", 0), order = header.natural("byte order");
  if (order > 1) header.refuse("byte order is neither 0 nor 1");
  const StoredNumber& as = type->second;
  check_raster_size(rows, cols, static_cast<unsigned>(as.bytes), data_bytes, name, most_pixels);
  const std::uint64_t count = rows * cols, size = count * as.bytes;
  if (at > data_bytes || data_bytes - at != size)
    throw FrameError(fmt::format("{}: {} bytes; {} of header and {} rows x {} columns need exactly {}", name,
                                 data_bytes, at, rows, cols, at + size));
  EnviMap map;
  map.image = {static_cast<int>(rows), static_cast<int>(cols), as, order == 1, {{at, 0, count}}};
  read_statements(header, map.stated);
  return map;
}

StatedMap read_envi(ByteView data, const std::string& name, ByteView text, const std::string& header_name,
                    std::uint64_t most_pixels) {
  EnviMap map = envi_map(data.size(), name, text, header_name, most_pixels);
  map.stated.raster = {map.image.rows, map.image.cols, samples_of_envi(data, map.image)};
  return std::move(map.stated);
}

}  // namespace datum
