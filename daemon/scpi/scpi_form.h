// In which form a host wants numbers: text or binary (SCPI-99 volume 2, FORMat), lengths in um or mm (UNIT).
//
// Settings of one link. They change answers, never what is stored or measured.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace datum::scpi {

enum class DataFormat : std::uint8_t { ascii, real32, real64 };  // IEEE 754
enum class LengthUnit : std::uint8_t { um, mm };

struct AnswerForm {
  DataFormat data = DataFormat::ascii;
  bool swapped = false;  // least significant byte first
  LengthUnit length = LengthUnit::um;
};

/// "um", "mm".
const char* name_of(LengthUnit unit);
double in_unit(LengthUnit unit, double um);

/// As text 1160.25,1190,... or as a definite block of IEEE numbers. What is no number is 9.91E37 in both, an infinite
/// one 9.9E37 or -9.9E37 (SCPI-99 volume 1, 7.2.1.4 and 7.2.1.5).
std::string numbers(const std::vector<double>& values, const AnswerForm& form);

}  // namespace datum::scpi
