#include "daemon/design/text_decoding.h"

#include <fmt/format.h>
#include <iconv.h>
#include <cctype>

#include <cerrno>
#include <memory>

#include "daemon/design/design.h"

namespace datum::design {
namespace {

std::string converted(std::string_view bytes, const char* encoding, const std::string& name) {
  const iconv_t conversion = ::iconv_open("UTF-8", encoding);
  if (conversion == reinterpret_cast<iconv_t>(-1))
    throw DesignError(fmt::format(
        "{}: the encoding '{:.30}' is not known; utf-8, utf-16le, latin1, cp1252 and others of iconv -l are",
        name, encoding));
  const std::unique_ptr<void, int (*)(iconv_t)> closed(conversion, ::iconv_close);
  std::string out(4 * bytes.size() + 16, '\0');
  char* in = const_cast<char*>(bytes.data());  // iconv does not write it
  char* to = out.data();
  std::size_t left = bytes.size(), room = out.size();
  if (::iconv(conversion, &in, &left, &to, &room) == static_cast<std::size_t>(-1))
    throw DesignError(
        fmt::format("{}: byte {} is not {}; name the file's encoding, such as --encoding cp1252", name,
                    in - bytes.data(), encoding));
  out.resize(static_cast<std::size_t>(to - out.data()));
  return out;
}

}  // namespace

std::string decoded_text(std::string_view bytes, const std::string& encoding, const std::string& name) {
  constexpr std::size_t most = std::size_t{64} << 20;
  if (bytes.size() > most)
    throw DesignError(fmt::format("{}: {} bytes; a table has at most {}", name, bytes.size(), most));
  std::string text;
  if (bytes.starts_with("\xEF\xBB\xBF"))
    text = converted(bytes.substr(3), "UTF-8", name);
  else if (bytes.starts_with("\xFF\xFE"))
    text = converted(bytes.substr(2), "UTF-16LE", name);
  else if (bytes.starts_with("\xFE\xFF"))
    text = converted(bytes.substr(2), "UTF-16BE", name);
  else
    text = converted(bytes,
                     encoding.empty()        ? "UTF-8"
                     : encoding == "latin-1" ? "latin1"
                                             : encoding.c_str(),
                     name);
  if (const auto zero = text.find('\0'); zero != text.npos)
    throw DesignError(fmt::format(
        "{}: byte {} is 0: no text, or UTF-16 without its mark (--encoding utf-16le)", name, zero));
  return text;
}

std::vector<std::string> split_fields(std::string_view line, char separator) {
  std::vector<std::string> fields;
  const auto is_separator = [separator](char c) {
    return separator == ' ' ? c == ' ' || c == '\t' : c == separator;
  };
  std::size_t at = 0;
  while (at <= line.size()) {
    if (separator == ' ') {
      while (at < line.size() && is_separator(line[at])) ++at;
      if (at == line.size()) break;
    }
    std::string field;
    bool quoted = false;
    while (at < line.size() && (line[at] == ' ' || (line[at] == '\t' && separator != '\t'))) ++at;
    if (at < line.size() && line[at] == '"') {
      quoted = true;
      for (++at; at < line.size(); ++at) {
        if (line[at] != '"') {
          field += line[at];
        } else if (at + 1 < line.size() && line[at + 1] == '"') {
          field += line[++at];
        } else {
          ++at;
          break;
        }
      }
    }
    for (; at < line.size() && !is_separator(line[at]); ++at)
      if (!quoted) field += line[at];
    if (!quoted) field.erase(field.find_last_not_of(" \t\r") + 1);
    fields.push_back(std::move(field));
    if (at >= line.size()) break;
    ++at;
  }
  return fields;
}

std::string lower_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace datum::design
