#include "daemon/design/ipc2581.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "daemon/design/ipc2581_features.h"
#include "daemon/design/ipc2581_xml.h"
#include "daemon/design/placement_fit.h"

namespace datum::design {
namespace {

using namespace ipc;

/// The parser itself does not recurse, and knows only the five entities of XML; a document type has no place here.
void parse(std::string_view text, const std::string& name, pugi::xml_document& document) {
  if (text.size() > max_xml_bytes)
    throw DesignError(fmt::format("{}: {} bytes; at most {} are read", name, text.size(), max_xml_bytes));
  const std::string_view head = text.substr(0, 64 << 10);
  if (head.find("<!DOCTYPE") != head.npos || head.find("<!ENTITY") != head.npos)
    throw DesignError(name + ": has a document type or entities; IPC-2581 files have none");
  const auto few = [&](char mark, std::size_t most, const char* what) {
    if (static_cast<std::size_t>(std::count(text.begin(), text.end(), mark)) > most)
      throw DesignError(fmt::format("{}: more than {} {}; no board has as many", name, most, what));
  };
  few('<', max_xml_tags, "tags");
  few('=', max_xml_attributes, "attributes");
  int depth = 0;
  for (std::size_t at = text.find('<'); at < text.size(); at = text.find('<', at + 1)) {
    if (at + 1 >= text.size() || text[at + 1] == '?' || text[at + 1] == '!') continue;
    const std::size_t end = text.find('>', at);
    if (end == text.npos) break;
    if (text[at + 1] == '/') {
      --depth;
    } else if (text[end - 1] != '/' && ++depth > max_xml_depth) {
      throw DesignError(
          fmt::format("{}: byte {}: elements are nested deeper than {}", name, at, max_xml_depth));
    }
  }
  const pugi::xml_parse_result parsed = document.load_buffer(text.data(), text.size(), pugi::parse_default);
  if (!parsed) throw DesignError(fmt::format("{}: byte {}: {}", name, parsed.offset, parsed.description()));
}

struct Package {
  Polygon outline;
  std::string source;
  std::map<std::string, std::vector<Point>> pins;  // several of one number: a shield, a switch
  std::map<std::string, Primitive> shapes;
  std::optional<double> height_um;
};

struct BomRow {
  bool populated = true;
  std::string package;
};

class Ipc2581 {
 public:
  Ipc2581(const pugi::xml_node& root, const std::string& name)
      : name_(name),
        ecad_(child(root, "Ecad")),
        data_(child(ecad_, "CadData")),
        r_(name, mm_of_units(child(ecad_, "CadHeader").attribute("units").value(), name)),
        features_(r_, design_) {
    design_.format = fmt::format("IPC-2581 {:.10}", root.attribute("revision").value());
    read_population(child(root, "Bom"));
    features_.read_dictionaries(child(root, "Content"), name);
  }

  Design take() {
    read_layers();
    const pugi::xml_node step = board_step();
    design_.name = step.attribute("name").value();
    read_profile(step);
    find_kicads_names(step);
    each(step, "Package", [&](const pugi::xml_node& node) { read_package(node); });
    each(step, "Component", [&](const pugi::xml_node& node) { read_component(node); });
    each(step, "LayerFeature", [&](const pugi::xml_node& node) { features_.read(node); });
    place();
    if (!has_bom_) design_.remarks.push_back("the file has no Bom: which parts are populated is unknown");
    if (skipped_ > 0)
      design_.remarks.push_back(fmt::format("{} components on inner layers are left out", skipped_));
    design_.knows_mask = features_.has_mask();
    design_.knows_copper = features_.has_copper() && features_.has_mask();
    if (!design_.knows_mask)
      design_.remarks.push_back("the file has no solder mask layer: what lies under the rings is unknown");
    return std::move(design_);
  }

 private:
  void read_population(const pugi::xml_node& bom) {
    has_bom_ = bool(bom);
    each(bom, "BomItem", [&](const pugi::xml_node& item) {
      each(item, "RefDes", [&](const pugi::xml_node& ref) {
        bom_[ref.attribute("name").value()] = {ref.attribute("populate").as_bool(true),
                                               ref.attribute("packageRef").value()};
      });
    });
  }

  static std::string without_word(const std::string& name, std::string_view word) {
    const bool has = name.size() > word.size() && name.starts_with(word) &&
                     (name[word.size()] == ':' || name[word.size()] == '_');
    return has ? name.substr(word.size() + 1) : name;
  }

