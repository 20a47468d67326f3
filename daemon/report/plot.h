// Charts and tables of any report: a Plot beside the NumberTable of its numbers. Both become escaped HTML by templates.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "daemon/report/chart.h"
#include "daemon/report/page_template.h"

namespace datum {

/// Least and most of values, for an axis; numbers that are not finite do not count.
struct Reach {
  std::optional<double> least, most;
  void take(double value);
  /// From bottom to top of a Plot; without a value from 0 to 1.
  Axis axis() const;
};

/// A chart of values over places 0 to n - 1 from left to right.
class Plot {
 public:
  enum class Line : std::uint8_t { plain, dashed, dotted, strong };

  /// `description` says what the marks mean; the numbers stand in a table beside it.
  Plot(const std::string& title, const std::string& description, const Axis& values, std::size_t places);

  void limit(double value, const std::string& word) { level(value, word, "limit"); }
  void centre(double value, const std::string& word) { level(value, word, "nominal"); }
  /// A vertical limit at a place between places.
  void post(double place, const std::string& word);
  /// A gap where there is no value.
  void line(const std::vector<std::optional<double>>& values, Line kind = Line::plain);
  /// `out`: a diamond in place of a point.
  void dot(double place, double value, bool out = false);
  void whisker(double place, double least, double most);
  /// From 0 up.
  void bar(double from, double to, double value, bool second = false);
  void label(double place, const std::string& text);

  std::string html() const;

 private:
  void level(double value, const std::string& word, const char* css);
  std::string x(double place) const;
  std::string y(double value) const;

  Axis values_, places_;
  PageData data_;
  PageData levels_ = PageData::type::list, posts_ = PageData::type::list, lines_ = PageData::type::list,
           dots_ = PageData::type::list, bars_ = PageData::type::list, labels_ = PageData::type::list;
};

/// Numbers have all their digits as the value of their <data> element.
class NumberTable {
 public:
  /// `head`: of the rows' names first.
  NumberTable(const std::string& id, const std::string& caption, const std::vector<std::string>& head);

  /// `link`: where its name leads; empty: nowhere.
  NumberTable& row(const std::string& name, const std::string& link = "");
  NumberTable& number(std::optional<double> value, int significant = 7);
  NumberTable& count(std::int64_t value);
  NumberTable& text(const std::string& text);
  NumberTable& decision(Decision decision);
  bool empty() const { return rows_.empty(); }
  std::string html() const;

 private:
  struct Cell {
    enum class Kind : std::uint8_t { number, text, decision } kind = Kind::text;
    std::string value{}, text{};
    Decision decision{};
  };
  struct Row {
    std::string name, link;
    std::vector<Cell> cells;
  };
  std::string id_, caption_;
  std::vector<std::string> head_;
  std::vector<Row> rows_;
};

/// A heading of level 1 to 3; a paragraph, by which a test finds its text where `id` is given.
std::string heading(int level, const std::string& text);
std::string paragraph(const std::string& text, const std::string& id = "");

}  // namespace datum
