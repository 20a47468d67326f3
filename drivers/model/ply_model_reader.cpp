#include <fmt/format.h>

#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include "drivers/model/model_lines.h"
#include "drivers/model/model_readers.h"
#include "drivers/sensor/stored_number.h"

namespace datum {
namespace {

using Kind = StoredNumber::Kind;

constexpr std::size_t max_header_bytes = 65536, max_properties = 64;

struct Property {
  std::string name;
  StoredNumber number;
  std::optional<StoredNumber> count;  // of a list
};

struct Element {
  std::uint64_t count = 0;
  std::vector<Property> properties;

  std::optional<std::size_t> find(std::string_view name) const {
    for (std::size_t i = 0; i < properties.size(); ++i)
      if (properties[i].name == name) return i;
    return std::nullopt;
  }
  /// Indices of x, y and z, or of nx, ny and nz.
  std::optional<std::array<std::size_t, 3>> vector(const std::string& prefix) const {
    const auto x = find(prefix + "x"), y = find(prefix + "y"), z = find(prefix + "z");
    if (!x || !y || !z) return std::nullopt;
    return std::array{*x, *y, *z};
  }
};

struct PlyHeader {
  enum class Format { ascii, little_endian, big_endian };
  std::optional<Format> format;
  std::optional<Element> vertex, face;
  std::size_t body = 0;
};

std::optional<StoredNumber> number_named(std::string_view word) {
  static const std::map<std::string_view, StoredNumber> types{
      {"char", {Kind::integer, 1}},   {"int8", {Kind::integer, 1}},   {"uchar", {Kind::natural, 1}},
      {"uint8", {Kind::natural, 1}},  {"short", {Kind::integer, 2}},  {"int16", {Kind::integer, 2}},
      {"ushort", {Kind::natural, 2}}, {"uint16", {Kind::natural, 2}}, {"int", {Kind::integer, 4}},
      {"int32", {Kind::integer, 4}},  {"uint", {Kind::natural, 4}},   {"uint32", {Kind::natural, 4}},
      {"float", {Kind::real, 4}},     {"float32", {Kind::real, 4}},   {"double", {Kind::real, 8}},
      {"float64", {Kind::real, 8}}};
  const auto found = types.find(word);
  return found == types.end() ? std::nullopt : std::optional(found->second);
}

class PlyHeaderReader {
 public:
  PlyHeaderReader(std::string_view bytes, const std::string& name)
      : lines_(bytes.substr(0, max_header_bytes), name), bytes_(bytes.size()) {}

  PlyHeader read() {
    if (!lines_.next() || !lines_.is({"ply"}))
      lines_.refuse("does not begin with a line 'ply'; export it again");
    for (step(); !lines_.is({"end_header"}); step()) take_line(lines_.words()[0]);
    if (!header_.format) lines_.refuse("the header states no format; export it again");
    header_.body = lines_.at();
    return std::move(header_);
  }

 private:
  void step() {
    if (!lines_.next())
      lines_.refuse(
          fmt::format("ends early: no 'end_header' in the first {} bytes; it is truncated or damaged, export "
                      "it again",
                      max_header_bytes));
  }

  void take_line(std::string_view word) {
    if (word == "comment" || word == "obj_info") return;
    if (word == "format") return take_format();
    if (word == "element") return take_element();
    if (word == "property") return take_property();
    lines_.refuse(
        fmt::format("has the statement '{}', which no PLY header has; export it again", shown_word(word)));
  }

  void take_format() {
    using Format = PlyHeader::Format;
    if (header_.format) lines_.refuse("states the format twice; it is damaged, export it again");
    if (lines_.is({"format", "ascii", "1.0"})) header_.format = Format::ascii;
    if (lines_.is({"format", "binary_little_endian", "1.0"})) header_.format = Format::little_endian;
    if (lines_.is({"format", "binary_big_endian", "1.0"})) header_.format = Format::big_endian;
    if (!header_.format)
      lines_.refuse("the format must be ascii, binary_little_endian or binary_big_endian 1.0; export it so");
  }

