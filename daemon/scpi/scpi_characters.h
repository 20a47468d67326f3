// Character classes of IEEE 488.2, 7.3.
#pragma once

namespace datum::scpi {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
inline bool is_of_word(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

}  // namespace datum::scpi
