#include "daemon/design/odb_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <numbers>

namespace datum::design::odb {
namespace {

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < text.size();) {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\t' || text[at] == '\r')) ++at;
    std::size_t end = at;
    while (end < text.size() && text[end] != ' ' && text[end] != '\t' && text[end] != '\r') ++end;
    if (end > at) words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

std::map<std::string, std::string> attributes_of(std::string_view text) {
  std::map<std::string, std::string> found;
  text = text.substr(0, text.find(';'));  // the id follows
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string_view item = text.substr(at, end - at);
    const std::size_t is = item.find('=');
    std::string key(item.substr(0, is));
    while (!key.empty() && std::isspace(static_cast<unsigned char>(key.back()))) key.pop_back();
    while (!key.empty() && std::isspace(static_cast<unsigned char>(key.front()))) key.erase(0, 1);
    if (!key.empty()) found[key] = is == item.npos ? "" : std::string(item.substr(is + 1));
    at = end + 1;
  }
  return found;
}

double number_of(std::string_view text, bool& good) {
  double value = 0;
  while (text.ends_with(';')) text.remove_suffix(1);  // some writers leave one on the last number
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [to, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  good = fault == std::errc() && to == text.data() + text.size() && std::abs(value) <= 1e9;
  return value;
}

}  // namespace

std::optional<Line> Lines::next() {
  while (!text_.empty()) {
    const std::size_t end = std::min(text_.find('\n'), text_.size());
    std::string_view raw = text_.substr(0, end);
    text_.remove_prefix(std::min(end + 1, text_.size()));
    ++line_;
    if (raw.starts_with('#')) continue;
    Line line;
    line.number = line_;
    if (const auto at = raw.find(';'); at != raw.npos) {
      line.attributes = attributes_of(raw.substr(at + 1));
      raw = raw.substr(0, at);
    }
    line.words = words_of(raw);
    if (!line.words.empty()) return line;
  }
  return std::nullopt;
}

void Lines::refuse(const Line& line, const std::string& what) const {
  throw DesignError(fmt::format("{}:{}: {}", name_, line.number, what));
}

double Lines::number(const Line& line, std::size_t word) const {
  if (word >= line.words.size())
    refuse(line, fmt::format("{} has {} words; a number is missing", line.words[0], line.words.size()));
  bool good = false;
  const double value = number_of(line.words[word], good);
  if (!good) refuse(line, fmt::format("'{:.30}' is no number", line.words[word]));
  return value;
}

int Lines::integer(const Line& line, std::size_t word) const {
  const double value = number(line, word);
  if (value != std::round(value) || std::abs(value) > 1e8)
    refuse(line, fmt::format("'{:.30}' is no whole number", line.words[word]));
  return static_cast<int>(value);
}

double mm_per_unit(std::string_view text, double fallback) {
  Lines lines(text, "");
  for (int i = 0; i < 20; ++i) {
    const auto line = lines.next();
    if (!line) break;
    const std::string_view word = line->words[0];
    const std::string_view unit = word.starts_with("UNITS=")              ? word.substr(6)
                                  : word == "U" && line->words.size() > 1 ? line->words[1]
                                                                          : "";
    if (unit == "MM") return 1;
    if (unit == "INCH") return 25.4;
  }
  return fallback;
}

std::string Structure::get(const std::string& key) const {
  const auto found = keys.find(key);
  return found == keys.end() ? "" : found->second;
}

std::vector<Structure> structures_in(std::string_view text) {
  std::vector<Structure> all;
  std::optional<Structure> open;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string line;
    for (const std::string_view word : words_of(text.substr(at, end - at)))
      line += (line.empty() ? "" : " ") + std::string(word);
    at = end + 1;
    if (line.ends_with("{")) {
      line.pop_back();
      while (line.ends_with(' ')) line.pop_back();
      open = Structure{line, {}};
    } else if (line == "}") {
      if (open) all.push_back(std::move(*open));
      open.reset();
    } else if (const auto is = line.find('='); is != line.npos && open) {
      std::string key = line.substr(0, is);
      std::transform(key.begin(), key.end(), key.begin(), [](unsigned char c) { return std::toupper(c); });
      open->keys[key] = line.substr(is + 1);
    }
  }
  return all;
}

