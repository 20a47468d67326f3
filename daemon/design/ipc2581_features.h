// Layers of an IPC-2581 file: pads, tracks, openings, silkscreen, holes and fiducials.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "daemon/design/design.h"
#include "daemon/design/ipc2581_xml.h"

namespace datum::design::ipc {

struct PlacedPad {
  Pad pad;
  Point at = Point::Zero();  // of the pin; a shape's middle may lie beside it
};

class Features {
 public:
  /// Borrows both.
  Features(const Reader& reader, Design& design) : r_(reader), design_(design) {}

  /// Shapes and line widths, each dictionary with its own unit.
  void read_dictionaries(const pugi::xml_node& content, const std::string& name);
  void add_layer(const std::string& name, const std::string& function, const std::string& side);
  std::optional<Side> side_of(const std::string& layer) const;
  /// LayerFeature
  void read(const pugi::xml_node& layer);
  /// Shape that a node names or holds.
  std::optional<Primitive> shape_in(const pugi::xml_node& node) const;
  /// A component's pads of one pin, which may be several, as the layers have them.
  std::vector<PlacedPad> pads_of(const std::string& reference, const std::string& pin) const;
  bool has_copper() const { return has_copper_; }
  bool has_mask() const { return has_mask_; }

 private:
  enum class Kind : std::uint8_t { copper, mask, silkscreen, drill, other };
  struct Layer {
    Kind kind = Kind::other;
    std::optional<Side> side;
  };

  void read_set(const pugi::xml_node& set, const Layer& layer);
  void read_pad(const pugi::xml_node& pad, const Layer& layer);
  void read_hole(const pugi::xml_node& hole);
  void read_drawn(const pugi::xml_node& features, const Layer& layer);
  void read_fiducial(const pugi::xml_node& mark, Side side, bool global);
  double width_of(const pugi::xml_node& drawn) const;

  const Reader& r_;
  Design& design_;
  std::map<std::string, Layer> layers_;
  std::map<std::string, Primitive> shapes_;
  std::map<std::string, double> widths_;
  /// By component, pin and place in um: a pad is in several layers.
  std::map<std::tuple<std::string, std::string, std::int64_t, std::int64_t>, PlacedPad> pads_;
  bool has_copper_ = false, has_mask_ = false;
};

}  // namespace datum::design::ipc
