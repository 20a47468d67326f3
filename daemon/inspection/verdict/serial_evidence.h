// Where a board's serial number came from, for recipes with [serial].
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace datum {

/// A board without number is this with its result's number behind it.
inline constexpr const char* unknown_serial = "unknown-";

struct SerialEvidence {
  std::string by;        // "host", "scanner", "sidecar", "code", "kept" (over a restart); "none": it has none
  std::string read_hex;  // the scanner's bytes between prefix and suffix, or the code's, lower-case hex
  std::uint64_t attempt =
      1;  // of this number with this recipe, assigned by the store; INVALID ones do not count
  std::optional<std::string> repair{};         // what was done since the attempt before, as a host states it
  std::optional<std::uint64_t> max_retests{};  // of the recipe
  std::optional<std::uint64_t>
      retests{};  // attempts since the first, or since the last repair; with max_retests
};

template <class F, class V>
void visit(F& f, V& v, const SerialEvidence&) {
  f("by", v.by);
  f("read_hex", v.read_hex);
  f("attempt", v.attempt);
  f.where_known("repair", v.repair);
  f.where_known("max_retests", v.max_retests);
  f.where_known("retests", v.retests);
}

}  // namespace datum
