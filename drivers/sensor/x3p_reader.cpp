#include <fmt/format.h>
#include <openssl/evp.h>

#include <cmath>
#include <pugixml.hpp>

#include "drivers/frame/frame_error.h"
#include "drivers/sensor/stated_map.h"
#include "drivers/sensor/stored_number.h"
#include "drivers/sensor/zip_entries.h"

namespace datum {
namespace {

constexpr std::size_t most_xml = 1 << 20, most_checksum = 4096;
constexpr double mm_per_m = 1000;

std::string md5_hex(ByteView bytes) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  EVP_Digest(bytes.data(), bytes.size(), digest, &size, EVP_md5(), nullptr);
  std::string hex;
  for (unsigned i = 0; i < size; ++i) hex += fmt::format("{:02x}", digest[i]);
  return hex;
}

std::string lower_case(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

std::string trimmed_text(const std::string& text) {
  const char* blanks = " \t\r\n";
  const std::size_t from = text.find_first_not_of(blanks);
  return from == std::string::npos ? "" : text.substr(from, text.find_last_not_of(blanks) - from + 1);
}

/// The child of this name, with any namespace prefix ("p:Record1").
pugi::xml_node child(const pugi::xml_node& node, const std::string& name) {
  for (const pugi::xml_node& inner : node.children()) {
    const std::string full = inner.name();
    if (full == name || full.substr(full.find(':') + 1) == name) return inner;
  }
  return {};
}

class Document {
 public:
  Document(const Bytes& xml, const std::string& name) : name_(name) {
    const auto parsed = document_.load_buffer(xml.data(), xml.size());
    if (!parsed)
      refuse(fmt::format("main.xml is no XML: {} at byte {}", parsed.description(), parsed.offset));
    root_ = child(document_, "ISO5436_2");
    if (!root_) refuse("main.xml has no ISO5436_2");
  }
  [[noreturn]] void refuse(const std::string& what) const { throw FrameError(name_ + ": " + what); }
  /// Text at "Record1/Axes/CX/AxisType"; empty where absent.
  std::string text(const std::string& path) const {
    pugi::xml_node node = root_;
    for (std::size_t at = 0; node && at <= path.size();) {
      const std::size_t end = std::min(path.find('/', at), path.size());
      node = child(node, path.substr(at, end - at));
      at = end + 1;
    }
    return trimmed_text(node.text().as_string());
  }
  double number(const std::string& path, std::optional<double> fallback = std::nullopt) const {
    const std::string given = text(path);
    if (given.empty() && fallback) return *fallback;
    const auto value = number_in(given);
    if (!value || !std::isfinite(*value)) refuse(fmt::format("{} '{}' is not a number", path, given));
    return *value;
  }
  std::uint64_t natural(const std::string& path) const {
    const auto value = natural_in(text(path));
    if (!value) refuse(fmt::format("{} '{}' is not a whole number", path, text(path)));
    return *value;
  }

 private:
  std::string name_;
  pugi::xml_document document_;
  pugi::xml_node root_;
};

/// The axis in mm. A missing offset is 0.
AxisScale scale_of(const Document& document, const std::string& axis, std::optional<double> fallback) {
  const std::string at = "Record1/Axes/" + axis;
  return {document.number(at + "/Increment", fallback) * mm_per_m,
          document.number(at + "/Offset", 0.0) * mm_per_m};
}

void check_kind(const Document& document) {
  const std::string feature = document.text("Record1/FeatureType");
  if (feature != "SUR") document.refuse("FeatureType '" + feature + "'; SUR, an areal surface, is read");
  for (const char* axis : {"CX", "CY"})
    if (document.text(std::string("Record1/Axes/") + axis + "/AxisType") != "I")
      document.refuse(fmt::format("axis {} is not incremental; export a regular grid", axis));
  if (document.text("Record1/Axes/CZ/AxisType") != "A") document.refuse("axis CZ is not absolute");
  if (document.natural("Record3/MatrixDimension/SizeZ") != 1) document.refuse("SizeZ is not 1");
  if (!document.text("Record3/DataLink/ValidPointsLink").empty())
    document.refuse("has a mask of valid points of its own; export invalid points as NaN");
  if (document.text("Record3/DataLink/PointDataLink").empty())
    document.refuse("has its points within main.xml; export them as binary data");
}

StoredNumber type_of(const Document& document) {
  const std::string type = document.text("Record1/Axes/CZ/DataType");
  using Kind = StoredNumber::Kind;
  if (type == "I") return {Kind::integer, 2};
  if (type == "L") return {Kind::integer, 4};
  if (type == "F") return {Kind::real, 4};
  if (type == "D") return {Kind::real, 8};
  document.refuse("DataType '" + type + "' of CZ; I, L, F and D are read");
}

template <class Sample>
Samples samples(const Bytes& data, const StoredNumber& as) {
  std::vector<Sample> out(data.size() / as.bytes);
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<Sample>(number_at(data, i * as.bytes, as, false));
  return out;
}

void check_md5(const Document& document, const std::string& what, const std::string& stated,
               const Bytes& bytes) {
  if (stated.empty()) document.refuse("has no checksum of " + what);
  if (lower_case(stated) != md5_hex(bytes))
    document.refuse("its checksum of " + what + " differs; it is damaged or was changed");
}

}  // namespace

StatedMap read_x3p(ByteView file, const std::string& name, std::uint64_t most_pixels) {
  const ZipEntries zip(file, name);
  const Bytes xml = zip.read("main.xml", most_xml);
  const Document document(xml, name);
  const Bytes sum = zip.read("md5checksum.hex", most_checksum);
  const std::string words(sum.begin(), sum.end());  // "<32 digits> *main.xml"
  check_md5(document, "main.xml", words.substr(0, words.find_first_of(" \t\r\n")), xml);
  check_kind(document);
  const std::uint64_t cols = document.natural("Record3/MatrixDimension/SizeX"),
                      rows = document.natural("Record3/MatrixDimension/SizeY");
  const StoredNumber as = type_of(document);
  check_raster_size(rows, cols, static_cast<unsigned>(as.bytes), file.size(), name, most_pixels);
  const std::size_t size = rows * cols * as.bytes;
  const std::string link = document.text("Record3/DataLink/PointDataLink");
  const Bytes data = zip.read(link, size);
  if (data.size() != size)
    document.refuse(
        fmt::format("{} has {} bytes; {} rows x {} columns need {}", link, data.size(), rows, cols, size));
  check_md5(document, link, document.text("Record3/DataLink/MD5ChecksumPointData"), data);
  StatedMap map;
  map.raster.rows = static_cast<int>(rows);
  map.raster.cols = static_cast<int>(cols);
  map.raster.samples = as.kind == StoredNumber::Kind::real ? samples<float>(data, as)
                       : as.bytes == 2                     ? samples<std::int16_t>(data, as)
                                                           : samples<std::int32_t>(data, as);
  map.x = scale_of(document, "CX", std::nullopt);
  map.y = scale_of(document, "CY", std::nullopt);
  // Without an increment heights of a floating type are in m.
  map.z = scale_of(document, "CZ", as.kind == StoredNumber::Kind::real ? std::optional(1.0) : std::nullopt);
  return map;
}

}  // namespace datum
