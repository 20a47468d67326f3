// Parameters as the command protocol wants them, answers as it gives them. Pure text.
#pragma once

#include <string>
#include <vector>

namespace datum {

/// A text as a parameter: quoted, its quotes doubled.
std::string as_parameter(const std::string& text);
/// Answers of one line, which ';' separates.
std::vector<std::string> answers_of(const std::string& line);
/// Fields of an answer, quotes taken off.
std::vector<std::string> answer_fields(const std::string& answer);

}  // namespace datum
