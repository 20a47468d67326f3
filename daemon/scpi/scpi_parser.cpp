#include "daemon/scpi/scpi_parser.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "daemon/instrument/scpi_error.h"
#include "daemon/scpi/scpi_characters.h"
#include "daemon/scpi/scpi_pattern.h"

namespace datum::scpi {
namespace {

constexpr std::size_t longest_mnemonic = 12;  // IEEE 488.2, 7.6.1.4.1; also of character data and of a unit
constexpr std::size_t most_digits = 255;      // IEEE 488.2, 7.7.2.4.1
constexpr int largest_exponent = 32000;       // IEEE 488.2, 7.7.2.4.1

bool is_blank(char c) { return c != 0 && static_cast<unsigned char>(c) <= ' '; }

/// The character for an error's detail: itself where printable, else its code.
std::string shown(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte > 32 && byte < 127 ? fmt::format("'{}'", c) : fmt::format("byte 0x{:02X}", byte);
}

[[noreturn]] void refuse_character(char c, int number, const std::string& what) {
  if (c == 0 || static_cast<unsigned char>(c) >= 127) throw Error(invalid_character, shown(c));
  throw Error(number, fmt::format("{} {}", shown(c), what));
}

}  // namespace

void Parser::skip_blanks() {
  while (!at_end() && is_blank(here())) ++at_;
}

std::optional<Unit> Parser::next() {
  for (skip_blanks(); !at_end() && here() == ';'; skip_blanks()) ++at_;
  if (at_end()) return std::nullopt;
  Unit unit;
  unit.header = header();
  const bool separated = at_end() || is_blank(here()) || here() == ';';
  if (!separated) refuse_character(here(), header_separator_error, "behind the header; a blank is needed");
  skip_blanks();
  if (at_end() || here() == ';') return unit;
  for (;;) {
    unit.parameters.push_back(element());
    skip_blanks();
    if (at_end() || here() == ';') return unit;
    if (here() != ',') refuse_character(here(), invalid_separator, "between parameters; ',' is needed");
    ++at_;
    skip_blanks();
    if (at_end() || here() == ';') throw Error(syntax_error, "',' without a parameter behind it");
  }
}

std::string Parser::mnemonic() {
  const auto from = at_;
  if (at_end() || !is_letter(here())) {
    if (at_end()) throw Error(command_header_error, "the header ends too early");
    refuse_character(here(), command_header_error, "where a header's word must begin");
  }
  while (!at_end() && is_of_word(here())) ++at_;
  if (at_ - from > longest_mnemonic)
    throw Error(mnemonic_too_long, fmt::format("{}...; at most {} characters",
                                               message_.substr(from, longest_mnemonic), longest_mnemonic));
  return message_.substr(from, at_ - from);
}

Header Parser::header() {
  Header h;
  const auto from = at_;
  if (here() == '*') {
    ++at_;
    h.mnemonics.push_back("*" + mnemonic());
  } else {
    h.from_root = here() == ':';
    if (h.from_root) ++at_;
    h.mnemonics.push_back(mnemonic());
    while (!at_end() && here() == ':') {
      ++at_;
      h.mnemonics.push_back(mnemonic());
    }
  }
  h.query = !at_end() && here() == '?';
  if (h.query) ++at_;
  h.typed = message_.substr(from, at_ - from);
  return h;
}

Element Parser::element() {
  const char c = here();
  if (c == '"' || c == '\'') return string();
  if (c == '#') return at_ + 1 < message_.size() && is_letter(message_[at_ + 1]) ? based_number() : block();
  if (c == '(') return expression();
  if (is_digit(c) || c == '+' || c == '-' || c == '.') return number();
  if (is_letter(c)) return character();
  refuse_character(c, syntax_error, "where a parameter must begin");
}

Element Parser::number() {
  Element e{Element::Kind::number, "", ""};
  std::size_t significant = 0;  // leading zeros do not count
  const auto take_digits = [&] {
    const auto from = at_;
    for (; !at_end() && is_digit(here()); ++at_) {
      e.text += here();
      if (significant > 0 || here() != '0') ++significant;
    }
    return at_ - from;
  };
  if (here() == '-') e.text += here();
  if (here() == '+' || here() == '-') ++at_;
  std::size_t digits = take_digits();
  if (!at_end() && here() == '.') {
    e.text += here();
    ++at_;
    digits += take_digits();
  }
  if (digits == 0) throw Error(invalid_character_in_number, "a number without a digit");
  if (significant > most_digits) throw Error(too_many_digits, fmt::format("at most {}", most_digits));
  e.text += exponent();
  const auto behind = at_;
  skip_blanks();
  const auto from = at_;
  // IEEE 488.2, 7.7.3: units are multiplied by '.' and divided by '/'.
  const auto of_unit = [&](char c) {
    return is_letter(c) || c == '/' || c == '%' || (c == '.' && at_ > from);
  };
  while (!at_end() && of_unit(here())) ++at_;
  if (at_ - from > longest_mnemonic)
    throw Error(suffix_too_long, fmt::format("at most {} characters", longest_mnemonic));
  e.suffix = upper(message_.substr(from, at_ - from));
  if (e.suffix.empty()) at_ = behind;
  const bool goes_on = !at_end() && (is_of_word(here()) || here() == '.' || here() == '+' || here() == '-');
  if (goes_on) refuse_character(here(), invalid_character_in_number, "in a number");
  return e;
}

/// Blanks may surround the E. Without digits it is not an exponent: "1 EV" has a unit.
std::string Parser::exponent() {
  std::size_t look = at_;
  const auto here_is = [&](const char* any) {
    return look < message_.size() && std::string_view(any).find(message_[look]) != std::string_view::npos;
  };
  const auto skip = [&] {
    while (look < message_.size() && is_blank(message_[look])) ++look;
  };
  skip();
  if (!here_is("eE")) return "";
  ++look;
  skip();
  const bool minus = here_is("-");
  if (here_is("+-")) ++look;
  const auto from = look;
  while (look < message_.size() && is_digit(message_[look])) ++look;
  if (look == from) return "";
  int value = 0;
  const auto read = std::from_chars(message_.data() + from, message_.data() + look, value);
  if (read.ec != std::errc() || value > largest_exponent)
    throw Error(exponent_too_large, fmt::format("at most {}", largest_exponent));
  at_ = look;
  return fmt::format("e{}{}", minus ? "-" : "", value);
}

Element Parser::based_number() {
  const char letter = upper(message_.substr(at_ + 1, 1))[0];
  const int base = letter == 'H' ? 16 : letter == 'Q' ? 8 : letter == 'B' ? 2 : 0;
  if (base == 0) throw Error(invalid_character_in_number, fmt::format("#{}; #H, #Q, #B or a block", letter));
  at_ += 2;
  std::uint64_t value = 0;
  const char* from = message_.data() + at_;
  const auto [end, error] = std::from_chars(from, message_.data() + message_.size(), value, base);
  if (error == std::errc::result_out_of_range) throw Error(too_many_digits, "at most 64 bits");
  if (error != std::errc())
    throw Error(invalid_character_in_number, fmt::format("#{} without a digit", letter));
  at_ += static_cast<std::size_t>(end - from);
  if (!at_end() && is_of_word(here())) refuse_character(here(), invalid_character_in_number, "in a number");
  return {Element::Kind::number, fmt::format("{}", value), ""};
}

Element Parser::character() {
  const auto from = at_;
  while (!at_end() && is_of_word(here())) ++at_;
  if (at_ - from > longest_mnemonic)
    throw Error(character_data_too_long,
                fmt::format("{}...; at most {} characters", message_.substr(from, longest_mnemonic),
                            longest_mnemonic));
  return {Element::Kind::character, message_.substr(from, at_ - from), ""};
}

Element Parser::string() {
  const char quote = here();
  Element e{Element::Kind::string, "", ""};
  for (++at_; !at_end(); ++at_) {
    if (here() == 0) throw Error(invalid_string_data, shown(here()));
    if (here() != quote) {
      e.text += here();
    } else if (at_ + 1 < message_.size() && message_[at_ + 1] == quote) {
      e.text += quote;
      ++at_;
    } else {
      ++at_;
      return e;
    }
  }
  throw Error(invalid_string_data, "the closing quote is missing");
}

Element Parser::block() {
  ++at_;
  const char n = at_end() ? ' ' : here();
  if (n == '0') throw Error(invalid_block_data, "a block of unknown length (#0) can't be ended on this link");
  if (n < '1' || n > '9') throw Error(invalid_block_data, "'#' without the number of length digits");
  ++at_;
  const auto digits = static_cast<std::size_t>(n - '0');
  if (message_.size() - at_ < digits) throw Error(invalid_block_data, "its length is cut off");
  std::size_t length = 0;
  for (std::size_t i = 0; i < digits; ++i, ++at_) {
    if (!is_digit(here())) refuse_character(here(), invalid_block_data, "in the length of a block");
    length = length * 10 + static_cast<std::size_t>(here() - '0');
  }
  if (message_.size() - at_ < length)
    throw Error(invalid_block_data,
                fmt::format("{} bytes announced, {} there", length, message_.size() - at_));
  Element e{Element::Kind::block, message_.substr(at_, length), ""};
  at_ += length;
  return e;
}

Element Parser::expression() {
  const auto from = ++at_;
  char quote = 0;
  for (; !at_end(); ++at_) {
    const char c = here();
    if (quote != 0) {
      if (c == quote) quote = 0;
      continue;
    }
    if (c == '"' || c == '\'') quote = c;
    if (c == '(') throw Error(invalid_expression, "a bracket within brackets");
    if (c == ';') break;
    if (c == ')') return {Element::Kind::expression, message_.substr(from, at_++ - from), ""};
  }
  throw Error(invalid_expression, quote ? "the closing quote is missing" : "the closing bracket is missing");
}

}  // namespace datum::scpi
