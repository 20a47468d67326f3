// DataMatrix codes (ISO/IEC 16022, ECC 200) in a grey image.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "drivers/codes/grey_image.h"

namespace datum {

struct ReadCode {
  std::string bytes;      // its payload as it is, control characters with it
  bool mirrored = false;  // it is the mirror image of a code
  bool operator==(const ReadCode&) const = default;
};

class CodeError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What reads codes: this process, or one apart.
class CodeReader {
 public:
  virtual ~CodeReader() = default;
  /// Different codes, in the order of their bytes; none: nothing is read. Throws CodeError: it can't be looked at.
  virtual std::vector<ReadCode> read(const GreyImage& image) const = 0;
};

/// This build has a reader (libzxing-dev).
bool reads_codes();

}  // namespace datum
