#include "daemon/design/odb.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "daemon/design/odb_layers.h"
#include "daemon/design/odb_text.h"
#include "daemon/design/placement_fit.h"
#include "daemon/design/text_decoding.h"

namespace datum::design {
namespace {

using namespace odb;

struct Package {
  std::string name;
  std::vector<Polygon> outline;
  std::vector<Point> pins;
  std::vector<Point> pin_sizes;
  std::vector<std::string> pin_names;
};

/// Tables of attribute names (@k) and texts (&k) at the head of a file.
struct AttributeNames {
  std::map<std::string, std::string> names, texts;
  bool read(const Line& line) {
    const std::string_view word = line.words[0];
    if (word.size() < 2 || (word[0] != '@' && word[0] != '&') || line.words.size() < 2) return false;
    (word[0] == '@' ? names : texts)[std::string(word.substr(1))] = lower_case(std::string(line.words[1]));
    return true;
  }
  /// Value of a named attribute; "" of one without a value; none: it is not set.
  std::optional<std::string> value(const Line& line, const std::string& name) const {
    for (const auto& [key, text] : line.attributes)
      if (const auto known = names.find(key); known != names.end() && known->second == name) return text;
    return std::nullopt;
  }
};

class Odb {
 public:
  Odb(const OdbFiles& files, const std::string& name) : files_(files), name_(name) {
    double mm = 25.4;
    if (const auto info = files.find("misc/info"); info != files.end()) mm = mm_per_unit(info->second, mm);
    default_mm_ = mm;
    design_.format = "ODB++";
  }

  Design take() {
    step_ = board_step();
    design_.name = step_;
    read_profile();
    read_packages();
    for (const Side side : {Side::top, Side::bottom}) read_components(side);
    place();
    read_layers(files_, step_, default_mm_, name_, design_);
    return std::move(design_);
  }

 private:
  const std::string* file(const std::string& path) const {
    const auto found = files_.find("steps/" + step_ + "/" + path);
    return found == files_.end() ? nullptr : &found->second;
  }
  std::string shown(const std::string& path) const { return name_ + "/steps/" + step_ + "/" + path; }

