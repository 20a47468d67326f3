#include "daemon/design/recipe_text.h"

#include <fmt/format.h>

#include <cctype>
#include <cmath>
#include <set>
#include <tuple>

#include "daemon/design/alignment_features.h"

namespace datum::design {
namespace {

/// A number with a point, as TOML wants a float, in steps of 0.1 um.
std::string shown(double value) {
  std::string text = fmt::format("{:.4f}", value);
  while (text.back() == '0' && text[text.size() - 2] != '.') text.pop_back();
  return text == "-0.0" ? "0.0" : text;
}
std::string shown(const Point& p) { return "[" + shown(p.x()) + ", " + shown(p.y()) + "]"; }

std::string in_quotes(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto u = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') out += '\\';
    out += u < 0x20 || u >= 0x7f ? '?' : c;
  }
  return out + "\"";
}

/// For a comment: one line of printable ASCII.
std::string in_comment(const std::string& text) {
  std::string out;
  for (const char c : text)
    out += static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f ? '?' : c;
  return out;
}

/// Keys that equal components share: one package of the recipe.
struct Shared {
  std::string package;
  Point body_mm, outline_mm, offset_mm;
  HeightFact height;
  double presence_permille;
  std::optional<double> tilt_mdeg;
  bool fallback, must_be_empty;

  auto key() const {
    return std::tuple(package, body_mm.x(), body_mm.y(), outline_mm.x(), outline_mm.y(), offset_mm.x(),
                      offset_mm.y(), height.um, height.tolerance_um, height.source, height.confirmed,
                      presence_permille, tilt_mdeg, fallback, must_be_empty);
  }
  bool operator<(const Shared& o) const { return key() < o.key(); }
};

double rounded(double mm) { return std::round(mm * 1e4) / 1e4 + 0.0; }

Shared shared_of(const DraftComponent& c, bool warp_fallback) {
  const Point offset = turned(c.floor_outline.centre - c.body.centre, -c.body.rotation_deg);
  return {recipe_name(c.package),
          c.body.size,
          c.floor_outline.size,
          {rounded(offset.x()), rounded(offset.y())},
          c.height,
          c.presence_permille,
          c.tilt_mdeg,
          warp_fallback && !c.ring.is_floor,
          c.must_be_empty};
}

class Writer {
 public:
  Writer(const Draft& draft, const DraftSettings& settings, const RecipeHead& head)
      : d_(draft), s_(settings), head_(head) {}

  std::string text() {
    name_packages();
    write_head();
    write_packages();
    write_components();
    write_cuts();
    write_tables();
    write_features();
    return std::move(out_);
  }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
    out_ += '\n';
  }

  void name_packages() {
    std::set<std::string> taken;
    for (const DraftComponent& c : d_.components) {
      Shared shared = shared_of(c, s_.warp_fallback);
      if (packages_.contains(shared)) continue;
      std::string name = shared.package;
      for (int i = 2; !taken.insert(name).second; ++i)
        name = shared.package.substr(0, 60) + "#" + std::to_string(i);
      packages_.emplace(std::move(shared), name);
    }
  }

  void write_head() {
    std::size_t floors = 0, confirmed = 0;
    for (const DraftComponent& c : d_.components) {
      floors += c.ring.is_floor;
      confirmed += c.height.confirmed;
    }
    line("# Made by datumctl recipe import from {} ({}).", in_comment(head_.source),
         in_comment(d_.design.format));
    line("# SHA-256 of the design: {}", head_.source_sha256);
    line(
        "# The {} side{}: {} components, {} of them with a floor; {} heights are confirmed. "
        "nominal_confirmed = false: the part is",
        name_of(s_.side),
        s_.side == Side::top        ? ""
        : s_.turn == Turn::vertical ? ", turned over left to right"
                                    : ", turned over front to back",
        d_.components.size(), floors, confirmed);
    line("# measured and cannot PASS until a person has checked its nominal_um and removed that key.");
    for (const std::string& remark : d_.remarks) line("# Note: {}", in_comment(remark));
    for (const LeftOut& l : d_.left_out)
      line("# Not measured: {} ({}): {}", in_comment(l.reference), in_comment(l.package), in_comment(l.why));
    for (const Fiducial& f : d_.design.fiducials)
      if (f.side == s_.side)
        line("# Fiducial {} at {} mm, copper {} mm", in_comment(f.name), shown(f.centre),
             shown(f.diameter_mm));
    for (const StepRepeat& p : d_.design.panel)
      line("# Panel: {} x {} boards, pitch {} mm, turned by {} degrees{}", p.columns, p.rows, shown(p.pitch),
           shown(p.angle_deg), head_.panel ? "" : "; this recipe is of one board (--instance)");
    line("schema = 1");
    line("name = {}", in_quotes(head_.name));
    line("sensor_serial = {}", in_quotes(head_.sensor_serial));
    line("");
  }

