// TOML from repeated elements: long dotted keys, nested brackets, strings with brackets. A pair of bytes gives an element
// and its number.
#include <string>

#include "config/toml_reader.h"
#include "tests/fuzz/fuzz_target.h"

using namespace datum;

namespace {

constexpr std::string_view parts[] = {
    "a",   ".",  " = ",   "1",       "\n",   "[",  "]",  "[[",      "]]",  "{",      "}",
    ", ",  "\"", "'",     "\"\"\"",  "'''",  "\\", "#",  "\r",      "1.5", "a.",     "[a",
    "{a=", "[1", "\"a\"", "'a.a'.a", "true", "-",  "\t", "b.b.b.b", "é",   "\"\\\"", "[a.a]\n"};

}  // namespace

DATUM_FUZZ_TARGET(toml_structure) {
  std::string text;
  for (std::size_t i = 0; i + 1 < bytes.size() && text.size() < 100'000; i += 2) {
    const std::string_view part = parts[static_cast<unsigned char>(bytes[i]) % std::size(parts)];
    const int count = static_cast<unsigned char>(bytes[i + 1]);
    for (int k = 0; k < (count < 128 ? 1 + count % 8 : (count - 127) * 64); ++k) text += part;
  }
  try {
    config::TomlTable::from_text(text, "f.toml");
  } catch (const config::ConfigError& refused) {
    fuzz::expect(std::string_view(refused.what()).size() < 512, "a refusal is short");
  }
}