  void take_element() {
    const auto& words = lines_.words();
    const auto count = words.size() == 3 ? natural_in(words[2]) : std::nullopt;
    if (!count || *count > bytes_)
      lines_.refuse(fmt::format("announces '{}' of '{}' in {} bytes; it is damaged, export it again",
                                shown_word(words.size() > 2 ? words[2] : ""),
                                shown_word(words.size() > 1 ? words[1] : ""), bytes_));
    const bool vertex = words[1] == "vertex", face = words[1] == "face";
    if (!vertex && !face)
      lines_.refuse(
          fmt::format("has the element '{}'; export it with vertex and face alone", shown_word(words[1])));
    if (vertex ? header_.vertex.has_value() : header_.face.has_value())
      lines_.refuse(fmt::format("has the element {} twice; it is damaged, export it again", words[1]));
    if (face && !header_.vertex)
      lines_.refuse("has the element face before vertex; export it in the usual order");
    element_ = &(vertex ? header_.vertex : header_.face).emplace();
    element_->count = *count;
  }

  void take_property() {
    if (!element_) lines_.refuse("has a property of no element; it is damaged, export it again");
    Property property = property_of(lines_.words());
    if (element_->find(property.name))
      lines_.refuse(fmt::format("has the property {} twice; it is damaged, export it again",
                                shown_word(property.name)));
    if (element_->properties.size() == max_properties)
      lines_.refuse(
          fmt::format("has more than {} properties; export vertices and faces alone", max_properties));
    element_->properties.push_back(std::move(property));
  }

  Property property_of(const std::vector<std::string_view>& words) const {
    const bool list = words.size() == 5 && words[1] == "list";
    const auto number = list                ? number_named(words[3])
                        : words.size() == 3 ? number_named(words[1])
                                            : std::nullopt;
    const auto count = list ? number_named(words[2]) : std::nullopt;
    if (!number || (list && !count))
      lines_.refuse("has a property that is not 'TYPE NAME' or 'list TYPE TYPE NAME'; export it again");
    if (list) check_list(words[4], *count, *number);
    return {std::string(words.back()), *number, count};
  }

  void check_list(std::string_view name, const StoredNumber& count, const StoredNumber& number) const {
    const bool corners = header_.face && (name == "vertex_indices" || name == "vertex_index");
    if (!corners)
      lines_.refuse(fmt::format("has the list '{}'; only a face's vertex_indices is known: export it without",
                                shown_word(name)));
    if (count.kind == Kind::real || number.kind == Kind::real)
      lines_.refuse("has corners that are no integers; export it again");
    for (const Property& other : header_.face->properties)
      if (other.count) lines_.refuse("has the corners of a face twice; it is damaged, export it again");
  }

  ModelLines lines_;
  std::size_t bytes_;
  PlyHeader header_;
  Element* element_ = nullptr;
};

/// Sequential numbers of the body.
class PlyBody {
 public:
  PlyBody(std::string_view bytes, const PlyHeader& header, const ModelGatherer& model)
      : bytes_(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()),
        ascii_(header.format == PlyHeader::Format::ascii),
        big_endian_(header.format == PlyHeader::Format::big_endian),
        text_name_(model.name() + " body"),
        lines_(bytes, text_name_),
        model_(model) {}

  /// Begins a vertex or face; in ASCII it is one line.
  void begin() {
    word_ = 0;
    if (ascii_ && !lines_.next()) refuse_early();
  }
  double next(const StoredNumber& as) { return ascii_ ? next_word(as) : next_bytes(as); }
  void end() const {
    if (ascii_ && word_ != lines_.words().size())
      lines_.refuse(fmt::format("has {} numbers where {} belong; it is damaged, export it again",
                                lines_.words().size(), word_));
  }
  void finish() {
    if (ascii_ ? lines_.next() : at_ != bytes_.size())
      model_.refuse("goes on after all that its header announces; it is damaged, export it again");
  }

 private:
  [[noreturn]] void refuse_early() const {
    model_.refuse("ends early: its header announces more; it is truncated or damaged, export it again");
  }
  double next_word(const StoredNumber& as) {
    if (word_ == lines_.words().size()) lines_.refuse("has too few numbers; it is damaged, export it again");
    const auto number = number_in(lines_.words()[word_++]);
    if (!number || (as.kind != Kind::real && *number != std::floor(*number)))
      lines_.refuse(fmt::format("has '{}' where a number belongs; it is damaged, export it again",
                                shown_word(lines_.words()[word_ - 1])));
    return *number;
  }
  double next_bytes(const StoredNumber& as) {
    if (as.bytes > bytes_.size() - at_) refuse_early();
    at_ += as.bytes;
    return number_at(bytes_, at_ - as.bytes, as, big_endian_);
  }

