// NRRD (G. Kindlmann, "Definition of NRRD File Format", teem.sourceforge.net/nrrd/format.html): a magic line, lines
// "field: value", "key:=value" or "# comment", a blank line, then the samples.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <map>
#include <optional>

#include "drivers/volume/volume.h"

namespace datum {
namespace {

constexpr std::string_view blanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const auto from = text.find_first_not_of(blanks);
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(blanks) - from + 1);
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (text = trimmed(text); !text.empty(); text = trimmed(text)) {
    const std::string_view word = text.substr(0, text.find_first_of(blanks));
    words.emplace_back(word);
    text.remove_prefix(word.size());
  }
  return words;
}

struct Line {
  std::size_t number = 0;
  std::string_view text;  // without its end
};

/// A field's name in the form of the definition; two have two spellings.
std::string field_name(std::string_view text) {
  if (text == "datafile") return "data file";
  if (text == "byteskip") return "byte skip";
  if (text == "lineskip") return "line skip";
  return std::string(text);
}

/// "field" of "field: value"; empty: a comment, a key/value pair, or no field.
std::string field_of(std::string_view line) {
  const auto colon = line.find(':');
  if (line.empty() || line[0] == '#' || colon == std::string_view::npos) return "";
  if (colon + 1 < line.size() && line[colon + 1] == '=') return "";
  return field_name(trimmed(line.substr(0, colon)));
}

/// Lines from the magic to the blank line or to the end.
std::vector<Line> lines_of(std::string_view bytes, std::size_t& end) {
  std::vector<Line> lines;
  end = bytes.size();
  for (std::size_t from = 0; from < bytes.size();) {
    const std::size_t stop = std::min(bytes.find('\n', from), bytes.size());
    std::string_view text = bytes.substr(from, stop - from);
    if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
    from = std::min(stop + 1, bytes.size());
    if (text.empty()) {
      end = from;
      break;
    }
    lines.push_back({lines.size() + 1, text});
  }
  return lines;
}

class Fields {
 public:
  Fields(const std::vector<Line>& lines, const std::string& name) : name_(name) {
    for (const Line& line : lines) {
      if (line.number == 1) continue;
      const std::string field = field_of(line.text);
      if (field.empty()) {
        if (line.text[0] != '#' && line.text.find(":=") == std::string_view::npos)
          refuse(line.number, fmt::format("'{}' is no field", printable_text(std::string(line.text))),
                 "\"field: value\", \"key:=value\" or \"# comment\"");
        continue;
      }
      const std::string_view value = trimmed(line.text.substr(line.text.find(':') + 1));
      if (!fields_.emplace(field, Line{line.number, value}).second)
        refuse(line.number, field + " stands there twice", "each field once");
    }
  }

  [[noreturn]] void refuse(std::size_t number, const std::string& what, const std::string& wanted) const {
    throw VolumeError(fmt::format("{}:{}: {}; wanted: {}", name_, number, what, wanted));
  }
  [[noreturn]] void refuse(const std::string& field, const std::string& wanted) const {
    const Line& line = fields_.at(field);
    refuse(line.number, fmt::format("{}: '{}'", field, printable_text(std::string(line.text))), wanted);
  }
  std::optional<std::string> find(const std::string& field) const {
    const auto found = fields_.find(field);
    if (found == fields_.end()) return std::nullopt;
    return std::string(found->second.text);
  }
  std::string need(const std::string& field, const std::string& wanted) const {
    const auto value = find(field);
    if (!value) throw VolumeError(fmt::format("{}: no field '{}'; wanted: {}", name_, field, wanted));
    return *value;
  }

 private:
  const std::string& name_;
  std::map<std::string, Line> fields_;
};

