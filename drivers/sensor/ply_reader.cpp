#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "drivers/frame/frame_error.h"
#include "drivers/sensor/header_lines.h"
#include "drivers/sensor/organised_cloud.h"
#include "drivers/sensor/ply_columns.h"
#include "drivers/sensor/stored_number.h"

namespace datum {
namespace {

constexpr std::size_t most_properties = 64;

struct Property {
  std::string name;
  StoredNumber number;
  std::size_t offset = 0;
};

struct PlyHeader {
  enum class Format { none, ascii, little_endian, big_endian } format = Format::none;
  std::vector<Property> properties;  // of a vertex
  std::uint64_t vertices = 0;
  std::size_t vertex_bytes = 0, elements = 0;
  std::optional<std::uint64_t> rows, cols;  // from comments
  std::size_t at = 0;
};

StoredNumber type_of(const HeaderLines& lines, std::string_view word) {
  using Kind = StoredNumber::Kind;
  static const std::pair<const char*, StoredNumber> types[] = {
      {"char", {Kind::integer, 1}},   {"int8", {Kind::integer, 1}},   {"uchar", {Kind::natural, 1}},
      {"uint8", {Kind::natural, 1}},  {"short", {Kind::integer, 2}},  {"int16", {Kind::integer, 2}},
      {"ushort", {Kind::natural, 2}}, {"uint16", {Kind::natural, 2}}, {"int", {Kind::integer, 4}},
      {"int32", {Kind::integer, 4}},  {"uint", {Kind::natural, 4}},   {"uint32", {Kind::natural, 4}},
      {"float", {Kind::real, 4}},     {"float32", {Kind::real, 4}},   {"double", {Kind::real, 8}},
      {"float64", {Kind::real, 8}}};
  for (const auto& [name, number] : types)
    if (word == name) return number;
  lines.refuse(fmt::format("type {} of a vertex; only plain numbers are read, no lists", word));
}

void read_grid_comment(const std::vector<std::string_view>& words, PlyHeader& header) {
  if (words.size() != 3) return;
  const auto count = natural_in(words[2]);
  if (!count) return;
  if (words[1] == "rows" || words[1] == "num_rows") header.rows = count;
  if (words[1] == "cols" || words[1] == "columns" || words[1] == "num_cols") header.cols = count;
}

void read_format(const HeaderLines& lines, const std::vector<std::string_view>& words, PlyHeader& header) {
  const std::string_view word = words.size() > 1 ? words[1] : "";
  header.format = word == "ascii"                  ? PlyHeader::Format::ascii
                  : word == "binary_little_endian" ? PlyHeader::Format::little_endian
                  : word == "binary_big_endian"    ? PlyHeader::Format::big_endian
                                                   : PlyHeader::Format::none;
  if (header.format == PlyHeader::Format::none || words.size() != 3 || words[2] != "1.0")
    lines.refuse("format must be ascii, binary_little_endian or binary_big_endian 1.0");
}

void read_line(const HeaderLines& lines, PlyHeader& header) {
  const auto words = lines.words();
  if (words.empty()) lines.refuse("an empty line in the header");
  if (words[0] == "comment" || words[0] == "obj_info") return read_grid_comment(words, header);
  if (words[0] == "format") return read_format(lines, words, header);
  if (words[0] == "element") {
    const auto count = words.size() == 3 ? natural_in(words[2]) : std::nullopt;
    if (!count) lines.refuse("element needs a name and a count");
    if (header.elements++ > 0) return;  // elements behind the vertices are skipped
    if (words[1] != "vertex") lines.refuse("the first element must be vertex");
    header.vertices = *count;
    return;
  }
  if (words[0] != "property") lines.refuse(fmt::format("{} is no line of a PLY header", words[0]));
  if (header.elements == 0) lines.refuse("a property of no element");
  if (header.elements > 1) return;
  const StoredNumber number = type_of(lines, words.size() == 3 ? words[1] : "list");
  if (header.properties.size() == most_properties) lines.refuse("more than 64 properties");
  header.properties.push_back({std::string(words[2]), number, header.vertex_bytes});
  header.vertex_bytes += number.bytes;
}

PlyHeader read_ply_header(ByteView file, const std::string& name) {
  HeaderLines lines(file, name);
  if (!lines.next() || lines.line() != "ply") lines.refuse("does not start with a line \"ply\"");
  PlyHeader header;
  for (;;) {
    if (!lines.next()) lines.refuse("the header has no end_header");
    if (lines.line() == "end_header") break;
    read_line(lines, header);
  }
  if (header.format == PlyHeader::Format::none) lines.refuse("the header has no format");
  header.at = lines.at();
  return header;
}

/// Index of a named property of a vertex, if present.
std::optional<std::size_t> find(const PlyHeader& header, std::initializer_list<const char*> names) {
  for (std::size_t i = 0; i < header.properties.size(); ++i)
    for (const char* name : names)
      if (header.properties[i].name == name) return i;
  return std::nullopt;
}

/// Sequential vertices, their properties as numbers.
class Vertices {
 public:
  Vertices(ByteView data, const PlyHeader& header, const std::string& name)
      : header_(header), data_(data), lines_(data, name + " data", data.size()), name_(name) {
    values_.resize(header.properties.size());
    // The shortest vertex of an ascii file has a digit and a separator per property.
    const std::size_t least =
        header.format == PlyHeader::Format::ascii ? 2 * header.properties.size() : header.vertex_bytes;
    if (least == 0 || header.vertices > data.size() / least)
      throw FrameError(
          fmt::format("{}: {} vertices can't come from {} bytes", name, header.vertices, data.size()));
  }
  const std::vector<double>& next() {
    return header_.format == PlyHeader::Format::ascii ? next_line() : next_bytes();
  }
  /// Only later elements may follow.
  void finish() const {
    const std::size_t used = header_.format == PlyHeader::Format::ascii ? lines_.at() : at_;
    if (header_.elements == 1 && used != data_.size())
      throw FrameError(fmt::format("{}: {} bytes after the last vertex", name_, data_.size() - used));
  }

