// Parser of a data line: names with arguments, numbers, strings. Tolerant where servers differ.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace datum {

/// X(1.5), Tool.Name("Probe1"), "text", -4.003E-01, PartCsy: one value of the I++ grammar.
struct IppValue {
  enum class Is { name, text, number } is = Is::name;
  std::string text;   // as written: a name with its points, a number; a string without its quotes
  double number = 0;  // mm, s, degrees, degC, N: the units are fixed
  std::vector<IppValue> arguments;
};

struct IppReading {
  std::vector<IppValue> values;
  std::string why;  // fault and its place; empty if none
};

/// "X(0.00000), Y ( 1 ),Z(+2.5E01)": values separated by commas, with blanks anywhere between. Numbers have
/// sign, point and exponent, and any length that a double holds. Never throws.
IppReading read_ipp_values(std::string_view text);

/// The number of NAME(number) among `values`; none where it is missing, repeated or no number.
std::optional<double> number_of(const std::vector<IppValue>& values, std::string_view name);
/// The word of NAME("word"), NAME(word), or of "word" or word alone.
std::optional<std::string> word_of(const std::vector<IppValue>& values, std::string_view name);
/// All numbers of NAME(1, 2, 3), or of 1, 2, 3 alone; none where one of them is no number.
std::optional<std::vector<double>> numbers_of(const std::vector<IppValue>& values, std::string_view name);
/// From an answer to GetProp(PROPERTY()): PROPERTY(number), its last word with the number, or the number
/// alone.
std::optional<double> property_of(std::string_view text, std::string_view property);

}  // namespace datum