template <class T>
std::optional<T> number_of(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

constexpr const char* wanted_type =
    "int8, uint8, int16, uint16, int32, uint32, float or double (convert others: teem-unu convert)";

VoxelType type_of(const Fields& fields) {
  static const std::map<std::string, VoxelType> types{{"signed char", VoxelType::i8},
                                                      {"int8", VoxelType::i8},
                                                      {"int8_t", VoxelType::i8},
                                                      {"uchar", VoxelType::u8},
                                                      {"unsigned char", VoxelType::u8},
                                                      {"uint8", VoxelType::u8},
                                                      {"uint8_t", VoxelType::u8},
                                                      {"short", VoxelType::i16},
                                                      {"short int", VoxelType::i16},
                                                      {"signed short", VoxelType::i16},
                                                      {"signed short int", VoxelType::i16},
                                                      {"int16", VoxelType::i16},
                                                      {"int16_t", VoxelType::i16},
                                                      {"ushort", VoxelType::u16},
                                                      {"unsigned short", VoxelType::u16},
                                                      {"unsigned short int", VoxelType::u16},
                                                      {"uint16", VoxelType::u16},
                                                      {"uint16_t", VoxelType::u16},
                                                      {"int", VoxelType::i32},
                                                      {"signed int", VoxelType::i32},
                                                      {"int32", VoxelType::i32},
                                                      {"int32_t", VoxelType::i32},
                                                      {"uint", VoxelType::u32},
                                                      {"unsigned int", VoxelType::u32},
                                                      {"uint32", VoxelType::u32},
                                                      {"uint32_t", VoxelType::u32},
                                                      {"float", VoxelType::f32},
                                                      {"double", VoxelType::f64}};
  const auto found = types.find(fields.need("type", wanted_type));
  if (found == types.end()) fields.refuse("type", wanted_type);
  return found->second;
}

void take_sizes(const Fields& fields, const std::string& name, VolumeHeader& h) {
  if (fields.need("dimension", "3") != "3")
    fields.refuse("dimension", "3; a map has a third size of 1, of several volumes each is a file");
  const auto words = words_of(fields.need("sizes", "three whole numbers"));
  std::uint64_t size[3] = {};
  if (words.size() != 3) fields.refuse("sizes", "three whole numbers");
  for (std::size_t k = 0; k < 3; ++k) {
    const auto n = number_of<std::uint64_t>(words[k]);
    if (!n) fields.refuse("sizes", "three whole numbers");
    size[k] = *n;
  }
  check_sizes(size, name);
  for (int k = 0; k < 3; ++k) h.size[k] = static_cast<std::uint32_t>(size[k]);
}

void check_kinds(const Fields& fields) {
  const auto kinds = fields.find("kinds");
  if (!kinds) return;
  for (const std::string& kind : words_of(*kinds))
    if (kind != "domain" && kind != "space" && kind != "none" && kind != "???")
      fields.refuse("kinds",
                    "axes in space (domain, space); colours, vectors and times are no axes of a volume");
}

void take_encoding(const Fields& fields, VolumeHeader& h) {
  const std::string encoding = fields.need("encoding", "raw or gzip");
  h.gzip = encoding == "gzip" || encoding == "gz";
  if (!h.gzip && encoding != "raw")
    fields.refuse("encoding", "raw or gzip (convert: teem-unu save -f nrrd -e gzip)");
  if (bytes_of(h.type) == 1 && !fields.find("endian")) return;
  const std::string endian = fields.need("endian", "little or big");
  h.big_endian = endian == "big";
  if (!h.big_endian && endian != "little") fields.refuse("endian", "little or big");
}

void take_place(const Fields& fields, VolumeHeader& h) {
  if (const auto lines = fields.find("line skip"); lines && lines != "0")
    fields.refuse("line skip", "0; byte skip says where the samples begin");
  if (const auto bytes = fields.find("byte skip")) {
    const auto n = number_of<std::int64_t>(*bytes);
    if (!n || *n < -1 || *n > std::int64_t{1} << 40) fields.refuse("byte skip", "-1, or 0 to 2^40 bytes");
    if (*n == -1 && h.gzip) fields.refuse("byte skip", "0 or more with encoding gzip: -1 is of raw samples");
    h.skip = *n;
  }
  if (const auto file = fields.find("data file")) {
    if (file->empty() || file->find('/') != std::string::npos || file->find('%') != std::string::npos ||
        *file == "LIST" || file->rfind("LIST ", 0) == 0 || *file == "." || *file == "..")
      fields.refuse("data file", "the name of one file beside the header, without a folder, list or pattern");
    h.data_file = *file;
  }
}

double length_of(std::string_view vector) {
  if (vector.size() < 2 || vector.front() != '(' || vector.back() != ')') return 0;
  vector = vector.substr(1, vector.size() - 2);
  double squares = 0;
  while (!vector.empty()) {
    const auto comma = std::min(vector.find(','), vector.size());
    const auto v = number_of<double>(trimmed(vector.substr(0, comma)));
    if (!v) return 0;
    squares += *v * *v;
    vector.remove_prefix(std::min(comma + 1, vector.size()));
  }
  return std::sqrt(squares);
}

/// Informative: what can't be read is not stated.
void take_spacing(const Fields& fields, VolumeHeader& h) {
  const auto directions = fields.find("space directions");
  const auto words = words_of(directions ? *directions : fields.find("spacings").value_or(""));
  for (std::size_t k = 0; k < 3 && words.size() == 3; ++k) {
    const double v = directions ? length_of(words[k]) : std::abs(number_of<double>(words[k]).value_or(0));
    h.spacing[k] = std::isfinite(v) ? v : 0;
  }
  const std::string units = fields.find(directions ? "space units" : "units").value_or("");
  if (const auto from = units.find('"'); from != std::string::npos)
    h.spacing_unit = printable_text(units.substr(from + 1, units.find('"', from + 1) - from - 1));
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '\\' ? "\\\\" : c == '\n' ? "\\n" : std::string(1, c);
  return out;
}

}  // namespace

