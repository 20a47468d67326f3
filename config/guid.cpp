#include "config/guid.h"

#include "config/toml_reader.h"

namespace datum {

std::string guid_of(std::string_view text) {
  std::string hex = config::sha256_hex(text).substr(0, 32);
  hex[12] = '8';                                                                // version
  hex[16] = "89ab"[(hex[16] >= 'a' ? hex[16] - 'a' + 10 : hex[16] - '0') & 3];  // variant
  return hex.substr(0, 8) + "-" + hex.substr(8, 4) + "-" + hex.substr(12, 4) + "-" + hex.substr(16, 4) + "-" +
         hex.substr(20);
}

}  // namespace datum