  /// KiCad names C1 "CMP:C1" (in C) or "CMP_C1" (in A and B), and numbers the packages of components; those of the Bom have the
  /// library's names behind "PKG".
  void find_kicads_names(const pugi::xml_node& step) {
    bool all = true, any = false;
    each(step, "Component", [&](const pugi::xml_node& c) {
      const std::string name = c.attribute("refDes").value();
      any = true;
      all = all && without_word(name, "CMP") != name;
    });
    kicads_names_ = any && all;
  }

  void read_layers() {
    each(data_, "Layer", [&](const pugi::xml_node& layer) {
      features_.add_layer(layer.attribute("name").value(), layer.attribute("layerFunction").value(),
                          layer.attribute("side").value());
    });
  }

  /// The step with the most components; those that repeat it are panels.
  pugi::xml_node board_step() {
    pugi::xml_node best;
    std::ptrdiff_t most = -1;
    each(data_, "Step", [&](const pugi::xml_node& step) {
      const auto children = step.children();
      const auto n = std::count_if(children.begin(), children.end(),
                                   [](const pugi::xml_node& c) { return is(c, "Component"); });
      if (n > most) {
        most = n;
        best = step;
      }
    });
    if (!best) throw DesignError(name_ + ": has no Step with the board's data");
    each(data_, "Step", [&](const pugi::xml_node& step) {
      each(step, "StepRepeat", [&](const pugi::xml_node& p) {
        if (std::string_view(p.attribute("stepRef").value()) == best.attribute("name").value())
          design_.panel.push_back({r_.point(p),
                                   {r_.mm_or(p, "dx", 0), r_.mm_or(p, "dy", 0)},
                                   p.attribute("nx").as_int(1),
                                   p.attribute("ny").as_int(1),
                                   r_.number_or(p, "angle", 0),
                                   p.attribute("mirror").as_bool()});
      });
    });
    return best;
  }

  static Polygon closed(Polygon points) {
    if (points.size() > 1 && (points.front() - points.back()).norm() < 1e-6) points.pop_back();
    return points;
  }

  void read_profile(const pugi::xml_node& step) {
    const pugi::xml_node profile = child(step, "Profile");
    if (!profile) throw DesignError(name_ + ": the step has no Profile: the board's outline is missing");
    design_.outline = closed(r_.polygon(child(profile, "Polygon")));
    if (design_.outline.size() < 3) r_.refuse(profile, "is no polygon");
    each(profile, "Cutout",
         [&](const pugi::xml_node& c) { design_.cutouts.push_back(closed(r_.polygon(c))); });
  }

  /// Of outline and assembly drawing the smaller one: the first is often the placement boundary.
  void read_package(const pugi::xml_node& node) {
    Package p;
    const auto take = [&](const pugi::xml_node& outline, const char* source) {
      Polygon points = closed(r_.polygon(child(outline, "Polygon")));
      if (points.size() < 3) return;
      const auto size = [](const Polygon& polygon) { return box_around(polygon, 0).size.prod(); };
      if (!p.outline.empty() && size(points) >= size(p.outline)) return;
      p.outline = std::move(points);
      p.source = source;
    };
    take(child(node, "Outline"), "package outline");
    each(node, "AssemblyDrawing",
         [&](const pugi::xml_node& d) { take(child(d, "Outline"), "assembly drawing"); });
    if (node.attribute("height")) p.height_um = r_.mm(node, "height") * 1e3;
    each(node, "Pin", [&](const pugi::xml_node& pin) {
      const std::string number = pin.attribute("number").value();
      p.pins[number].push_back(r_.location(pin));
      if (const auto shape = features_.shape_in(pin)) p.shapes[number] = *shape;
    });
    packages_[node.attribute("name").value()] = std::move(p);
  }

