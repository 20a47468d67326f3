#include "drivers/model/ply_body.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "drivers/model/model_error.h"

namespace datum {
namespace {

using Words = std::vector<std::string_view>;

Words words_of(std::string_view line) {
  Words words;
  for (std::size_t at = 0; (at = line.find_first_not_of(" \t\r", at)) != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(" \t\r", at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

std::optional<std::size_t> size_of_type(std::string_view type) {
  static const std::map<std::string_view, std::size_t> sizes{
      {"char", 1},  {"uchar", 1},   {"int8", 1},   {"uint8", 1},  {"short", 2}, {"ushort", 2},
      {"int16", 2}, {"uint16", 2},  {"int", 4},    {"uint", 4},   {"int32", 4}, {"uint32", 4},
      {"float", 4}, {"float32", 4}, {"double", 8}, {"float64", 8}};
  const auto found = sizes.find(type);
  return found == sizes.end() ? std::nullopt : std::optional(found->second);
}

struct Property {
  std::size_t count_size = 0;  // of a list's length; 0: no list
  std::size_t size = 0;
};

struct Element {
  std::string name;
  std::size_t count = 0;
  std::vector<Property> properties;
};

class PlyFile {
 public:
  PlyFile(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) { read_header(); }

  void check_body() const {
    const std::size_t end = encoding_ == "ascii" ? after_lines() : after_binary();
    if (bytes_.find_first_not_of(" \t\r\n", end) != std::string_view::npos)
      refuse(fmt::format("goes on after all that its header announces, at byte {}", end));
  }
  std::size_t facets() const {
    std::size_t count = 0;
    for (const Element& element : elements_)
      if (element.name == "face") count += element.count;
    return count;
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw ModelError(name_ + ": " + what + "; it is truncated or damaged, export it again");
  }

  std::string_view next_line(std::size_t* at) const {
    if (*at >= bytes_.size()) refuse("ends early");
    const std::size_t end = std::min(bytes_.find('\n', *at), bytes_.size());
    const std::string_view line = bytes_.substr(*at, end - *at);
    *at = std::min(end + 1, bytes_.size());
    return line;
  }

  void read_header() {
    if (words_of(next_line(&body_)) != Words{"ply"}) refuse("does not begin with a line 'ply'");
    for (;;) {
      const Words words = words_of(next_line(&body_));
      if (words.empty() || words[0] == "comment" || words[0] == "obj_info") continue;
      if (words[0] == "end_header") break;
      if (words[0] == "format" && words.size() == 3) {
        encoding_ = words[1];
      } else if (words[0] == "element" && words.size() == 3) {
        elements_.push_back({std::string(words[1]), count_of(words), {}});
      } else if (words[0] == "property" && !elements_.empty()) {
        elements_.back().properties.push_back(property_of(words));
      } else {
        refuse(fmt::format("its header has a line that begins with '{}'", words[0].substr(0, 32)));
      }
    }
    if (encoding_ != "ascii" && encoding_ != "binary_little_endian" && encoding_ != "binary_big_endian")
      refuse(fmt::format("its header names the format '{}'", encoding_.substr(0, 32)));
  }

  std::size_t count_of(const Words& words) const {
    std::size_t count = 0;
    const auto [end, error] = std::from_chars(words[2].data(), words[2].data() + words[2].size(), count);
    if (error != std::errc() || end != words[2].data() + words[2].size() || count > bytes_.size())
      refuse(fmt::format("its header announces '{}' of '{}' in {} bytes", words[2].substr(0, 32),
                         words[1].substr(0, 32), bytes_.size()));
    return count;
  }

  Property property_of(const Words& words) const {
    const bool list = words.size() == 5 && words[1] == "list";
    const auto count = list ? size_of_type(words[2]) : std::optional<std::size_t>(0);
    const auto size = list                ? size_of_type(words[3])
                      : words.size() == 3 ? size_of_type(words[1])
                                          : std::nullopt;
    if (!count || !size) refuse("its header has a property that is not 'TYPE NAME' or 'list TYPE TYPE NAME'");
    return {*count, *size};
  }

  std::size_t after_lines() const {
    std::size_t at = body_;
    for (const Element& element : elements_) {
      for (std::size_t i = 0; i < element.count;) i += !words_of(next_line(&at)).empty();
    }
    return at;
  }

  std::size_t after_binary() const {
    std::size_t at = body_;
    for (const Element& element : elements_)
      for (std::size_t i = 0; i < element.count; ++i)
        for (const Property& property : element.properties) step_over(property, &at);
    return at;
  }

  void step_over(const Property& property, std::size_t* at) const {
    if (property.count_size > bytes_.size() - *at) refuse("ends early");
    std::uint64_t items = property.count_size == 0 ? 1 : 0;
    for (std::size_t k = 0; k < property.count_size; ++k) {
      const std::size_t byte = encoding_ == "binary_big_endian" ? k : property.count_size - 1 - k;
      items = items << 8 | static_cast<unsigned char>(bytes_[*at + byte]);
    }
    *at += property.count_size;
    if (items > (bytes_.size() - *at) / property.size) refuse("ends early");
    *at += items * property.size;
  }

  std::string_view bytes_;
  const std::string& name_;
  std::string encoding_;
  std::vector<Element> elements_;
  std::size_t body_ = 0;
};

}  // namespace

std::size_t announced_ply_facets(std::string_view bytes, const std::string& name) {
  const PlyFile file(bytes, name);
  file.check_body();
  return file.facets();
}

}  // namespace datum
