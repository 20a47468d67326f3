#include "daemon/design/centroid.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include "daemon/design/centroid_table.h"
#include "daemon/design/text_decoding.h"

namespace datum::design {
namespace {

using namespace centroid;

class CentroidReader {
 public:
  CentroidReader(Table table, const std::string& name, const CentroidOptions& options)
      : t_(std::move(table)), name_(name), o_(options) {}

  Design take() {
    for (const Column c : {reference, x, y, rotation})
      if (!t_.has[c])
        throw DesignError(fmt::format("{}: has no column of the {}", name_,
                                      c == reference  ? "reference"
                                      : c == rotation ? "rotation"
                                                      : "place"));
    if (!t_.has[side] && !t_.side)
      throw DesignError(name_ + ": has no column of the side; --side top or bottom says it");
    design_.format = fmt::format("centroid file, dialect {}", name_of(t_.dialect));
    for (const Row& row : t_.rows) read(row);
    if (o_.outline) {
      const Point low = o_.outline->first, size = o_.outline->second;
      design_.outline = {low, low + Point(size.x(), 0), low + size, low + Point(0, size.y())};
      check_mirrored(Box{low + size / 2, size, 0});
    }
    prove_rotations();
    design_.remarks.push_back(
        "a centroid file has no bodies, pads or copper: bodies come from the library and from names of "
        "packages, what "
        "lies under the rings is unknown");
    return std::move(design_);
  }

 private:
  [[noreturn]] void refuse(const Row& row, Column column, const std::string& what) const {
    static const char* const names[] = {"reference", "value", "package", "x",     "y",
                                        "rotation",  "side",  "pad x",   "pad y", "type"};
    throw DesignError(fmt::format("{}:{}: {}: {}", name_, row.line, names[column], what));
  }

  double number(const Row& row, Column column, std::string_view& rest) const {
    std::string text = row.fields[column];
    if (t_.decimal_comma) std::replace(text.begin(), text.end(), ',', '.');
    if (!text.empty() && text[0] == '+') text.erase(0, 1);
    double v = 0;
    const auto [to, fault] = std::from_chars(text.data(), text.data() + text.size(), v);
    if (fault != std::errc() || !(std::abs(v) <= 1e7))
      refuse(row, column, fmt::format("'{:.30}' is no number", row.fields[column]));
    rest = std::string_view(row.fields[column])
               .substr(static_cast<std::size_t>(to - text.data()) + (row.fields[column][0] == '+'));
    return v;
  }

  double mm(const Row& row, Column column) const {
    std::string_view rest;
    const double v = number(row, column, rest);
    std::string unit = lower_case(std::string(rest));
    unit.erase(0, unit.find_first_not_of(' ') == unit.npos ? unit.size() : unit.find_first_not_of(' '));
    if (unit.empty()) unit = t_.unit;
    for (const auto& [word, factor] :
         {std::pair{"mm", 1.0}, std::pair{"mil", 25.4e-3}, std::pair{"mils", 25.4e-3}, std::pair{"in", 25.4},
          std::pair{"inch", 25.4}, std::pair{"um", 1e-3}})
      if (unit == word) return v * factor;
    refuse(row, column,
           unit.empty() ? "its unit cannot be told: --unit mm, inch or mil says it"
                        : fmt::format("'{:.10}' is no unit; mm, mil, inch and um are", unit));
  }

  Side side_of(const Row& row) const {
    if (t_.side && (!t_.has[side] || row.fields[side].empty())) return *t_.side;
    const std::string word = lower_case(row.fields[side]);
    for (const char* top : {"t", "top", "toplayer", "top layer", "f.cu", "front", "no", "component side"})
      if (word == top) return Side::top;
    for (const char* bottom :
         {"b", "bottom", "bottomlayer", "bottom layer", "b.cu", "back", "yes", "m", "solder side"})
      if (word == bottom) return Side::bottom;
    refuse(row, side, fmt::format("'{:.20}' is no side; top and bottom are", row.fields[side]));
  }

  void check_reference(const Row& row) {
    const std::string& ref = row.fields[reference];
    if (ref.empty()) refuse(row, reference, "is empty");
    if (ref.size() > 64) refuse(row, reference, "is longer than 64 characters");
    double v = 0;
    if (const auto [to, fault] = std::from_chars(ref.data(), ref.data() + ref.size(), v);
        fault == std::errc() && to == ref.data() + ref.size())
      refuse(row, reference, fmt::format("'{}' is a number: a spreadsheet has changed it", ref));
    if (ref.find_first_of(",; ") != ref.npos)
      refuse(row, reference,
             fmt::format("'{}' is several references in one row; one row a part is needed", ref));
    const auto [first, fresh] = lines_.emplace(ref, row.line);
    if (!fresh && ref != "REF**")
      refuse(row, reference, fmt::format("'{}' stands in line {} too", ref, first->second));
  }

