// Reference checks that a verdict relies on: the measurement of an artefact with certified values, as it stood when the
// board was concluded (daemon/quality/README.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace datum {

/// A named person's decision to go on without a good check.
struct CheckOverride {
  std::uint64_t id = 0;  // of its record
  std::string by, why;
};

/// One check as it stood.
struct ReliedCheck {
  std::string name;
  std::string state;  // "VALID", "DUE", "CHECK", "FAILED"
  std::uint64_t good =
      0;  // record of the last good check, which may be from before an event that made it due; 0: none
  std::optional<CheckOverride> override_by;
};

struct ReferenceEvidence {
  std::string artefact;  // name of the check whose artefact this board is; "": a product
  std::vector<ReliedCheck> checks;
};

struct BoardVerdict;
bool is_artefact(const BoardVerdict& verdict);  // of a reference check: no product

}  // namespace datum