  void write_packages() {
    for (const auto& [p, name] : packages_) {
      std::string keys =
          fmt::format("body_mm = {}, floor_outline_mm = {}", shown(p.body_mm), shown(p.outline_mm));
      if (!p.offset_mm.isZero()) keys += fmt::format(", floor_outline_offset_mm = {}", shown(p.offset_mm));
      keys += fmt::format(", nominal_um = {}, nominal_source = {}", shown(p.height.um),
                          in_quotes(p.height.source));
      if (!p.height.confirmed) keys += ", nominal_confirmed = false";
      keys +=
          p.must_be_empty
              ? fmt::format(", characteristic = \"median\", upper_um = {}", shown(p.height.um / 2))
              : fmt::format(", characteristic = \"median\", tolerance_um = {}", shown(p.height.tolerance_um));
      if (p.fallback) keys += ", fallback = \"warp\"";
      keys += p.must_be_empty
                  ? fmt::format(", check = [ {{ characteristic = \"presence\", upper_permille = {} }}",
                                shown(empty_permille))
                  : fmt::format(", check = [ {{ characteristic = \"presence\", lower_permille = {} }}",
                                shown(p.presence_permille));
      if (p.tilt_mdeg && !p.must_be_empty)
        keys += ", { characteristic = \"tilt\", upper_mdeg = " + shown(*p.tilt_mdeg) + " }";
      line("package.{} = {{ {} ] }}", in_quotes(name), keys);
    }
    line("");
  }

  void write_components() {
    line("# Behind each part: the floor of its ring, and pixels of {} mm that are left of it.",
         shown(s_.pitch_mm));
    line("component = [");
    for (const DraftComponent& c : d_.components) {
      std::string keys =
          fmt::format("reference = {}, package = {}, centre_mm = {}", in_quotes(recipe_name(c.reference)),
                      in_quotes(packages_.at(shared_of(c, s_.warp_fallback))), shown(c.body.centre));
      if (c.body.rotation_deg != 0) keys += ", rotation_deg = " + shown(c.body.rotation_deg);
      keys += ", surface_um = " + shown(c.surface_um);
      for (std::size_t i = 0; i < c.overlaps.size(); ++i)
        keys += (i == 0 ? ", overlaps = [" : ", ") + in_quotes(recipe_name(c.overlaps[i])) +
                (i + 1 == c.overlaps.size() ? "]" : "");
      line("  {{ {} }},  # {}, {} of {} px{}{}", keys, text_of(c.ring.surface), c.ring.pixels, c.ring.whole,
           c.ring.is_floor ? "" : ": NO FLOOR", c.must_be_empty ? "; not populated: must be empty" : "");
    }
    line("]\n");
  }

  void write_cuts() {
    if (!d_.exclusions.empty()) {
      line(
          "# Pads, silkscreen, traces and parts that are not measured, with margins, where they meet a "
          "ring.");
      line("exclusion = [");
      for (const Box& raw : d_.exclusions) {
        Box b = raw;
        const double r = normal_angle(b.rotation_deg) >= 180 ? normal_angle(b.rotation_deg) - 180
                                                             : normal_angle(b.rotation_deg);
        const bool upright = r == 90;
        if (upright) std::swap(b.size.x(), b.size.y());
        if (r == 0 || upright)
          line("  {{ centre_mm = {}, size_mm = {} }},", shown(b.centre), shown(b.size));
        else
          line("  {{ centre_mm = {}, size_mm = {}, rotation_deg = {} }},", shown(b.centre), shown(b.size),
               shown(r));
      }
      line("]\n");
    }
    if (d_.holes.empty()) return;
    line("# Holes, vias and round pads, with margins.");
    line("hole = [");
    for (const Hole& h : d_.holes)
      line("  {{ centre_mm = {}, diameter_mm = {} }},", shown(h.from), shown(h.diameter_mm));
    line("]\n");
  }