  /// Bottom angles as seen from the part's own side after a turn about the vertical (PLACEMENT, 8). JLC: 180 - R + c on the bottom
  /// where R + c is the top's, so the own angle plus the correction c of the package, which a library takes off.
  double own(double r, Side s) const {
    const bool is_own =
        t_.dialect == Dialect::eagle || t_.dialect == Dialect::allegro || t_.dialect == Dialect::jlc;
    return normal_angle(s == Side::top || is_own ? r : 180 - r);
  }

  void read(const Row& row) {
    check_reference(row);
    Component c;
    c.line = row.line;
    c.reference = row.fields[reference];
    c.value = row.fields[value];
    c.package = row.fields[package].substr(
        row.fields[package].rfind(':') == std::string::npos ? 0 : row.fields[package].rfind(':') + 1);
    c.side = side_of(row);
    c.origin = {mm(row, x), mm(row, y)};
    std::string_view rest;
    const double r = number(row, rotation, rest);
    if (!rest.empty() || std::abs(r) > 360)
      refuse(row, rotation, fmt::format("'{:.20}' is no angle of -360 to 360 degrees", row.fields[rotation]));
    c.rotation_deg = own(r, c.side);
    c.mount = Mount::other;
    c.fiducial = is_named_fiducial(c) || lower_case(row.fields[kind]) == "fiducial";
    if (t_.has[pad_x] && t_.has[pad_y] && !row.fields[pad_x].empty())
      firsts_.push_back({design_.components.size(), r, Point(mm(row, pad_x), mm(row, pad_y)) - c.origin});
    if (c.fiducial) design_.fiducials.push_back({c.reference, c.side, c.origin, 0, true});
    design_.components.push_back(std::move(c));
  }

  /// KiCad can negate the bottom's x, or not: the outline tells which.
  void check_mirrored(const Box& board) {
    std::size_t all = 0, inside = 0, mirrored = 0;
    const auto on = [&](const Point& p) {
      return ((p - board.centre).cwiseAbs() - board.size / 2).maxCoeff() <= 5;
    };
    for (const Component& c : design_.components) {
      if (c.side != Side::bottom) continue;
      ++all;
      inside += on(c.origin);
      mirrored += on({-c.origin.x(), c.origin.y()});
    }
    if (all == 0 || inside == all || mirrored <= inside) return;
    if (mirrored < all)
      throw DesignError(fmt::format("{}: {} of {} bottom parts lie beyond the outline, and {} with x negated",
                                    name_, all - inside, all, all - mirrored));
    for (Component& c : design_.components)
      if (c.side == Side::bottom) c.origin.x() = -c.origin.x();
    design_.remarks.push_back(
        "the bottom parts' x is negated in the file: their mirrored places lie on the board");
  }

  /// Pad 1 of one package lies at one place of its library: R(-r)(pad - middle) is the same for all of its parts, or r is no
  /// counter-clockwise rotation.
  void prove_rotations() {
    std::size_t agree = 0, disagree = 0;
    std::map<std::pair<std::string, Side>, std::pair<double, Point>> first;
    for (const auto& [index, r, way] : firsts_) {
      const Component& c = design_.components[index];
      const Point own_way = turned(way, -r);
      const auto [of, fresh] = first.emplace(std::pair{c.package, c.side}, std::pair{r, own_way});
      if (fresh || normal_angle(of->second.first) == normal_angle(r)) continue;
      ++((own_way - of->second.second).norm() < 0.1 ? agree : disagree);
    }
    if (agree + disagree == 0)
      design_.remarks.push_back(
          "the rotations are NOT proven: the file has no pads; look at the picture of the recipe");
    else if (disagree * 10 > agree + disagree)
      throw DesignError(
          fmt::format("{}: the rotations contradict the places of pad 1 in {} of {} parts: they are not "
                      "counter-clockwise from above",
                      name_, disagree, agree + disagree));
    else
      design_.remarks.push_back(
          fmt::format("counter-clockwise rotations explain the places of pad 1 in {} of {} parts", agree,
                      agree + disagree));
  }

  struct First {
    std::size_t component;
    double rotation_deg;
    Point way;  // from the part's middle to its pad 1
  };

  Table t_;
  const std::string& name_;
  const CentroidOptions& o_;
  Design design_;
  std::map<std::string, int> lines_;
  std::vector<First> firsts_;
};

}  // namespace

Design read_centroid(std::string_view bytes, const std::string& name, const CentroidOptions& options) {
  if (bytes.size() > max_centroid_bytes)
    throw DesignError(fmt::format("{}: {} bytes; at most {} are read of a centroid file", name, bytes.size(),
                                  max_centroid_bytes));
  const std::string text = decoded_text(bytes, options.encoding, name);
  return CentroidReader(read_table(text, name, options), name, options).take();
}

}  // namespace datum::design
