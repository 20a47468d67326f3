// Parameters and answers of the command protocol as text. Pure functions.
#pragma once

#include <string>
#include <vector>

namespace datum {

/// A quoted string parameter with doubled quotes.
std::string as_parameter(const std::string& text);
/// The answers of one line, separated by ';'.
std::vector<std::string> answers_of(const std::string& line);
/// The fields of an answer without quotes.
std::vector<std::string> answer_fields(const std::string& answer);

}  // namespace datum
