// Declarations of a command's parameters, and the values for its handler.
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
  double min = 0, max = 0;  // of number and integer, inclusive; values of MINimum and MAXimum
  std::optional<double> preset = std::nullopt;  // value of DEFault
  Dimension dimension = Dimension::none;
  std::vector<const char*> words = {};  // of character data, in the notation of header patterns
  bool whole = false;                   // an integer that names something: a fraction is refused, not rounded
  std::size_t most = 1;                 // of the last one: how often it may be given
};

struct Value {
  double number = 0;
  std::uint64_t integer = 0;
  bool on = false;
  std::size_t word = 0;  // index into Parameter::words
  std::string text;      // string or block
  std::vector<ChannelRange> channels;
};

/// Values of the given parameters; omitted optional ones are none. A channel list may follow directly where optional
/// parameters before it are omitted. Throws Error: -1x8 an unexpected kind, -108 too many, -109 too few, -131/-138 unit,
/// -171 channel list, -222 range, -224 word.
std::vector<std::optional<Value>> convert(const std::vector<Parameter>& declared,
                                          const std::vector<Element>& given);

/// Value of MINimum, MAXimum or DEFault; throws -148 for another word, -224 without a default.
double named_number(const Parameter& p, const std::string& typed);

/// "<sequence>[,<name>]", for help; "<serial>{,<serial>}" where it may be given more than once.
std::string signature(const std::vector<Parameter>& declared);
/// Allowed values of a parameter, "a number from -20 to 60 degC; ...", for help.
std::string range_text(const Parameter& p);

}  // namespace datum::scpi