 private:
  const std::vector<double>& next_line() {
    if (!lines_.next()) lines_.refuse("fewer vertices than announced");
    const auto words = lines_.words();
    if (words.size() != values_.size())
      lines_.refuse(fmt::format("{} values where {} belong", words.size(), values_.size()));
    for (std::size_t i = 0; i < words.size(); ++i) {
      const auto value = number_in(words[i]);
      if (!value) lines_.refuse(fmt::format("{} is not a number", words[i]));
      values_[i] = *value;
    }
    return values_;
  }
  const std::vector<double>& next_bytes() {
    for (std::size_t i = 0; i < values_.size(); ++i)
      values_[i] = number_at(data_, at_ + header_.properties[i].offset, header_.properties[i].number,
                             header_.format == PlyHeader::Format::big_endian);
    at_ += header_.vertex_bytes;
    return values_;
  }

  const PlyHeader& header_;
  ByteView data_;
  HeaderLines lines_;
  const std::string& name_;
  std::size_t at_ = 0;
  std::vector<double> values_;
};

/// Cells of the vertices, by their row and col or in row order.
class Grid {
 public:
  Grid(const PlyHeader& header, std::size_t file_bytes, const std::string& name, std::uint64_t most_pixels)
      : name_(name) {
    row_ = find(header, {"row"});
    col_ = find(header, {"col", "column"});
    if (!header.rows || !header.cols)
      refuse(
          "its grid is not stated: \"comment rows N\" and \"comment cols N\" (or obj_info num_rows, "
          "num_cols)");
    if (row_.has_value() != col_.has_value()) refuse("a property row without col, or col without row");
    check_raster_size(*header.rows, *header.cols, 1, file_bytes, name, most_pixels);
    rows_ = *header.rows;
    cols_ = *header.cols;
    if (!row_ && header.vertices != rows_ * cols_)
      refuse(fmt::format("{} vertices for {} rows x {} columns, and no properties row and col to place them",
                         header.vertices, rows_, cols_));
    taken_.resize(rows_ * cols_);
  }
  std::size_t cell_of(const std::vector<double>& vertex, std::size_t number) {
    std::size_t cell = number;
    if (row_) {
      const double row = vertex[*row_], col = vertex[*col_];
      const bool inside = row >= 0 && row < static_cast<double>(rows_) && col >= 0 &&
                          col < static_cast<double>(cols_) && row == std::floor(row) &&
                          col == std::floor(col);
      if (!inside) refuse(fmt::format("vertex {} at row {}, column {}, outside the grid", number, row, col));
      cell = static_cast<std::size_t>(row) * cols_ + static_cast<std::size_t>(col);
    }
    if (taken_[cell]) refuse(fmt::format("row {}, column {} has two vertices", cell / cols_, cell % cols_));
    taken_[cell] = true;
    return cell;
  }
  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }

 private:
  [[noreturn]] void refuse(const std::string& what) const { throw FrameError(name_ + ": " + what); }

  std::optional<std::size_t> row_, col_;
  std::uint64_t rows_ = 0, cols_ = 0;
  std::vector<bool> taken_;
  const std::string& name_;
};

}  // namespace

OrganisedCloud read_ply(ByteView file, const std::string& name, std::uint64_t most_pixels) {
  const PlyHeader header = read_ply_header(file, name);
  const auto x = find(header, {"x"}), y = find(header, {"y"}), z = find(header, {"z"});
  if (!x || !y || !z) throw FrameError(name + ": a vertex has no x, y and z");
  Grid grid(header, file.size(), name, most_pixels);
  Vertices vertices(file.subspan(header.at), header, name);
  OrganisedCloud cloud;
  cloud.rows = static_cast<int>(grid.rows());
  cloud.cols = static_cast<int>(grid.cols());
  cloud.printed = header.format == PlyHeader::Format::ascii;
  const std::size_t cells = grid.rows() * grid.cols();
  for (std::vector<float>* axis : {&cloud.x, &cloud.y, &cloud.z})
    axis->assign(cells, std::numeric_limits<float>::quiet_NaN());
  for (std::size_t i = 0; i < header.vertices; ++i) {
    const std::vector<double>& vertex = vertices.next();
    const std::size_t cell = grid.cell_of(vertex, i);
    cloud.x[cell] = static_cast<float>(vertex[*x]);
    cloud.y[cell] = static_cast<float>(vertex[*y]);
    cloud.z[cell] = static_cast<float>(vertex[*z]);
  }
  vertices.finish();
  return cloud;
}

std::map<std::string, std::vector<double>> read_ply_columns(ByteView file, const std::string& name,
                                                            const std::vector<std::string>& wanted) {
  const PlyHeader header = read_ply_header(file, name);
  std::map<std::string, std::vector<double>> columns;
  std::vector<std::pair<std::size_t, std::vector<double>*>> places;
  for (const std::string& property : wanted)
    if (const auto at = find(header, {property.c_str()})) places.emplace_back(*at, &columns[property]);
  Vertices vertices(file.subspan(header.at), header, name);
  for (std::uint64_t i = 0; i < header.vertices; ++i) {
    const std::vector<double>& vertex = vertices.next();
    for (const auto& [at, column] : places) column->push_back(vertex[at]);
  }
  vertices.finish();
  return columns;
}

}  // namespace datum
