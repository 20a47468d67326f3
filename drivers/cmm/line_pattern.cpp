#include "drivers/cmm/line_pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "drivers/cmm/setting_refusal.h"

namespace datum {
namespace {

constexpr std::size_t longest_expression = 1024;
// Limits of backtracking for a line of up to 4096 characters: some ms at worst. A usual expression needs a
// few hundred steps.
constexpr std::uint32_t most_steps = 100'000, most_depth = 1000, most_heap_kib = 1024;

std::string text_of_error(int number) {
  PCRE2_UCHAR text[128];
  pcre2_get_error_message(number, text, sizeof text);
  return reinterpret_cast<const char*>(text);
}

}  // namespace

struct LinePattern::Code {
  pcre2_code* code = nullptr;
  pcre2_match_context* limits = pcre2_match_context_create(nullptr);
  std::vector<std::pair<std::string, std::uint32_t>> groups;

  ~Code() {
    pcre2_code_free(code);
    pcre2_match_context_free(limits);
  }
  void list_groups() {
    std::uint32_t count = 0, size = 0;
    PCRE2_SPTR table = nullptr;
    pcre2_pattern_info(code, PCRE2_INFO_NAMECOUNT, &count);
    pcre2_pattern_info(code, PCRE2_INFO_NAMEENTRYSIZE, &size);
    pcre2_pattern_info(code, PCRE2_INFO_NAMETABLE, &table);
    for (std::uint32_t i = 0; i < count; ++i, table += size)
      groups.emplace_back(reinterpret_cast<const char*>(table + 2),
                          static_cast<std::uint32_t>(table[0]) << 8 | table[1]);
  }
};

LinePattern::LinePattern(const std::string& expression) {
  if (expression.empty()) refuse_setting("layout 'expression' needs an expression");
  if (expression.size() > longest_expression)
    refuse_setting(
        fmt::format("expression of {} characters; allowed: {}", expression.size(), longest_expression));
  auto code = std::make_shared<Code>();
  int error = 0;
  PCRE2_SIZE at = 0;
  code->code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(expression.data()), expression.size(),
                             PCRE2_ANCHORED | PCRE2_ENDANCHORED | PCRE2_NEVER_UTF | PCRE2_NEVER_BACKSLASH_C,
                             &error, &at, nullptr);
  if (!code->code)
    refuse_setting(
        fmt::format("expression: {} at character {}: '{}'", text_of_error(error), at + 1, expression));
  pcre2_set_match_limit(code->limits, most_steps);
  pcre2_set_depth_limit(code->limits, most_depth);
  pcre2_set_heap_limit(code->limits, most_heap_kib);
  code->list_groups();
  code_ = std::move(code);
}

std::vector<std::string> LinePattern::groups() const {
  std::vector<std::string> names;
  for (const auto& [name, number] : code_->groups) names.push_back(name);
  return names;
}

LinePattern::Match LinePattern::match(std::string_view line) const {
  const std::unique_ptr<pcre2_match_data, void (*)(pcre2_match_data*)> data(
      pcre2_match_data_create_from_pattern(code_->code, nullptr), pcre2_match_data_free);
  const int result = pcre2_match(code_->code, reinterpret_cast<PCRE2_SPTR>(line.data()), line.size(), 0, 0,
                                 data.get(), code_->limits);
  Match match;
  if (result < 0) {
    if (result != PCRE2_ERROR_NOMATCH) match.fault = text_of_error(result);
    return match;
  }
  match.found = true;
  const PCRE2_SIZE* ends = pcre2_get_ovector_pointer(data.get());
  for (const auto& [name, number] : code_->groups) {
    const std::size_t at = std::size_t{2} * number;
    const PCRE2_SIZE from = ends[at], to = ends[at + 1];
    if (from != PCRE2_UNSET && to >= from) match.groups.emplace(name, line.substr(from, to - from));
  }
  return match;
}

}  // namespace datum
