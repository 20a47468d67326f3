#include "drivers/cmm/line_reader.h"

namespace datum {
namespace {

bool matches(const StatusToken& token, const std::string& text) {
  if (token.whole) return trimmed(text) == token.text;
  const std::size_t found = text.find(token.text);
  return token.prefix ? found == 0 : found != std::string::npos;
}

}  // namespace

LineReader::LineReader(const CmmSettings& settings) : settings_(settings), grbl_(settings) {
  if (settings.layout == Layout::expression) pattern_.emplace(settings.expression);
}

LineReading LineReader::read(const Line& line) {
  if (!line.fault.empty()) {
    grbl_.forget_offset();
    return fault(ProbeState::malformed, line.fault);
  }
  for (const StatusToken& token : settings_.status_tokens) {
    if (!matches(token, line.text)) continue;
    return token.ignore ? ignored_line() : fault(token.state, "the device says " + in_quotes(line.text));
  }
  return by_layout(line.text);
}

LineReading LineReader::by_layout(std::string_view line) {
  switch (settings_.layout) {
    case Layout::columns:
      return read_columns(line, settings_);
    case Layout::labelled:
      return read_labelled(line, settings_);
    case Layout::positional:
      return read_positional(line, settings_);
    case Layout::expression:
      return read_expression(line, settings_, *pattern_);
    case Layout::grbl:
      return grbl_.read(line);
    case Layout::ipp_dme:
      break;
  }
  return fault(ProbeState::malformed, "no layout");
}

}  // namespace datum
