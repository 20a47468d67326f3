// printf formatting into a string.
#pragma once

#include <cstdio>
#include <string>

namespace datum {

/// The text that std::snprintf gives, at most 511 characters.
std::string printed(const char* format, auto... values) {
  char text[512];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

}  // namespace datum
