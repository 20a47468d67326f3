#include "daemon/ctl/scpi_text.h"

namespace datum {

std::string as_parameter(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::vector<std::string> answers_of(const std::string& line) {
  std::vector<std::string> answers(1);
  bool inside = false;
  for (const char c : line) {
    if (c == '"') inside = !inside;
    if (c == ';' && !inside) {
      answers.emplace_back();
    } else {
      answers.back() += c;
    }
  }
  return answers;
}

std::vector<std::string> answer_fields(const std::string& answer) {
  std::vector<std::string> fields(1);
  bool inside = false;
  for (std::size_t i = 0; i < answer.size(); ++i) {
    const char c = answer[i];
    if (c == '"' && inside && i + 1 < answer.size() && answer[i + 1] == '"') {
      fields.back() += answer[++i];
    } else if (c == '"') {
      inside = !inside;
    } else if (c == ',' && !inside) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

}  // namespace datum
