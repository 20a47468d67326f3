#include "daemon/inspection/verdict/plain_reason.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "daemon/inspection/verdict/fault_text.h"

namespace datum {
namespace {

/// Two digits that count: "149", "12", "3.2", "0.08".
std::string shown(double value) {
  const double size = std::abs(value);
  return size >= 9.95 || size == 0 ? fmt::format("{:.0f}", value)
         : size >= 0.995           ? fmt::format("{:.1f}", value)
                                   : fmt::format("{:.2f}", value);
}

std::string name_before(Characteristic c) { return is_height(c) ? "" : std::string(name_of(c)) + " "; }

std::string failed_text(const CheckVerdict& v) {
  const Characteristic c = v.check.characteristic;
  const double limit = limit_of(v);
  if (c == Characteristic::tilt && v.check.upper && v.value > *v.check.upper)
    return fmt::format("tilted {:.2f} of {:.2f} degrees", v.value / 1000, *v.check.upper / 1000);
  if (c == Characteristic::rotation)
    return fmt::format("rotated {:.2f} of {:.2f} degrees", v.value / 1000, limit / 1000);
  if (c == Characteristic::presence && v.value < limit)
    return fmt::format("seen on {:.0f} % of its place, {:.0f} % are needed", v.value / 10, limit / 10);
  if (c == Characteristic::presence)
    return fmt::format("something lies on {:.0f} % of its place, {:.0f} % are allowed", v.value / 10,
                       limit / 10);
  if (c == Characteristic::bow || c == Characteristic::twist)
    return fmt::format("{} {:.2f} of {:.2f} %", name_of(c), v.value, limit);
  return fmt::format("{}{} {} {} its limit", name_before(c), shown(std::abs(v.value - limit)), unit_of(c),
                     v.value < limit ? "below" : "above");
}

std::string text_of(const CheckVerdict& v) {
  if (v.decision == Decision::fail) return failed_text(v);
  if (v.reason == Reason::nominal_unconfirmed) return "its nominal height is not confirmed";
  if (v.decision == Decision::inconclusive)
    return fmt::format("{}{} {} from its limit, U is {}", name_before(v.check.characteristic),
                       shown(std::abs(v.value - limit_of(v))), unit_of(v.check.characteristic),
                       shown(2 * v.u));
  return fmt::format("not measured: {}", name_of(v.reason));
}

constexpr int most_named = 5;

/// "24 boards: 21 PASS, 1 FAIL (3-2), 2 SKIPPED (1-1 4-6); 3-2: C2@3-2 missing": boards that are not PASS by name, and why.
std::string panel_reason(const BoardVerdict& verdict) {
  std::string text = fmt::format("{} boards:", verdict.boards.size()), causes;
  for (const char* word : {"PASS", "INVALID", "FAIL", "INCONCLUSIVE", "SKIPPED"}) {
    int count = 0;
    std::string names;
    for (const PanelBoard& board : verdict.boards) {
      if (std::string_view(word) != word_of(board)) continue;
      if (++count > most_named || board.decision == Decision::pass) continue;
      names += (names.empty() ? "" : " ") + board.name;
      if (board.decision) causes += fmt::format("; {}: {}", board.name, board.detail);
    }
    if (count == 0) continue;
    text += fmt::format("{} {} {}", text.ends_with(':') ? "" : ",", count, word);
    if (!names.empty()) text += fmt::format(" ({}{})", names, count > most_named ? " ..." : "");
  }
  return text + causes;
}

}  // namespace

std::string plain_reason(const ComponentVerdict& component) {
  if (component.defect) return defect_text(*component.defect);
  if (component.decision == Decision::pass) return "";
  if (std::any_of(component.checks.begin(), component.checks.end(), is_missing)) return "missing";
  std::vector<std::string> texts;
  for (const CheckVerdict& v : component.checks) {
    if (v.decision != component.decision) continue;
    const std::string text = text_of(v);
    if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(text);
  }
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : " and ") + text;
  return all;
}

std::string plain_reason(const BoardVerdict& verdict) {
  if (verdict.reason != Reason::none)
    return std::string(name_of(verdict.reason)) + (verdict.detail.empty() ? "" : ": " + verdict.detail);
  if (!verdict.boards.empty()) return panel_reason(verdict);
  std::string text;
  int found = 0;
  const auto add_those = [&](Decision decision) {
    for (const ComponentVerdict& c : verdict.components) {
      if (c.decision != decision || ++found > most_named) continue;
      const std::string why = plain_reason(c);
      text += (text.empty() ? "" : ", ") + c.reference + (why.empty() ? "" : " ") + why;
    }
  };
  if (verdict.decision != Decision::pass) add_those(verdict.decision);
  if (verdict.decision == Decision::invalid) add_those(Decision::fail);
  if (found > most_named) text += fmt::format(", {} more", found - most_named);
  return text;
}

}  // namespace datum