  void write_panel(const PanelPlaces& panel) {
    line("[panel]");
    line("size_mm = {}", shown(panel.size_mm));
    line("place = [");
    for (const auto& [name, at] : panel.places)
      line("  {{ name = {}, origin_mm = {} }},", in_quotes(name), shown(at));
    line("]{}", head_.keyed_fixture ? "\nkeyed_fixture = true\n" : "\n");
  }

  void write_tables() {
    line("[board]");
    line("size_mm = {}", shown(d_.size_mm));
    line("coordinates = {}", in_quotes(head_.coordinates));
    line("origin_mm = [{}, {}, {}]", shown(head_.origin_mm.x()), shown(head_.origin_mm.y()),
         shown(head_.origin_z_mm));
    line("rotation_deg = {}\n", shown(head_.rotation_deg));
    if (head_.panel) write_panel(*head_.panel);
    line("[floor]");
    line("inner_margin_mm = {}\nouter_margin_mm = {}\nneighbour_margin_mm = {}", shown(s_.inner_mm),
         shown(s_.outer_mm), shown(s_.neighbour_mm));
    line("min_sides = {}\nmin_side_pixels = {}\nform = \"quadratic\"\n", s_.min_sides, s_.min_side_pixels);
    line("[body]\nerode_px = 3\n");
    line("[decision]\nrule = \"14253\"\n");
    line("[uncertainty]\nposition_mm = 0.05");
    if (s_.warp_fallback)
      line(
          "\n[warp]\n\n[[warp.check]]  # IPC-A-610: 0.75 % with surface-mounted parts\ncharacteristic = "
          "\"bow\"\nupper_percent = 0.75");
  }

  /// Comments: a registration by parts, holes and outline that a person may choose.
  void write_features() {
    const std::vector<Hole> holes = holes_to_find(d_, s_.pitch_mm);
    const std::vector<StraightEdge> edges =
        head_.panel ? std::vector<StraightEdge>{} : edges_to_find(d_);  // its boards hang together
    if (holes.empty() && edges.empty()) return;
    line(
        "\n# Where the board may lie turned or shifted, take the '#' away: parts, holes and outline find it. "
        "Leave out holes in");
    line("# which something stands, and edges that a rail hides.");
    line("#[alignment]\n#max_shift_mm = 2.0\n#max_rotation_deg = 3.0");
    for (std::size_t i = 0; i < holes.size(); ++i)
      line("#[[alignment.hole]]\n#name = \"H{}\"\n#centre_mm = {}\n#diameter_mm = {}", i + 1,
           shown(holes[i].from), shown(holes[i].diameter_mm));
    for (std::size_t i = 0; i < edges.size(); ++i)
      line("#[[alignment.edge]]\n#name = \"E{}\"\n#from_mm = {}\n#to_mm = {}", i + 1, shown(edges[i].from),
           shown(edges[i].to));
  }

  const Draft& d_;
  const DraftSettings& s_;
  const RecipeHead& head_;
  std::map<Shared, std::string> packages_;
  std::string out_;
};

}  // namespace

std::string recipe_name(const std::string& text) {
  std::string name;
  for (const char c : text.substr(0, 64))
    name += std::isalnum(static_cast<unsigned char>(c)) || std::string("._+/#-").find(c) != std::string::npos
                ? c
                : '_';
  return name.empty() ? "_" : name;
}

std::string recipe_text(const Draft& draft, const DraftSettings& settings, const RecipeHead& head) {
  return Writer(draft, settings, head).text();
}

}  // namespace datum::design
