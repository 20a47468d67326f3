// Parser: one program message, unit by unit (IEEE 488.2, chapter 7). It knows syntax, not commands.
//
// White space is any byte from 1 to 32 except LF, so CR before LF is white space. IEEE 488.2 (7.4.1.2) includes NUL; here
// it is refused with -101, because a serial line delivers a byte with a parity or framing error as NUL.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace datum::scpi {

/// A parameter in its received form.
struct Element {
  enum class Kind : std::uint8_t { number, character, string, block, expression };
  Kind kind = Kind::number;
  std::string text;    // number: its digits; string: without quotes, doubled quotes undone; block: its bytes
  std::string suffix;  // unit after a number, upper case; "" without a unit
};

struct Header {
  std::vector<std::string> mnemonics;  // as received; a common command is one mnemonic that begins with '*'
  bool from_root = false;              // received with a leading ':'
  bool query = false;
  bool common() const { return mnemonics.front().front() == '*'; }
  std::string typed;
};

struct Unit {
  Header header;
  std::vector<Element> parameters;
};

class Parser {
 public:
  explicit Parser(std::string message) : message_(std::move(message)) {}
  /// The next unit; none at the end. Throws Error (-1xx): the rest of the message must then not be executed.
  std::optional<Unit> next();

 private:
  bool at_end() const { return at_ == message_.size(); }
  char here() const { return message_[at_]; }
  void skip_blanks();
  Header header();
  std::string mnemonic();
  Element element();
  Element number();
  std::string exponent();
  Element based_number();
  Element character();
  Element string();
  Element block();
  Element expression();

  std::string message_;
  std::size_t at_ = 0;
};

}  // namespace datum::scpi
