#include "daemon/scpi/scpi_form.h"

#include <cmath>
#include <cstring>

#include "daemon/scpi/scpi_answer.h"

namespace datum::scpi {
namespace {

double as_told(double value) {
  if (std::isnan(value)) return 9.91e37;
  if (std::isinf(value)) return value > 0 ? 9.9e37 : -9.9e37;
  return value;
}

/// Independent of the computer's byte order.
template <class Word>
void append(std::string& out, Word word, bool swapped) {
  for (std::size_t i = 0; i < sizeof word; ++i) {
    const std::size_t byte = swapped ? i : sizeof word - 1 - i;
    out += static_cast<char>(word >> (8 * byte) & 0xff);
  }
}

}  // namespace

const char* name_of(LengthUnit unit) { return unit == LengthUnit::um ? "um" : "mm"; }

double in_unit(LengthUnit unit, double um) { return unit == LengthUnit::um ? um : um / 1000; }

std::string numbers(const std::vector<double>& values, const AnswerForm& form) {
  std::string out;
  for (const double value : values) {
    if (form.data == DataFormat::ascii) {
      out += (out.empty() ? "" : ",") + number(value);
    } else if (form.data == DataFormat::real64) {
      const double told = as_told(value);
      std::uint64_t word = 0;
      std::memcpy(&word, &told, sizeof word);
      append(out, word, form.swapped);
    } else {
      const float told = static_cast<float>(as_told(value));
      std::uint32_t word = 0;
      std::memcpy(&word, &told, sizeof word);
      append(out, word, form.swapped);
    }
  }
  return form.data == DataFormat::ascii ? out : block(out);
}

}  // namespace datum::scpi