VolumeHeader nrrd_from_bytes(std::string_view bytes, const std::string& name) {
  std::size_t end = 0;
  const std::vector<Line> lines = lines_of(bytes, end);
  const std::string_view magic = lines.empty() ? std::string_view() : lines[0].text;
  if (magic.size() != 8 || magic.substr(0, 7) != "NRRD000" || magic[7] < '1' || magic[7] > '5')
    throw VolumeError(name + ":1: no NRRD; wanted: a first line NRRD0001 to NRRD0005");
  if (end == bytes.size() && bytes.size() >= most_header_bytes)
    throw VolumeError(name + ": no blank line within 1 MiB; wanted: a header, a blank line, then samples");
  const Fields fields(lines, name);
  VolumeHeader h;
  h.format = VolumeFormat::nrrd;
  h.type = type_of(fields);
  take_sizes(fields, name, h);
  check_kinds(fields);
  take_encoding(fields, h);
  take_place(fields, h);
  take_spacing(fields, h);
  h.text = std::string(bytes.substr(0, end));
  return h;
}

std::string nrrd_with(const VolumeHeader& header, const std::string& key, const std::string& done) {
  std::size_t end = 0;
  std::string text;
  int times = 1;
  const auto key_of = [&](int n) { return n == 1 ? key : fmt::format("{} {}", key, n); };
  for (const Line& line : lines_of(header.text, end)) {
    const std::string field = field_of(line.text);
    if (field == "data file" || field == "byte skip" || field == "line skip") continue;
    if (line.text.substr(0, line.text.find(":=")) == key_of(times)) ++times;
    // Key/value pairs are known since the second version.
    text += line.number == 1 && line.text == "NRRD0001" ? "NRRD0002" : std::string(line.text);
    text += '\n';
  }
  return text + key_of(times) + ":=" + escaped(done) + "\n\n";
}

}  // namespace datum
