// Settings of the reference checks: the table [reference_checks] of datumd.toml.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "daemon/inspection/recipe/recipe.h"

namespace datum {

enum class CheckArtefact : std::uint8_t { golden_board, step_standard, flat };
const char* name_of(CheckArtefact a);  // "golden board", ... as in datumd.toml

/// A value of the artefact's certificate, in unit_of(characteristic).
struct CertifiedValue {
  std::string component;  // reference in the check's recipe
  Characteristic characteristic = Characteristic::median;
  double parameter = 0;  // of the recipe's check, where it has one
  double certified = 0;
  double expanded = 0;             // U (k = 2) of the certificate
  double maximum_permissible = 0;  // MPE: |reading - certified| of each reading
};

/// Times of day at which a check becomes due.
struct ShiftStarts {
  std::vector<int> minutes;         // of the day, sorted, each 0 to 1439
  std::optional<int> utc_offset_s;  // of the stated zone; none: the computer's time zone
};

struct CheckDefinition {
  std::string name;
  CheckArtefact artefact = CheckArtefact::golden_board;
  std::string serial;       // of the artefact: the readings' unit where the host states none
  std::string certificate;  // its number, for people
  std::string recipe;
  std::vector<CertifiedValue> values;
  std::uint32_t readings = 3;
  std::optional<ShiftStarts> shifts;
  std::optional<std::int64_t> interval_s;
  bool after_start = true;  // of datumd
  bool calibration_change = true;
  std::optional<double> temperature_step_k;
  std::string sha256;  // of all that makes its outcome; a check by another definition is none
};

enum class CheckAction : std::uint8_t {
  invalid,  // boards are INVALID (REFERENCE_CHECK)
  refuse,   // the cell is not armed, and disarms; a board in work is INVALID
};

struct CheckSettings {
  CheckAction action = CheckAction::invalid;
  std::int64_t warn_s = 900;           // before a check is due
  std::int64_t override_s = 8 * 3600;  // an override ends by then
  std::vector<CheckDefinition> checks;
};

}  // namespace datum
