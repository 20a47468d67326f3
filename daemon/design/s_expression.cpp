#include "daemon/design/s_expression.h"

#include <charconv>
#include <cmath>

#include "daemon/design/design.h"

namespace datum::design {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool ends_word(char c) { return is_blank(c) || c == '(' || c == ')' || c == '"'; }
bool is_flag(const SExpression::Node& node) { return node.text == "locked" || node.text == "unlocked"; }

}  // namespace

void SExpression::refuse(std::size_t line, const std::string& what) const {
  throw DesignError(name_ + ":" + std::to_string(line) + ": " + what);
}

std::string_view SExpression::quoted(std::string_view text, std::size_t& at, std::size_t& line) {
  const std::size_t from = ++at, first_line = line;
  bool escaped = false;
  for (; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\n') ++line;
    if (text[at] == '\\') {
      escaped = true;
      ++at;
    }
  }
  if (at >= text.size()) refuse(first_line, "a string is not closed; the file is damaged or cut off");
  const std::string_view raw = text.substr(from, at++ - from);
  if (!escaped) return raw;
  std::string& clean = unescaped_.emplace_back();
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] == '\\' && i + 1 < raw.size()) ++i;
    clean += i > 0 && raw[i - 1] == '\\' && raw[i] == 'n' ? '\n' : raw[i];
  }
  return clean;
}

SExpression::SExpression(std::string_view text, std::string name) : name_(std::move(name)) {
  if (text.size() > max_expression_bytes)
    refuse(1, std::to_string(text.size()) + " bytes; at most " + std::to_string(max_expression_bytes));
  // A word takes two bytes at least. Pages that no word touches cost nothing, and a list that grows by doubling is kept twice.
  nodes_.reserve(std::min(max_expression_nodes, text.size() / 2 + 1));
  nodes_.resize(1);  // 0 means none
  struct Open {
    std::uint32_t node, last;
  };
  std::vector<Open> open;
  std::size_t line = 1;
  const auto add = [&](Node node) {
    if (nodes_.size() >= max_expression_nodes) refuse(line, "more words than a board has");
    if (open.empty() && (nodes_.size() > 1 || !node.is_list))
      refuse(line, "one list in parentheses is allowed");
    const auto index = static_cast<std::uint32_t>(nodes_.size());
    node.line = static_cast<std::uint32_t>(line);
    nodes_.push_back(node);
    if (!open.empty()) {
      (open.back().last ? nodes_[open.back().last].next : nodes_[open.back().node].first) = index;
      open.back().last = index;
    }
    return index;
  };
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '\n') ++line;
    if (is_blank(c)) {
      ++at;
    } else if (c == '(') {
      if (open.size() >= max_expression_depth)
        refuse(line, "lists are nested deeper than " + std::to_string(max_expression_depth));
      open.push_back({add({.text = {}, .is_list = true}), 0});
      ++at;
    } else if (c == ')') {
      if (open.empty()) refuse(line, "a parenthesis closes no list");
      open.pop_back();
      ++at;
    } else if (c == '"') {
      const std::string_view string = quoted(text, at, line);
      add({.text = string});
    } else if (c == '\0') {
      refuse(line, "a byte 0; this is no text file");
    } else {
      const std::size_t from = at;
      while (at < text.size() && !ends_word(text[at])) ++at;
      add({.text = text.substr(from, at - from)});
    }
  }
  if (!open.empty()) refuse(line, "a list is not closed; the file is damaged or cut off");
  if (nodes_.size() == 1) refuse(1, "the file is empty");
}

SExpression::List SExpression::root() const { return {*this, 1}; }

std::string_view SExpression::List::word() const {
  const std::uint32_t first = node().first;
  return first == 0 ? std::string_view() : file_->nodes_[first].text;
}

std::vector<std::string_view> SExpression::List::words() const {
  std::vector<std::string_view> words;
  const std::uint32_t first = node().first;
  for (std::uint32_t i = first == 0 ? 0 : file_->nodes_[first].next; i != 0; i = file_->nodes_[i].next)
    if (!file_->nodes_[i].is_list) words.push_back(file_->nodes_[i].text);
  return words;
}

bool SExpression::List::has_word(std::string_view word) const {
  for (const std::string_view w : words())
    if (w == word) return true;
  return false;
}

const SExpression::Node* SExpression::List::at(std::size_t place) const {
  const std::uint32_t first = node().first;
  std::size_t seen = 0;
  for (std::uint32_t i = first == 0 ? 0 : file_->nodes_[first].next; i != 0; i = file_->nodes_[i].next) {
    const Node& n = file_->nodes_[i];
    if (n.is_list || is_flag(n)) continue;
    if (seen++ == place) return &n;
  }
  return nullptr;
}

std::string SExpression::List::text(std::size_t place) const {
  const Node* n = at(place);
  if (!n) refuse("has no value " + std::to_string(place + 1));
  return std::string(n->text);
}

std::string SExpression::List::text_or(std::size_t place, std::string fallback) const {
  const Node* n = at(place);
  return n ? std::string(n->text) : std::move(fallback);
}

double SExpression::List::number(std::size_t place) const {
  const Node* n = at(place);
  if (!n) refuse("has no number " + std::to_string(place + 1));
  double value = 0;
  const char* const end = n->text.data() + n->text.size();
  const auto [to, fault] = std::from_chars(n->text.data(), end, value);
  constexpr double most = 1e6;  // mm or degrees: a kilometre
  if (fault != std::errc() || to != end || !(std::abs(value) <= most))
    refuse("'" + std::string(n->text.substr(0, 40)) + "' is no number up to a million");
  return value;
}

double SExpression::List::number_or(std::size_t place, double fallback) const {
  return at(place) ? number(place) : fallback;
}

bool SExpression::List::has(std::string_view word) const {
  for (std::uint32_t i = node().first; i != 0; i = file_->nodes_[i].next)
    if (file_->nodes_[i].is_list && List(*file_, i).word() == word) return true;
  return false;
}

SExpression::List SExpression::List::child(std::string_view word) const {
  for (std::uint32_t i = node().first; i != 0; i = file_->nodes_[i].next)
    if (file_->nodes_[i].is_list && List(*file_, i).word() == word) return {*file_, i};
  refuse("has no (" + std::string(word) + " ...)");
}

void SExpression::List::refuse(const std::string& what) const {
  throw DesignError(file_->name_ + ":" + std::to_string(node().line) + ": (" + std::string(word()) +
                    " ...) " + what);
}

}  // namespace datum::design
