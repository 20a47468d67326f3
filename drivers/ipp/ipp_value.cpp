#include "drivers/ipp/ipp_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace datum {
namespace {

constexpr std::size_t longest = 65536;  // the standard's limit of a line
constexpr int deepest = 8;              // SetProp(Tool.PtMeasPar.Accel(5)) is 2 deep

bool begins_number(char c) { return (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.'; }
bool in_number(char c) { return begins_number(c) || c == 'e' || c == 'E'; }
bool ends_name(char c) { return c == ',' || c == '(' || c == ')' || c == ' ' || c == '"'; }

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  IppReading all() {
    IppReading reading;
    skip_blanks();
    if (at_ < text_.size()) reading.values = list(0);
    if (why_.empty() && at_ < text_.size()) fail("')' without '('");
    reading.why = why_;
    if (!why_.empty()) reading.values.clear();
    return reading;
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool next_is(char c) {
    skip_blanks();
    return at_ < text_.size() && text_[at_] == c;
  }
  void fail(const std::string& what) {
    if (why_.empty()) why_ = fmt::format("{} at character {}", what, at_ + 1);
  }
  std::vector<IppValue> list(int depth) {
    std::vector<IppValue> values;
    do {
      values.push_back(value(depth));
    } while (why_.empty() && next_is(',') && ++at_ > 0);
    return values;
  }
  IppValue value(int depth) {
    skip_blanks();
    IppValue v;
    if (at_ >= text_.size()) {
      fail("a value is missing");
    } else if (text_[at_] == '"') {
      quoted(v);
    } else if (begins_number(text_[at_])) {
      number(v);
    } else {
      name(v, depth);
    }
    return v;
  }
  void quoted(IppValue& v) {
    v.is = IppValue::Is::text;
    const auto end = text_.find('"', at_ + 1);
    if (end == std::string_view::npos) return fail("no '\"' at the end");
    v.text = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
  }
  void number(IppValue& v) {
    v.is = IppValue::Is::number;
    const std::size_t begin = at_;
    while (at_ < text_.size() && in_number(text_[at_])) ++at_;
    std::string_view digits = text_.substr(begin, at_ - begin);
    v.text = digits;
    if (digits.front() == '+' && digits.substr(1, 1) != "-") digits.remove_prefix(1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), v.number);
    if (error != std::errc() || end != digits.data() + digits.size() || !std::isfinite(v.number)) {
      at_ = begin;
      fail("no number");
    }
  }
  void name(IppValue& v, int depth) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && !ends_name(text_[at_])) ++at_;
    v.text = text_.substr(begin, at_ - begin);
    if (v.text.empty()) return fail("a value is missing");
    if (!next_is('(')) return;
    ++at_;
    if (depth + 1 > deepest) return fail("too many '(' within each other");
    if (!next_is(')')) v.arguments = list(depth + 1);
    if (!why_.empty()) return;
    if (!next_is(')')) return fail("no ')'");
    ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string why_;
};

const std::vector<IppValue>* arguments_of(const std::vector<IppValue>& values, std::string_view name) {
  const IppValue* found = nullptr;
  for (const IppValue& value : values) {
    if (value.is != IppValue::Is::name || value.text != name) continue;
    if (found) return nullptr;
    found = &value;
  }
  return found ? &found->arguments : nullptr;
}

}  // namespace

IppReading read_ipp_values(std::string_view text) {
  if (text.size() > longest) return {{}, fmt::format("{} characters; allowed: {}", text.size(), longest)};
  return Reader(text).all();
}

std::optional<double> number_of(const std::vector<IppValue>& values, std::string_view name) {
  const auto* arguments = arguments_of(values, name);
  if (!arguments || arguments->size() != 1 || arguments->front().is != IppValue::Is::number)
    return std::nullopt;
  return arguments->front().number;
}

std::optional<std::string> word_of(const std::vector<IppValue>& values, std::string_view name) {
  const auto* arguments = arguments_of(values, name);
  if (arguments && arguments->empty()) return std::nullopt;
  if (!arguments) arguments = &values;
  if (arguments->size() != 1) return std::nullopt;
  const IppValue& word = arguments->front();
  if (!word.arguments.empty()) return std::nullopt;
  return word.text;
}

std::optional<std::vector<double>> numbers_of(const std::vector<IppValue>& values, std::string_view name) {
  const auto* arguments = arguments_of(values, name);
  if (!arguments) arguments = &values;
  std::vector<double> numbers;
  for (const IppValue& value : *arguments) {
    if (value.is != IppValue::Is::number) return std::nullopt;
    numbers.push_back(value.number);
  }
  return numbers;
}

std::optional<double> property_of(std::string_view text, std::string_view property) {
  const IppReading reading = read_ipp_values(text);
  if (!reading.why.empty() || reading.values.size() != 1) return std::nullopt;
  const IppValue& only = reading.values.front();
  if (only.is == IppValue::Is::number) return only.number;
  if (only.text != property && only.text != property.substr(property.rfind('.') + 1)) return std::nullopt;
  return number_of(reading.values, only.text);
}

}  // namespace datum
