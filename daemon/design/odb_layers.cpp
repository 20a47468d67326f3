#include "daemon/design/odb_layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "daemon/design/odb_text.h"
#include "daemon/design/text_decoding.h"

namespace datum::design::odb {
namespace {

enum class Kind : std::uint8_t { copper, mask, silkscreen, drill };
struct Layer {
  std::string name;
  Kind kind;
  Side side;
};

/// Rows run from top to bottom: the first of a kind is the top's, the last the bottom's.
std::vector<Layer> outer_layers(const std::string& matrix) {
  std::map<Kind, std::vector<std::pair<int, std::string>>> rows;
  int copper_first = 1 << 30;
  for (const Structure& s : structures_in(matrix)) {
    if (s.kind != "LAYER" || s.get("CONTEXT") != "BOARD") continue;
    const std::string type = s.get("TYPE");
    const int row =
        static_cast<int>(std::clamp(std::strtol(s.get("ROW").c_str(), nullptr, 10), 0L, 100'000L));
    const auto add = [&](Kind kind) { rows[kind].emplace_back(row, lower_case(s.get("NAME"))); };
    if (type == "SIGNAL" || type == "POWER_GROUND" || type == "MIXED") add(Kind::copper);
    if (type == "SOLDER_MASK") add(Kind::mask);
    if (type == "SILK_SCREEN") add(Kind::silkscreen);
    if (type == "DRILL" || type == "ROUT") add(Kind::drill);
  }
  for (auto& [kind, of_kind] : rows) std::sort(of_kind.begin(), of_kind.end());
  if (!rows[Kind::copper].empty()) copper_first = rows[Kind::copper].front().first;
  std::vector<Layer> layers;
  for (const auto& [kind, of_kind] : rows)
    for (std::size_t i = 0; i < of_kind.size(); ++i) {
      if (kind == Kind::copper && i != 0 && i + 1 != of_kind.size()) continue;
      const bool top = kind == Kind::copper ? i == 0 : of_kind[i].first < copper_first;
      layers.push_back({of_kind[i].second, kind, top ? Side::top : Side::bottom});
    }
  return layers;
}

class LayerReader {
 public:
  LayerReader(const std::string& text, std::string name, double mm, const Layer& layer, Design& design)
      : lines_(text, std::move(name)), mm_(mm), layer_(layer), d_(design) {}

  void read() {
    while (const auto line = lines_.next()) {
      const std::string_view word = line->words[0];
      if (word[0] == '$' && line->words.size() > 1) {
        // Numbers of symbols are um in files of mm and mils in those of inches; "I" or "M" behind the name says otherwise.
        double unit = mm_ == 1 ? 1e-3 : 25.4e-3;
        if (line->words.size() > 2) unit = line->words[2] == "M" ? 1e-3 : 25.4e-3;
        if (const auto symbol = symbol_of(line->words[1], unit))
          symbols_[std::string(word.substr(1))] = *symbol;
      } else if (word == "P") {
        pad(*line);
      } else if (word == "L") {
        stroke(*line, {{x(*line, 1), x(*line, 2)}, {x(*line, 3), x(*line, 4)}}, 5);
      } else if (word == "A") {
        arc(*line);
      } else if (word == "S") {
        surface();
      }
      if (features() > max_odb_features)
        lines_.refuse(*line, fmt::format("more than {} features; no board has as many", max_odb_features));
    }
  }

 private:
  std::size_t features() const {
    return d_.tracks.size() + d_.silkscreen.size() + d_.holes.size() + d_.vias.size() +
           d_.copper_areas.size() + d_.mask_openings.size() + d_.silkscreen_areas.size();
  }
  double x(const Line& line, std::size_t word) const { return lines_.number(line, word) * mm_; }
  Symbol symbol(const Line& line, std::size_t word) const {
    if (word >= line.words.size()) return {};
    const auto found = symbols_.find(std::string(line.words[word]));
    return found == symbols_.end() ? Symbol{Point(0.2, 0.2), false} : found->second;
  }

  void pad(const Line& line) {
    const Point at(x(line, 1), x(line, 2));
    const Symbol s = symbol(line, 3);
    // orient_def: 0 to 7 are quarters, from 4 on mirrored; 8 and 9 have an angle of their own, clockwise.
    double rotation = 0;
    if (line.words.size() > 6) {
      const int def = lines_.integer(line, 6);
      rotation = def < 8 ? -90.0 * (def % 4) : line.words.size() > 7 ? -lines_.number(line, 7) : 0;
    }
    switch (layer_.kind) {
      case Kind::copper: {
        if (!near_pin(at)) d_.vias.push_back({at, s.size.maxCoeff(), 0, true});
        break;
      }
      case Kind::mask:
        d_.mask_openings.push_back({layer_.side, {corners_of({at, s.size, normal_angle(rotation)})}});
        break;
      case Kind::silkscreen:
        d_.silkscreen_areas.push_back({layer_.side, {corners_of({at, s.size, normal_angle(rotation)})}});
        break;
      case Kind::drill:
        d_.holes.push_back({at, at, s.size.x()});
        break;
    }
  }

  bool near_pin(const Point& at) {
    if (pins_.empty())
      for (const Component& c : d_.components)
        for (const Pad& pad : c.pads) pins_.insert(key(pad.copper.centre));
    return pins_.contains(key(at));
  }
  static std::pair<long, long> key(const Point& p) {
    return {std::lround(p.x() * 50), std::lround(p.y() * 50)};
  }

  void stroke(const Line& line, const Polygon& points, std::size_t symbol_word) {
    const double width = symbol(line, symbol_word).size.x();
    for (std::size_t i = 1; i < points.size(); ++i) {
      if (layer_.kind == Kind::copper) d_.tracks.push_back({layer_.side, points[i - 1], points[i], width});
      if (layer_.kind == Kind::silkscreen || layer_.kind == Kind::mask)
        d_.silkscreen.push_back({layer_.side, points[i - 1], points[i], width});
      if (layer_.kind == Kind::drill) d_.holes.push_back({points[i - 1], points[i], width});
    }
  }

  void arc(const Line& line) {
    const Point from(x(line, 1), x(line, 2)), to(x(line, 3), x(line, 4)), centre(x(line, 5), x(line, 6));
    const bool clockwise = line.words.size() > 10 && line.words[10] == "Y";
    const auto angle = [&](const Point& p) {
      return std::atan2(p.y() - centre.y(), p.x() - centre.x()) * 180 / std::numbers::pi;
    };
    double sweep = normal_angle(angle(to) - angle(from));
    if ((to - from).norm() < 1e-9) sweep = 360;
    if (clockwise) sweep -= 360;
    Polygon points{from};
    const Polygon rest = arc_points(centre, from, sweep);
    points.insert(points.end(), rest.begin(), rest.end());
    stroke(line, points, 7);
  }

  void surface() {
    Area area{layer_.side, {}};
    while (const auto line = lines_.next()) {
      if (line->words[0] == "SE") break;
      if (!read_outline(lines_, *line, mm_, area.rings))
        lines_.refuse(*line,
                      fmt::format("'{:.20}' stands in a surface; OB to OE are allowed", line->words[0]));
    }
    if (area.rings.empty()) return;
    if (layer_.kind == Kind::copper) d_.copper_areas.push_back(std::move(area));
    if (layer_.kind == Kind::mask) d_.mask_openings.push_back(std::move(area));
    if (layer_.kind == Kind::silkscreen) d_.silkscreen_areas.push_back(std::move(area));
    if (layer_.kind == Kind::drill) d_.cutouts.push_back(std::move(area.rings.front()));
  }

  Lines lines_;
  double mm_;
  const Layer& layer_;
  Design& d_;
  std::map<std::string, Symbol> symbols_;
  std::set<std::pair<long, long>> pins_;
};

}  // namespace

void read_layers(const OdbFiles& files, const std::string& step, double default_mm, const std::string& name,
                 Design& design) {
  bool copper = false;
  for (const Layer& layer : outer_layers(files.at("matrix/matrix"))) {
    const std::string path = "steps/" + step + "/layers/" + layer.name + "/features";
    const auto file = files.find(path);
    if (file == files.end()) continue;
    LayerReader(file->second, name + "/" + path, mm_per_unit(file->second, default_mm), layer, design).read();
    copper = copper || layer.kind == Kind::copper;
    design.knows_mask = design.knows_mask || layer.kind == Kind::mask;
  }
  design.knows_copper = copper && design.knows_mask;
  if (!design.knows_copper)
    design.remarks.push_back(
        "the job has no solder mask layer or no copper: what lies under the rings is unknown");
}

}  // namespace datum::design::odb
