// Form of numbers on one link: text or binary (SCPI-99 volume 2, FORMat), lengths in um or mm (UNIT).
//
// The form affects answers, never stored values or measurements.
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

/// As text 1160.25,1190,... or as a definite length block of IEEE 754 numbers. In both, NaN is 9.91E37 and infinities are
/// 9.9E37 and -9.9E37 (SCPI-99 volume 1, 7.2.1.4 and 7.2.1.5).
std::string numbers(const std::vector<double>& values, const AnswerForm& form);

}  // namespace datum::scpi