namespace {

/// Lines from OB to OE.
Polygon read_ring(Lines& lines, const Line& begin, double mm) {
  Polygon points{{lines.number(begin, 1) * mm, lines.number(begin, 2) * mm}};
  while (const auto line = lines.next()) {
    const std::string_view word = line->words[0];
    if (word == "OE") break;
    if (word == "OS") {
      points.push_back({lines.number(*line, 1) * mm, lines.number(*line, 2) * mm});
    } else if (word == "OC") {
      const Point to(lines.number(*line, 1) * mm, lines.number(*line, 2) * mm),
          centre(lines.number(*line, 3) * mm, lines.number(*line, 4) * mm), from = points.back();
      const bool clockwise = line->words.size() > 5 && (line->words[5] == "Y" || line->words[5] == "y");
      const auto angle = [&](const Point& p) {
        return std::atan2(p.y() - centre.y(), p.x() - centre.x()) * 180 / std::numbers::pi;
      };
      double sweep = normal_angle(angle(to) - angle(from));
      if ((to - from).norm() < 1e-9) sweep = 360;
      if (clockwise) sweep = sweep == 360 ? -360 : sweep - 360;
      const Polygon arc = arc_points(centre, from, sweep);
      points.insert(points.end(), arc.begin(), arc.end());
      points.back() = to;
    } else {
      lines.refuse(*line, fmt::format("'{:.20}' stands in a contour; OS, OC and OE are allowed", word));
    }
  }
  if (points.size() > 1 && (points.front() - points.back()).norm() < 1e-6) points.pop_back();
  return points;
}

}  // namespace

bool read_outline(Lines& lines, const Line& first, double mm, std::vector<Polygon>& rings) {
  const std::string_view word = first.words[0];
  const auto at = [&](std::size_t i) { return lines.number(first, i) * mm; };
  if (word == "RC") {
    const Point low(at(1), at(2)), size(at(3), at(4));
    rings.push_back(corners_of({low + size / 2, size, 0}));
  } else if (word == "SQ") {
    rings.push_back(corners_of({{at(1), at(2)}, Point::Constant(2 * at(3)), 0}));
  } else if (word == "CR") {
    const Point centre(at(1), at(2));
    rings.push_back(arc_points(centre, centre + Point(at(3), 0), 360));
  } else if (word == "OB") {
    if (Polygon ring = read_ring(lines, first, mm); ring.size() > 2) rings.push_back(std::move(ring));
  } else if (word != "CT" && word != "CE") {
    return false;
  }
  return true;
}

std::optional<Symbol> symbol_of(std::string_view name, double unit_mm) {
  std::vector<double> n;
  std::size_t at = 0;
  while (at < name.size() && (std::isalpha(static_cast<unsigned char>(name[at])) || name[at] == '_')) ++at;
  const std::string kind(name.substr(0, at));
  for (std::string_view rest = name.substr(at); !rest.empty();) {
    double value = 0;
    const auto [to, fault] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (fault != std::errc()) break;
    n.push_back(value * unit_mm);
    rest.remove_prefix(static_cast<std::size_t>(to - rest.data()));
    if (!rest.starts_with('x')) break;
    rest.remove_prefix(1);
    while (!rest.empty() && !std::isdigit(static_cast<unsigned char>(rest[0])))
      rest.remove_prefix(1);  // "rect20x30xr5"
  }
  if (n.empty()) return std::nullopt;
  const bool round = kind == "r" || kind == "donut_r" || kind == "thr" || kind == "ths";
  if (n.size() == 1 || round || kind == "s" || kind == "donut_s") return Symbol{Point::Constant(n[0]), round};
  return Symbol{{n[0], n[1]}, false};
}

}  // namespace datum::design::odb