  ByteView bytes_;
  bool ascii_, big_endian_;
  std::string text_name_;
  ModelLines lines_;
  const ModelGatherer& model_;
  std::size_t at_ = 0, word_ = 0;
};

class PlyModelReader {
 public:
  PlyModelReader(std::string_view bytes, ModelGatherer& model)
      : header_(PlyHeaderReader(bytes, model.name()).read()),
        body_(bytes.substr(header_.body), header_, model),
        model_(model) {}

  void read() {
    if (!header_.face || header_.face->count == 0)
      model_.refuse("has points but no facets; a model needs its surface, export it as a mesh");
    const auto at = header_.vertex->vector("");
    if (!at) model_.refuse("a vertex has no x, y and z; export it again");
    model_.expect(header_.vertex->count, header_.face->count);
    for (std::uint64_t i = 0; i < header_.vertex->count; ++i) take_vertex(i, *at);
    for (std::uint64_t i = 0; i < header_.face->count; ++i) take_face(i);
    body_.finish();
  }

 private:
  void take_vertex(std::uint64_t number, const std::array<std::size_t, 3>& at) {
    const auto& properties = header_.vertex->properties;
    std::array<double, max_properties> values{};
    body_.begin();
    for (std::size_t i = 0; i < properties.size(); ++i) values[i] = body_.next(properties[i].number);
    body_.end();
    const auto vector = [&](const std::array<std::size_t, 3>& of, const char* what) {
      return model_vector({values[of[0]], values[of[1]], values[of[2]]},
                          fmt::format("{}: vertex {}", model_.name(), number), what);
    };
    vertices_.push_back(vector(at, "has a coordinate"));
    model_.take_vertex(vertices_.back());
    if (normal_) normals_.push_back(vector(*normal_, "has a normal"));
  }

  void take_face(std::uint64_t number) {
    std::optional<std::array<std::uint32_t, 3>> corners;
    body_.begin();
    for (const Property& property : header_.face->properties) {
      if (!property.count)
        body_.next(property.number);
      else
        corners = corners_of(number, property);
    }
    body_.end();
    if (!corners) model_.refuse("a face has no list vertex_indices; export it again");
    model_.take_facet(*corners);
    if (normal_) compare_normal(*corners);
  }

  std::array<std::uint32_t, 3> corners_of(std::uint64_t number, const Property& list) {
    const double count = body_.next(*list.count);
    if (count != 3)
      model_.refuse(fmt::format("facet {} has {} corners; export it with triangles only", number, count));
    std::array<std::uint32_t, 3> corners{};
    for (std::uint32_t& corner : corners) {
      const double vertex = body_.next(list.number);
      if (!(vertex >= 0 && vertex < static_cast<double>(vertices_.size())))
        model_.refuse(fmt::format("facet {} names vertex {} of {}; it is damaged, export it again", number,
                                  vertex, vertices_.size()));
      corner = static_cast<std::uint32_t>(vertex);
    }
    return corners;
  }

  void compare_normal(const std::array<std::uint32_t, 3>& corners) {
    ModelCorners at;
    ModelVector stated{};
    for (std::size_t k = 0; k < 3; ++k) {
      at[k] = vertices_[corners[k]];
      for (std::size_t axis = 0; axis < 3; ++axis) stated[axis] += normals_[corners[k]][axis];
    }
    model_.compare_normal(at, stated);
  }

  const PlyHeader header_;
  PlyBody body_;
  ModelGatherer& model_;
  const std::optional<std::array<std::size_t, 3>> normal_ =
      header_.vertex ? header_.vertex->vector("n") : std::nullopt;
  std::vector<ModelVector> vertices_, normals_;
};

}  // namespace

void read_ply_model(std::string_view bytes, ModelGatherer& model) { PlyModelReader(bytes, model).read(); }

}  // namespace datum
