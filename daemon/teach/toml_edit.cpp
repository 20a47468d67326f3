#include "daemon/teach/toml_edit.h"

#include <algorithm>
#include <stdexcept>

namespace datum::teach {
namespace {

using config::TomlNode;

/// End of a string that begins at `at`.
std::size_t string_end(const std::string& text, std::size_t at) {
  const char quote = text[at];
  const std::string three(3, quote);
  const bool is_long = text.compare(at, 3, three) == 0;
  for (std::size_t i = at + (is_long ? 3 : 1); i < text.size(); ++i) {
    if (quote == '"' && text[i] == '\\')
      ++i;
    else if (is_long && text.compare(i, 3, three) == 0)
      return i + 3;
    else if (!is_long && text[i] == quote)
      return i + 1;
  }
  return text.size();
}

std::string joined(const TomlAssignments& keys, const char* between) {
  std::string all;
  for (const auto& [key, value] : keys) all += (all.empty() ? "" : between) + key + " = " + value;
  return all;
}

}  // namespace

TomlEdit::TomlEdit(std::string text, const std::string& name)
    : text_(std::move(text)), name_(name), lines_{0}, root_(config::parse_toml(text_, name)) {
  for (std::size_t i = 0; i < text_.size(); ++i)
    if (text_[i] == '\n') lines_.push_back(i + 1);
}

const TomlNode* TomlEdit::element(const std::string& array, const std::string& key,
                                  const std::string& value) const {
  const TomlNode* all = root_.find(array);
  if (!all) return nullptr;
  for (const TomlNode& one : all->elements)
    if (const TomlNode* named = one.find(key); named && named->text == value) return &one;
  return nullptr;
}

/// Columns count code points.
std::size_t TomlEdit::offset(int line, int column) const {
  std::size_t at = lines_.at(static_cast<std::size_t>(line - 1));
  for (int i = 1; i < column && at < text_.size(); ++i) {
    ++at;
    while (at < text_.size() && (static_cast<unsigned char>(text_[at]) & 0xC0) == 0x80) ++at;
  }
  return at;
}

std::size_t TomlEdit::value_end(std::size_t begin) const {
  int depth = 0;
  for (std::size_t i = begin; i < text_.size();) {
    const char c = text_[i];
    if (c == '"' || c == '\'') {
      i = string_end(text_, i);
      if (depth == 0) return i;
      continue;
    }
    if (c == '#' && depth > 0) {
      i = text_.find('\n', i);
      continue;
    }
    if (c == '[' || c == '{') ++depth;
    if ((c == ']' || c == '}') && --depth <= 0) return depth == 0 ? i + 1 : i;
    if (depth == 0 && (c == ',' || c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '#')) return i;
    ++i;
  }
  return text_.size();
}

bool TomlEdit::is_inline(const TomlNode& table) const {
  return text_[offset(table.line, table.column)] == '{';
}

void TomlEdit::set(const TomlNode& table, const std::string& after, const TomlAssignments& keys,
                   const std::vector<std::string>& drop) {
  const char* between = is_inline(table) ? ", " : "\n";
  TomlAssignments fresh;
  for (const auto& [key, value] : keys) {
    const TomlNode* present = table.find(key);
    if (!present) {
      fresh.emplace_back(key, value);
      continue;
    }
    const std::size_t begin = offset(present->line, present->column);
    changes_.emplace(begin, Change{value_end(begin), value});
  }
  for (const config::TomlEntry& entry : table.entries) {
    if (std::find(drop.begin(), drop.end(), entry.key) == drop.end()) continue;
    if (fresh.empty()) throw std::invalid_argument(name_ + ": " + entry.key + ": nothing takes its place");
    const std::size_t begin = offset(entry.line, entry.column);
    changes_.emplace(begin,
                     Change{value_end(offset(entry.value.line, entry.value.column)), joined(fresh, between)});
    fresh.clear();
  }
  if (fresh.empty()) return;
  const TomlNode* behind = table.find(after);
  if (!behind) throw std::invalid_argument(name_ + ": no key " + after + " to add others behind");
  std::size_t at = value_end(offset(behind->line, behind->column));
  if (!is_inline(table)) at = std::min(text_.find('\n', at), text_.size());  // behind the line's comment
  changes_.emplace(at, Change{at, between + joined(fresh, between)});
}

void TomlEdit::add_element(const std::string& array, const TomlAssignments& keys) {
  const TomlNode* all = root_.find(array);
  if (all && all->line > 0) {
    const std::size_t begin = offset(all->line, all->column);
    if (text_[begin] == '[' && (begin + 1 >= text_.size() || text_[begin + 1] != '[')) {
      changes_.emplace(begin + 1, Change{begin + 1, "\n  { " + joined(keys, ", ") + " },"});
      return;
    }
  }
  tail_ += "\n[[" + array + "]]\n" + joined(keys, "\n") + "\n";
}

std::string TomlEdit::text() const {
  std::string out;
  std::size_t from = 0;
  for (const auto& [begin, change] : changes_) {
    out += text_.substr(from, begin - from) + change.text;
    from = change.end;
  }
  out += text_.substr(from);
  if (!tail_.empty() && !out.empty() && out.back() != '\n') out += '\n';
  out += tail_;
  config::parse_toml(out, name_ + " (edited)");
  return out;
}

}  // namespace datum::teach
