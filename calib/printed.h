// Text by a format of printf.
#pragma once

#include <cstdio>
#include <string>

namespace datum {

/// As std::snprintf prints it, at most 511 characters.
std::string printed(const char* format, auto... values) {
  char text[512];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

}  // namespace datum
