#include "drivers/ipp/ipp_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

namespace datum {
namespace {

struct Meaning {
  int code;
  const char* words;
};
// Table of I++ DME 1.4.3, continued by 2.5.
constexpr Meaning meanings[] = {{0, "input buffer full"},
                                {1, "illegal tag"},
                                {2, "no blank in column 6"},
                                {6, "transaction aborted"},
                                {7, "illegal character"},
                                {8, "protocol error"},
                                {500, "emergency stop"},
                                {501, "unsupported command"},
                                {502, "incorrect arguments"},
                                {503, "controller communication failed"},
                                {504, "argument out of range"},
                                {505, "argument not recognised"},
                                {506, "argument not supported"},
                                {507, "illegal command"},
                                {508, "bad context"},
                                {509, "bad argument"},
                                {510, "bad property"},
                                {511, "processing error"},
                                {512, "no daemon"},
                                {513, "unknown daemon"},
                                {514, "errors are to be cleared first"},
                                {515, "daemon exists"},
                                {1000, "machine error"},
                                {1001, "unexpected touch"},
                                {1002, "axis not available"},
                                {1003, "touch missing"},
                                {1004, "angle axis"},
                                {1005, "homing"},
                                {1006, "surface not found"},
                                {1007, "theta out of range"},
                                {1008, "target outside the volume"},
                                {1009, "air pressure"},
                                {1010, "vector of no length"},
                                {1011, "can't move"},
                                {1012, "lock combination"},
                                {5000, "data format"},
                                {5001, "port not available"}};

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

std::string_view without_quotes(std::string_view text) {
  text = trimmed(text);
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') return text;
  return text.substr(1, text.size() - 2);
}

bool take_number(std::string_view& text, int& number) {
  const auto comma = text.find(',');
  if (comma == std::string_view::npos) return false;
  const std::string_view digits = trimmed(text.substr(0, comma));
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() || digits.empty()) return false;
  text = trimmed(text.substr(comma + 1));
  return true;
}

/// "cause", "text" or cause, "text": the last string is the text.
void split(std::string_view rest, IppError& e) {
  std::size_t begin = rest.rfind(',') == std::string_view::npos ? 0 : rest.rfind(',') + 1;
  if (rest.size() >= 2 && rest.back() == '"') begin = rest.rfind('"', rest.size() - 2);
  if (begin == std::string_view::npos) begin = 0;
  e.text = without_quotes(rest.substr(begin));
  std::string_view cause = trimmed(rest.substr(0, begin));
  if (!cause.empty() && cause.back() == ',') cause.remove_suffix(1);
  e.cause = without_quotes(cause);
}

}  // namespace

IppError read_ipp_error(std::string_view text) {
  text = trimmed(text);
  IppError unreadable;
  unreadable.text = std::string(text.substr(0, 200));
  constexpr std::string_view name = "Error";
  if (text.substr(0, name.size()) != name) return unreadable;
  std::string_view rest = trimmed(text.substr(name.size()));
  if (rest.size() < 2 || rest.front() != '(' || rest.back() != ')') return unreadable;
  rest = trimmed(rest.substr(1, rest.size() - 2));
  IppError e;
  if (!take_number(rest, e.severity) || !take_number(rest, e.code)) return unreadable;
  // An undefined severity is treated as severe.
  if (e.severity < 0 || (e.severity > 3 && e.severity != IppError::fatal)) e.severity = IppError::stopping;
  split(rest, e);
  return e;
}

const char* meaning_of_ipp_code(int code) {
  const auto* found = std::find_if(std::begin(meanings), std::end(meanings),
                                   [code](const Meaning& m) { return m.code == code; });
  if (found != std::end(meanings)) return found->words;
  if (code >= 1500 && code <= 1507) return "tool or tool change";
  if (code >= 2500 && code <= 2506) return "limit, axis, position, scale head, collision or alignment";
  return code >= 2000 && code <= 2005 ? "calibration, force or raw data" : "";
}

std::string describe(const IppError& e) {
  const std::string meaning = meaning_of_ipp_code(e.code);
  std::string words = fmt::format("error {:04}{}, severity {}", e.code,
                                  meaning.empty() ? "" : fmt::format(" ({})", meaning), e.severity);
  if (!e.text.empty()) words += ": " + e.text;
  if (!e.cause.empty()) words += " [" + e.cause + "]";
  return words;
}

}  // namespace datum
