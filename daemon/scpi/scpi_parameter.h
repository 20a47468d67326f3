// Parameters of a command as the table declares them, and the values that its handler gets.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "daemon/scpi/scpi_channels.h"
#include "daemon/scpi/scpi_parser.h"
#include "daemon/scpi/scpi_unit.h"

namespace datum::scpi {

struct Parameter {
  enum class Kind : std::uint8_t { number, integer, boolean, character, string, block, channels };
  Kind kind = Kind::number;
  const char* name = "";  // for HELP and messages
  bool optional = false;
  double min = 0, max = 0;  // of number and integer, inclusive; MINimum and MAXimum stand for them
  std::optional<double> preset = std::nullopt;  // what DEFault stands for
  Dimension dimension = Dimension::none;
  std::vector<const char*> words = {};  // of character data, in the notation of header patterns
  bool whole = false;                   // an integer that names something: a fraction is refused, not rounded
};

struct Value {
  double number = 0;
  std::uint64_t integer = 0;
  bool on = false;
  std::size_t word = 0;  // index into Parameter::words
  std::string text;      // string or block
  std::vector<ChannelRange> channels;
};

/// Values for the parameters that were given; absent optional ones are none. A channel list may follow at once
/// where optional parameters before it are left out. Throws Error: -1x8 a kind that is not taken there, -108 too
/// many, -109 too few, -131/-138 unit, -171 channel list, -222 range, -224 word.
std::vector<std::optional<Value>> convert(const std::vector<Parameter>& declared,
                                          const std::vector<Element>& given);

/// MINimum, MAXimum or DEFault of a number; throws -148 for another word, -224 for a default that there is not.
double named_number(const Parameter& p, const std::string& typed);

/// "<sequence>[,<name>]", for help.
std::string signature(const std::vector<Parameter>& declared);
/// What one parameter takes: "a number from -20 to 60 degC; ...", for help.
std::string range_text(const Parameter& p);

}  // namespace datum::scpi