  /// The step with the largest component files; those that repeat it are panels.
  std::string board_step() {
    std::map<std::string, std::size_t> bytes;
    for (const auto& [path, text] : files_)
      if (path.starts_with("steps/") && path.ends_with("/components"))
        bytes[path.substr(6, path.find('/', 6) - 6)] += text.size();
    const auto best = std::max_element(bytes.begin(), bytes.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    if (best == bytes.end())
      throw DesignError(name_ + ": no step has components (layers/comp_+_top/components)");
    for (const auto& [path, text] : files_)
      if (path.ends_with("/stephdr"))
        for (const Structure& s : structures_in(text))
          if (s.kind == "STEP-REPEAT" && lower_case(s.get("NAME")) == best->first)
            add_panel(s, mm_per_unit(text, default_mm_));
    return best->first;
  }

  void add_panel(const Structure& s, double mm) {
    const auto number = [&](const char* key) { return std::strtod(s.get(key).c_str(), nullptr); };
    const auto count = [&](const char* key) {
      return static_cast<int>(std::clamp(number(key), 1.0, 1000.0));
    };
    design_.panel.push_back({{number("X") * mm, number("Y") * mm},
                             {number("DX") * mm, number("DY") * mm},
                             count("NX"),
                             count("NY"),
                             -number("ANGLE"),
                             s.get("MIRROR") == "YES" || s.get("FLIP") == "YES"});
  }

  void read_profile() {
    const std::string* text = file("profile");
    if (!text) throw DesignError(shown("profile") + ": missing: the board's outline");
    const double mm = mm_per_unit(*text, default_mm_);
    Lines lines(*text, shown("profile"));
    std::vector<Polygon> rings;
    while (const auto line = lines.next()) read_outline(lines, *line, mm, rings);
    if (rings.empty()) throw DesignError(shown("profile") + ": has no contour");
    std::stable_sort(rings.begin(), rings.end(), [](const Polygon& a, const Polygon& b) {
      return std::abs(area_of(a)) > std::abs(area_of(b));
    });
    design_.outline = rings.front();
    design_.cutouts.assign(rings.begin() + 1, rings.end());
  }

  void read_packages() {
    const std::string* text = file("eda/data");
    if (!text) return;
    const double mm = mm_per_unit(*text, default_mm_);
    Lines lines(*text, shown("eda/data"));
    bool in_pin = false;
    while (const auto line = lines.next()) {
      const std::string_view word = line->words[0];
      if (word == "PKG") {
        if (line->words.size() < 2) lines.refuse(*line, "PKG has no name");
        packages_.push_back({std::string(line->words[1]), {}, {}, {}, {}});
        in_pin = false;
      } else if (word == "PIN" && !packages_.empty()) {
        if (line->words.size() < 5) lines.refuse(*line, "PIN name type x y are needed");
        packages_.back().pin_names.emplace_back(line->words[1]);
        packages_.back().pins.push_back({lines.number(*line, 3) * mm, lines.number(*line, 4) * mm});
        packages_.back().pin_sizes.push_back(Point(0.2, 0.2));
        in_pin = true;
      } else if (!packages_.empty() &&
                 (word == "RC" || word == "CR" || word == "SQ" || word == "CT" || word == "OB")) {
        std::vector<Polygon> rings;
        read_outline(lines, *line, mm, rings);
        if (!in_pin)
          packages_.back().outline.insert(packages_.back().outline.end(), rings.begin(), rings.end());
        else if (!rings.empty())
          packages_.back().pin_sizes.back() = box_around(rings.front(), 0).size;
      }
    }
  }

  void read_components(Side side) {
    const std::string path =
        std::string("layers/comp_+_") + (side == Side::top ? "top" : "bot") + "/components";
    const std::string* text = file(path);
    if (!text) return;
    const double mm = mm_per_unit(*text, default_mm_);
    Lines lines(*text, shown(path));
    AttributeNames names;
    while (const auto line = lines.next()) {
      if (names.read(*line)) continue;
      const std::string_view word = line->words[0];
      if (word == "CMP") add_component(lines, *line, names, side, mm);
      if (word == "TOP" && !placed_.empty()) add_pin(lines, *line, mm);
    }
  }

  void add_component(const Lines& lines, const Line& line, const AttributeNames& names, Side side,
                     double mm) {
    if (line.words.size() < 7) lines.refuse(line, "CMP package x y rotation mirror name are needed");
    const int package = lines.integer(line, 1);
    if (package < 0 || static_cast<std::size_t>(package) >= packages_.size())
      lines.refuse(line, fmt::format("package {} is none of the {} in eda/data", package, packages_.size()));
    Component c;
    c.line = line.number;
    c.side = side;
    c.reference = line.words[6];
    c.package = packages_[static_cast<std::size_t>(package)].name;
    if (line.words.size() > 7) c.part_number = line.words[7];
    c.origin = {lines.number(line, 2) * mm, lines.number(line, 3) * mm};
    c.population = names.value(line, ".no_pop") ? Population::not_populated : Population::populated;
    if (names.value(line, ".comp_ignore")) c.mechanical = true;
    if (const auto mount = names.value(line, ".comp_mount_type"))
      c.mount = *mount == "1" ? Mount::surface : *mount == "2" ? Mount::through_hole : Mount::other;
    if (const auto height = names.value(line, ".comp_height")) {
      const double h = std::strtod(height->c_str(), nullptr) * mm;
      if (h > 0.0255 && h < 250) c.height_um = h * 1e3;  // 0.000 and 0.001 in mean "unknown"
    }
    c.fiducial = is_named_fiducial(c);
    placed_.push_back({c.reference, side, c.origin, lines.number(line, 4), {}, {}});
    package_of_.push_back(static_cast<std::size_t>(package));
    design_.components.push_back(std::move(c));
  }

  void add_pin(const Lines& lines, const Line& line, double mm) {
    const Package& package = packages_[package_of_.back()];
    const int pin = lines.integer(line, 1);
    if (pin < 0 || static_cast<std::size_t>(pin) >= package.pins.size()) return;
    placed_.back().pins.push_back(package.pins[static_cast<std::size_t>(pin)]);
    placed_.back().pads.push_back({lines.number(line, 2) * mm, lines.number(line, 3) * mm});
    pin_index_[placed_.size() - 1].push_back(static_cast<std::size_t>(pin));
  }

  void place() {
    const SideFits fits =
        fit_sides(placed_, Transform::turned_back, Transform::turned_back_mirrored, name_, design_);
    for (std::size_t i = 0; i < placed_.size(); ++i) {
      Component& c = design_.components[i];
      const Package& package = packages_[package_of_[i]];
      const Transform transform = fits.of(c.side).transform;
      c.rotation_deg = own_rotation(transform, c.side, placed_[i].rotation_deg);
      for (const Polygon& ring : package.outline)
        for (const Point& p : ring) c.body.push_back(placed(transform, placed_[i], p));
      if (!c.body.empty()) c.body_source = "package outline";
      for (std::size_t k = 0; k < placed_[i].pads.size(); ++k) {
        const std::size_t pin = pin_index_[i][k];
        Pad pad;
        pad.number = package.pin_names[pin];
        // The package's pins lie in its own axes, turned as the outline is.
        const Point along = placed(transform, placed_[i], {1, 0}) - placed_[i].at;
        pad.copper = {placed_[i].pads[k], package.pin_sizes[pin],
                      std::atan2(along.y(), along.x()) * 180 / M_PI};
        const bool through = c.mount == Mount::through_hole;
        pad.on_top = pad.open_top = through || c.side == Side::top;
        pad.on_bottom = pad.open_bottom = through || c.side == Side::bottom;
        c.pads.push_back(pad);
      }
    }
  }

  const OdbFiles& files_;
  const std::string& name_;
  std::string step_;
  double default_mm_ = 25.4;
  Design design_;
  std::vector<Package> packages_;
  std::vector<PlacedPart> placed_;
  std::vector<std::size_t> package_of_;                        // of each component
  std::map<std::size_t, std::vector<std::size_t>> pin_index_;  // of each component's pads
};

}  // namespace

Design read_odb(const OdbFiles& files, const std::string& name) { return Odb(files, name).take(); }

}  // namespace datum::design
