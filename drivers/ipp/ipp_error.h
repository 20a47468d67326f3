// Errors of an I++ DME server: "Error(3, 1008, "00011 GoTo(X(99999))", "Target position out of machine volume")".
#pragma once

#include <string>
#include <string_view>

namespace datum {

/// Severities: 0 information, 1 warning, 2 error, 3 needs the operator, 9 fatal.
struct IppError {
  /// From here on the server drops pending commands and refuses others until cleared.
  static constexpr int stopping = 2;
  static constexpr int fatal = 9;

  int severity = stopping;
  int code = 0;
  std::string cause;  // the method, or the origin
  std::string text;
};

/// Parses the text after '!'. The cause may be quoted or not, and contain commas and parentheses. An
/// unreadable error becomes one of severity 2 with the line as its text. Never throws.
IppError read_ipp_error(std::string_view text);

/// Meaning of a standard code, in own words; "" for codes that the standard leaves undefined.
const char* meaning_of_ipp_code(int code);

/// "error 1008 (target outside the volume), severity 3: Target position out of machine volume".
std::string describe(const IppError& error);

}  // namespace datum
