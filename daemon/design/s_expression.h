// Strict reader of S-expressions as KiCad writes them: lists in parentheses, bare words and quoted strings with \" \\ \n.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace datum::design {

constexpr std::size_t max_expression_bytes = std::size_t{256} << 20;
constexpr std::size_t max_expression_nodes = 40'000'000;
constexpr int max_expression_depth = 64;

/// A whole file, held as one array of nodes: neither reading nor destroying it recurses.
class SExpression {
 public:
  struct Node {
    std::string_view text;    // of a word; empty for a list
    std::uint32_t next = 0;   // sibling; 0: none
    std::uint32_t first = 0;  // child; 0: none
    std::uint32_t line = 0;
    bool is_list = false;
  };

  /// Borrows `text`. Throws DesignError that names `name` and the line: not one list, an unclosed list or string, too deep, too
  /// large.
  SExpression(std::string_view text, std::string name);

  class List;
  List root() const;
  const std::string& name() const { return name_; }

 private:
  [[noreturn]] void refuse(std::size_t line, const std::string& what) const;
  std::string_view quoted(std::string_view text, std::size_t& at, std::size_t& line);

  std::string name_;
  std::vector<Node> nodes_;
  std::deque<std::string> unescaped_;
};

/// A list of a file. Its members throw DesignError with the line where something is missing or no number.
class SExpression::List {
 public:
  List(const SExpression& file, std::uint32_t node) : file_(&file), node_(node) {}

  int line() const { return static_cast<int>(node().line); }
  /// The first word: "footprint".
  std::string_view word() const;
  /// Words behind the first one, lists left out.
  std::vector<std::string_view> words() const;
  bool has_word(std::string_view word) const;
  /// The text at a place behind the first word; lists and the bare word "locked" are not counted.
  std::string text(std::size_t place) const;
  std::string text_or(std::size_t place, std::string fallback) const;
  double number(std::size_t place) const;
  double number_or(std::size_t place, double fallback) const;

  /// Calls `each` with every list within this one.
  template <class Each>
  void each(Each each) const {
    for (std::uint32_t i = node().first; i != 0; i = file_->nodes_[i].next)
      if (file_->nodes_[i].is_list) each(List(*file_, i));
  }
  template <class Each>
  void each(std::string_view word, Each call) const {
    each([&](const List& list) {
      if (list.word() == word) call(list);
    });
  }
  bool has(std::string_view word) const;
  /// The first list of this name; throws where there is none.
  List child(std::string_view word) const;
  [[noreturn]] void refuse(const std::string& what) const;

 private:
  const Node& node() const { return file_->nodes_[node_]; }
  const Node* at(std::size_t place) const;
  const SExpression* file_;
  std::uint32_t node_;
};

}  // namespace datum::design
