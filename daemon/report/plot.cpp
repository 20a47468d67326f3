#include "daemon/report/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "daemon/report/board_page.h"
#include "daemon/report/page_text.h"

namespace datum {
namespace {

constexpr double left_px = 70, right_px = 890, top_px = 10, bottom_px = 250, dot_px = 4.5;
constexpr int ticks_wanted = 6;
constexpr std::size_t longest_word = 24;  // of a cell that is not broken into lines

}  // namespace

void Reach::take(double value) {
  if (!std::isfinite(value)) return;
  least = std::min(least.value_or(value), value);
  most = std::max(most.value_or(value), value);
}

Axis Reach::axis() const {
  return least ? axis_over(*least, *most, bottom_px, top_px) : Axis{0, 1, bottom_px, top_px};
}

Plot::Plot(const std::string& title, const std::string& description, const Axis& values, std::size_t places)
    : values_(values),
      places_{-0.5, static_cast<double>(std::max<std::size_t>(places, 1)) - 0.5, left_px, right_px},
      data_(texts({{"title", title}, {"description", description}})) {
  PageData ticks = PageData::type::list;
  const auto rising = ticks_of(values_, ticks_wanted);
  const double step = rising.size() > 1 ? rising[1] - rising[0] : 1;
  for (const double tick : rising) ticks.push_back(texts({{"y", y(tick)}, {"text", tick_text(tick, step)}}));
  data_.set("ticks", ticks);
}

std::string Plot::x(double place) const { return coordinate(places_.at(place)); }
std::string Plot::y(double value) const {
  return coordinate(std::clamp(values_.at(value), top_px, bottom_px));
}

void Plot::level(double value, const std::string& word, const char* css) {
  if (!std::isfinite(value)) return;
  levels_.push_back(texts({{"y", y(value)}, {"word", word}, {"class", css}}));
}

void Plot::post(double place, const std::string& word) {
  if (place < places_.from || place > places_.to) return;
  posts_.push_back(texts({{"x", x(place)}, {"word", word}}));
}

void Plot::line(const std::vector<std::optional<double>>& values, Line kind) {
  constexpr const char* classes[] = {"line", "line dashed", "line dotted", "stroke"};
  std::string path;
  bool gap = true;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i]) path += (gap ? "M" : "L") + x(static_cast<double>(i)) + " " + y(*values[i]);
    gap = !values[i];
  }
  if (!path.empty())
    lines_.push_back(texts({{"path", path}, {"class", classes[static_cast<std::size_t>(kind)]}}));
}

void Plot::dot(double place, double value, bool out) {
  const double px = places_.at(place), py = std::clamp(values_.at(value), top_px, bottom_px);
  PageData dot =
      texts({{"x", coordinate(px)},
             {"y", coordinate(py)},
             {"diamond", fmt::format("M{} {}L{} {}L{} {}L{} {}Z", coordinate(px - dot_px), coordinate(py),
                                     coordinate(px), coordinate(py - dot_px), coordinate(px + dot_px),
                                     coordinate(py), coordinate(px), coordinate(py + dot_px))}});
  dot.set("plain", !out);
  dot.set("out", out);
  dots_.push_back(dot);
}

void Plot::whisker(double place, double least, double most) {
  lines_.push_back(texts({{"path", "M" + x(place) + " " + y(least) + "V" + y(most)}, {"class", "stroke"}}));
}

void Plot::bar(double from, double to, double value, bool second) {
  const double high = std::clamp(values_.at(value), top_px, bottom_px),
               low = std::clamp(values_.at(0), top_px, bottom_px);
  bars_.push_back(texts({{"x", x(from)},
                         {"y", coordinate(std::min(high, low))},
                         {"width", coordinate(places_.at(to) - places_.at(from))},
                         {"height", coordinate(std::abs(low - high))},
                         {"class", second ? "box" : "bar"}}));
}

void Plot::label(double place, const std::string& text) {
  labels_.push_back(texts({{"x", x(place)}, {"text", text}}));
}

std::string Plot::html() const {
  PageData data = data_;
  data.set("levels", levels_);
  data.set("posts", posts_);
  data.set("lines", lines_);
  data.set("dots", dots_);
  data.set("bars", bars_);
  data.set("labels", labels_);
  return render("plot", data);
}

NumberTable::NumberTable(const std::string& id, const std::string& caption,
                         const std::vector<std::string>& head)
    : id_(id), caption_(caption), head_(head) {}

NumberTable& NumberTable::row(const std::string& name, const std::string& link) {
  rows_.push_back({name, link, {}});
  return *this;
}

NumberTable& NumberTable::number(std::optional<double> value, int significant) {
  if (value && !std::isfinite(*value)) value.reset();
  rows_.back().cells.push_back(
      {Cell::Kind::number, all_digits(value), value ? fmt::format("{:.{}g}", *value, significant) : "-"});
  return *this;
}

NumberTable& NumberTable::count(std::int64_t value) {
  rows_.back().cells.push_back({Cell::Kind::number, std::to_string(value), std::to_string(value)});
  return *this;
}

NumberTable& NumberTable::text(const std::string& text) {
  rows_.back().cells.push_back({Cell::Kind::text, "", text});
  return *this;
}

NumberTable& NumberTable::decision(Decision decision) {
  rows_.back().cells.push_back({Cell::Kind::decision, "", "", decision});
  return *this;
}

std::string NumberTable::html() const {
  PageData head = PageData::type::list, rows = PageData::type::list;
  for (std::size_t i = 0; i < head_.size(); ++i) {
    PageData cell = texts({{"text", head_[i]}});
    // A column of numbers by its first row.
    cell.set("is_number", i > 0 && !rows_.empty() && i <= rows_[0].cells.size() &&
                              rows_[0].cells[i - 1].kind == Cell::Kind::number);
    head.push_back(cell);
  }
  for (const Row& r : rows_) {
    PageData cells = PageData::type::list;
    for (const Cell& c : r.cells) {
      PageData cell = texts(
          {{"value", c.value}, {"text", c.text}, {"css", c.text.size() <= longest_word ? "nowrap" : "text"}});
      cell.set("is_number", c.kind == Cell::Kind::number);
      cell.set("is_text", c.kind == Cell::Kind::text);
      cell.set("is_decision", c.kind == Cell::Kind::decision);
      set_decision(cell, c.decision);
      cells.push_back(cell);
    }
    PageData row = texts({{"name", r.name}, {"link", r.link}});
    row.set("is_linked", !r.link.empty());
    row.set("cells", cells);
    rows.push_back(row);
  }
  PageData data = texts({{"id", id_}, {"caption", caption_}});
  data.set("head", head);
  data.set("rows", rows);
  return render("number_table", data);
}

std::string heading(int level, const std::string& text) {
  PageData data = texts({{"text", text}});
  data.set(level == 1 ? "first" : level == 2 ? "second" : "third", true);
  return render("heading", data);
}

std::string paragraph(const std::string& text, const std::string& id) {
  PageData data = texts({{"text", text}});
  if (!id.empty()) data.set("id", id);
  data.set("words", true);
  return render("heading", data);
}

}  // namespace datum
