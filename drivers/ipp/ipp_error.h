// Errors of an I++ DME server: "Error(3, 1008, "00011 GoTo(X(99999))", "Target position out of machine volume")".
#pragma once

#include <string>
#include <string_view>

namespace datum {

/// Severities: 0 information, 1 warning, 2 error, 3 needs the operator, 9 fatal.
struct IppError {
  static constexpr int stopping =
      2;  // from here on the server drops what is pending and refuses until cleared
  static constexpr int fatal = 9;

  int severity = stopping;
  int code = 0;
  std::string cause;  // the method, or who noticed
  std::string text;
};

/// Reads what stands after '!'. The cause may stand in quotes or not, and hold commas and parentheses. What
/// can't be read is an error of severity 2 with the line as its text. Never throws.
IppError read_ipp_error(std::string_view text);

/// What the standard's code means, in own words; "" for codes that it leaves to server and client.
const char* meaning_of_ipp_code(int code);

/// "error 1008 (target outside the volume), severity 3: Target position out of machine volume".
std::string describe(const IppError& error);

}  // namespace datum
