// Where a board's serial number came from, for recipes with [serial].
#pragma once

#include <cstdint>
#include <string>

namespace datum {

/// A board without number is this with its result's number behind it.
inline constexpr const char* unknown_serial = "unknown-";

struct SerialEvidence {
  std::string by;        // "host", "scanner", "sidecar", "kept" (over a restart); "none": it has none
  std::string read_hex;  // the scanner's bytes between prefix and suffix, lower-case hex
  std::uint64_t attempt =
      1;  // of this number with this recipe, assigned by the store; INVALID ones do not count
};

template <class F, class V>
void visit(F& f, V& v, const SerialEvidence&) {
  f("by", v.by);
  f("read_hex", v.read_hex);
  f("attempt", v.attempt);
}

}  // namespace datum