  void read_component(const pugi::xml_node& node) {
    const auto side = features_.side_of(node.attribute("layerRef").value());
    if (!side) {
      ++skipped_;
      return;
    }
    Component c;
    c.reference = node.attribute("refDes").value();
    c.package = node.attribute("packageRef").value();
    c.part_number = node.attribute("part").value();
    c.side = *side;
    const std::string_view mount = node.attribute("mountType").value();
    c.mount = mount == "SMT" ? Mount::surface : mount == "THMT" ? Mount::through_hole : Mount::other;
    c.origin = r_.location(node);
    if (node.attribute("height")) c.height_um = r_.mm(node, "height") * 1e3;
    if (node.attribute("standoff")) c.standoff_um = r_.mm(node, "standoff") * 1e3;
    const std::string name = c.reference;
    packages_of_parts_.push_back(c.package);
    if (const auto known = bom_.find(name); known != bom_.end()) {
      c.population = known->second.populated ? Population::populated : Population::not_populated;
      if (kicads_names_) c.package = without_word(known->second.package, "PKG");
    }
    if (kicads_names_) c.reference = without_word(c.reference, "CMP");
    c.fiducial = is_named_fiducial(c);
    const pugi::xml_node xform = child(node, "Xform");
    PlacedPart part{name,
                    c.side,
                    c.origin + Point(r_.mm_or(xform, "xOffset", 0), r_.mm_or(xform, "yOffset", 0)),
                    xform ? r_.number_or(xform, "rotation", 0) : 0,
                    {},
                    {}};
    placed_.push_back(std::move(part));
    design_.components.push_back(std::move(c));
  }

  void place() {
    for (std::size_t i = 0; i < placed_.size(); ++i) {
      const auto package = packages_.find(packages_of_parts_[i]);
      if (package == packages_.end()) continue;
      // Of several pins with one number nobody knows which pad is whose: they prove nothing.
      for (const auto& [number, pins] : package->second.pins)
        if (const auto pads = features_.pads_of(placed_[i].reference, number);
            pins.size() == 1 && pads.size() == 1) {
          placed_[i].pins.push_back(pins.front());
          placed_[i].pads.push_back(pads.front().at);
        }
    }
    const SideFits fits = fit_sides(placed_, Transform::turned, Transform::turned_mirrored, name_, design_);
    for (std::size_t i = 0; i < placed_.size(); ++i)
      finish(design_.components[i], placed_[i], packages_of_parts_[i], fits.of(placed_[i].side).transform);
  }

  void finish(Component& c, const PlacedPart& part, const std::string& package_name, Transform transform) {
    c.rotation_deg = own_rotation(transform, c.side, part.rotation_deg);
    const auto found = packages_.find(package_name);
    if (found == packages_.end()) return;
    const Package& package = found->second;
    for (const Point& p : package.outline) c.body.push_back(placed(transform, part, p));
    if (!c.body.empty()) c.body_source = package.source;
    if (!c.height_um) c.height_um = package.height_um;
    for (const auto& [number, pins] : package.pins) {
      const auto pads = features_.pads_of(part.reference, number);
      for (const PlacedPad& pad : pads) c.pads.push_back(pad.pad);
      if (!pads.empty()) continue;
      const auto shape = package.shapes.find(number);
      const Point size = shape == package.shapes.end() ? Point(0.2, 0.2) : shape->second.size;
      for (const Point& pin : pins)
        c.pads.push_back(pad_by_package(c, number, placed(transform, part, pin), size));
    }
  }

  static Pad pad_by_package(const Component& c, const std::string& number, const Point& at,
                            const Point& size) {
    Pad pad;
    pad.number = number;
    pad.copper = {at, size, c.rotation_deg};
    pad.on_top = pad.open_top = c.side == Side::top || c.mount == Mount::through_hole;
    pad.on_bottom = pad.open_bottom = c.side == Side::bottom || c.mount == Mount::through_hole;
    return pad;
  }

  std::string name_;
  pugi::xml_node ecad_, data_;
  Reader r_;
  Design design_;
  Features features_;
  std::map<std::string, BomRow> bom_;  // by the component's name
  std::map<std::string, Package> packages_;
  std::vector<PlacedPart> placed_;              // of each component, by its name in the file
  std::vector<std::string> packages_of_parts_;  // of each component, the package's name in the file
  bool kicads_names_ = false;
  bool has_bom_ = false;
  std::size_t skipped_ = 0;
};

}  // namespace

Design read_ipc2581(std::string_view text, const std::string& name) {
  pugi::xml_document document;
  parse(text, name, document);
  const pugi::xml_node root = document.document_element();
  if (!is(root, "IPC-2581")) throw DesignError(name + ": is no IPC-2581 file; its first element is IPC-2581");
  if (!child(child(root, "Ecad"), "CadData"))
    throw DesignError(name + ": has no Ecad with CadData: no board");
  return Ipc2581(root, name).take();
}

}  // namespace datum::design
