// Parameters of a command as the table declares them, and the values that its handler gets.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "daemon/report/scpi_parser.h"

namespace datum::scpi {

/// Units a number may carry; the value comes out in the base unit named here.
enum class Dimension : std::uint8_t { none, seconds, millimetres };

struct Parameter {
  enum class Kind : std::uint8_t { number, integer, boolean, character, string, block };
  Kind kind = Kind::number;
  const char* name = "";  // for HELP and messages
  bool optional = false;
  double min = 0, max = 0;  // of number and integer, inclusive; MINimum and MAXimum stand for them
  std::optional<double> preset = std::nullopt;  // what DEFault stands for
  Dimension dimension = Dimension::none;
  std::vector<const char*> words = {};  // of character data, in the notation of header patterns
};

struct Value {
  double number = 0;
  std::uint64_t integer = 0;
  bool on = false;
  std::size_t word = 0;  // index into Parameter::words
  std::string text;      // string or block
};

/// Values for the parameters that were given; absent optional ones are none. Throws Error: -104.. for a wrong
/// kind, -108 too many, -109 too few, -131/-138 unit, -222 range, -224 word.
std::vector<std::optional<Value>> convert(const std::vector<Parameter>& declared,
                                          const std::vector<Element>& given);

/// "<sequence>[,<name>]", for help.
std::string signature(const std::vector<Parameter>& declared);

}  // namespace datum::scpi
