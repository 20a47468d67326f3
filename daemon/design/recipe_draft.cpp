#include "daemon/design/recipe_draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "daemon/design/floor_rings.h"
#include "daemon/design/package_name.h"
#include "daemon/inspection/recipe/recipe_overlap.h"

namespace datum::design {
namespace {

/// Recipes state lengths in steps of 0.1 um.
double rounded(double mm) { return std::round(mm * 1e4) / 1e4; }
Box rounded(Box box) {
  box.centre = {rounded(box.centre.x()), rounded(box.centre.y())};
  box.size = {rounded(box.size.x()), rounded(box.size.y())};
  box.rotation_deg = rounded(normal_angle(box.rotation_deg));
  return box;
}

bool is_on_board(const Box& box, const Point& size_mm) {
  for (const Point& p : corners_of(box))
    if (p.minCoeff() < 0 || (p - size_mm).maxCoeff() > 0) return false;
  return true;
}

/// The part of the box on the board; none where less than half of it is, or it lies askew across the edge.
std::optional<Box> on_board(const Box& box, const Point& size_mm) {
  if (is_on_board(box, size_mm)) return box;
  if (std::fmod(box.rotation_deg, 90) != 0) return std::nullopt;
  Box upright = box_around(corners_of(box), 0);
  const Point low = (upright.centre - upright.size / 2).cwiseMax(Point::Zero()),
              high = (upright.centre + upright.size / 2).cwiseMin(size_mm);
  if ((high - low).minCoeff() <= 0 || (high - low).prod() < upright.size.prod() / 2) return std::nullopt;
  // Inwards by the rounding step, so that rounded corners stay on the board.
  const Point inset = Point::Constant(2e-4);
  return box_around({low + inset,
                     {high.x() - inset.x(), low.y() + inset.y()},
                     high - inset,
                     {low.x() + inset.x(), high.y() - inset.y()}},
                    box.rotation_deg);
}

class Drafter {
 public:
  Drafter(Design design, const PackageLibrary& library, const DraftSettings& settings)
      : library_(library), s_(settings) {
    d_.design = seen_from(std::move(design), settings.side, settings.turn);
    d_.size_mm = box_around(d_.design.outline, 0).size;
    d_.size_mm = {rounded(d_.size_mm.x()), rounded(d_.size_mm.y())};
    d_.remarks = d_.design.remarks;
  }

  Draft take() {
    check_places();
    for (const Component& c : d_.design.components)
      if (c.side == s_.side) add(c);
    refuse_shared_references();
    find_overlaps();
    find_rings(s_, neighbours_, d_);
    return std::move(d_);
  }

 private:
  /// A mirrored or displaced file shows here: parts beyond the outline.
  void check_places() {
    const Box limit{d_.size_mm / 2, d_.size_mm + Point::Constant(10), 0};
    std::size_t all = 0, beyond = 0;
    for (const Component& c : d_.design.components) {
      if (c.mechanical || c.population == Population::not_populated) continue;
      ++all;
      beyond += ((c.origin - limit.centre).cwiseAbs() - limit.size / 2).maxCoeff() > 0;
    }
    if (beyond * 10 > all)
      throw DesignError(fmt::format(
          "{}: {} of {} parts lie more than 5 mm beyond the board's outline; one of them is mirrored, "
          "displaced or in another unit",
          d_.design.name, beyond, all));
    if (beyond > 0)
      d_.remarks.push_back(fmt::format("{} parts lie more than 5 mm beyond the outline", beyond));
  }

  void leave_out(const Component& c, std::string why) {
    d_.left_out.push_back({c.reference, c.package, std::move(why)});
  }

  void add(const Component& c) {
    const bool must_be_empty = c.population == Population::not_populated;
    if (must_be_empty && (!s_.empty_places || c.mechanical || c.fiducial))
      return leave_out(c, "not populated");
    const auto body = body_of(c);
    if (body) neighbours_.push_back(*body);
    if (c.fiducial || c.mechanical)
      return leave_out(c, c.fiducial ? "a fiducial mark" : "no part of the assembly");
    const LibraryPackage* entry = library_.find(c.package);
    if (entry && !entry->measured) return leave_out(c, "its package is not measured (library)");
    if (!body)
      return leave_out(
          c, "no outline of its body is known; give its package a body_mm in a library (--library)");
    const auto height = height_of(c, entry);
    if (!height)
      return leave_out(c, "no height is known; give its package a height_um in a library (--library)");
    const auto seen = on_board(*body, d_.size_mm);
    if (!seen) return leave_out(c, "its body lies beyond the board's edge");
    DraftComponent part;
    part.reference = c.reference;
    part.package = c.package;
    part.body = rounded(*seen);
    part.floor_outline = rounded(outline_of(c, *seen));
    part.height = *height;
    part.must_be_empty = must_be_empty;
    if (entry && entry->presence_permille) part.presence_permille = *entry->presence_permille;
    if (entry) part.tilt_mdeg = entry->tilt_mdeg;
    neighbours_.pop_back();
    lines_.push_back(c.line);
    d_.components.push_back(std::move(part));
  }

  /// In the part's own axes. A body of the library lies in the middle of its pads.
  std::optional<Box> body_of(const Component& c) const {
    if (!c.body.empty()) return box_around(c.body, c.rotation_deg);
    const LibraryPackage* entry = library_.find(c.package);
    std::optional<Point> size;
    if (entry && entry->body_mm) size = entry->body_mm;
    if (!size)
      if (const auto name = decode_package_name(c.package)) size = name->body_mm;
    if (!size) return std::nullopt;
    if (!c.pads.empty()) return Box{box_around(pad_corners(c), c.rotation_deg).centre, *size, c.rotation_deg};
    const double rotation = c.rotation_deg - (entry ? entry->centroid_rotation_deg : 0);
    const Point offset = entry ? entry->centroid_offset_mm : Point::Zero();
    return Box{c.origin + turned(offset, rotation), *size, normal_angle(rotation)};
  }

  static Polygon pad_corners(const Component& c) {
    Polygon all;
    for (const Pad& pad : c.pads) {
      const Polygon corners = corners_of(pad.copper);
      all.insert(all.end(), corners.begin(), corners.end());
    }
    return all;
  }

  Box outline_of(const Component& c, const Box& body) const {
    Polygon all = pad_corners(c);
    const Polygon corners = corners_of(body);
    all.insert(all.end(), corners.begin(), corners.end());
    const Box outline = box_around(all, body.rotation_deg);
    return on_board(outline, d_.size_mm).value_or(body);
  }

  void refuse_shared_references() const {
    std::map<std::string, int> line_of;
    for (std::size_t i = 0; i < d_.components.size(); ++i) {
      const auto [first, fresh] = line_of.emplace(d_.components[i].reference, lines_[i]);
      if (!fresh)
        throw DesignError(fmt::format(
            "{}:{}: '{}' is the reference of two measured parts; the other one is in line {}; number the "
            "parts anew in the design",
            d_.design.name, lines_[i], d_.components[i].reference, first->second));
    }
  }

  void find_overlaps() {
    const auto rect = [](const Box& b) { return BoardRect{b.centre, b.size, b.rotation_deg}; };
    for (std::size_t i = 0; i < d_.components.size(); ++i)
      for (std::size_t k = 0; k < i; ++k) {
        const Box &a = d_.components[i].body, &b = d_.components[k].body;
        const double area = shared_area_mm2(rect(a), rect(b));
        if (area == 0) continue;
        d_.components[i].overlaps.push_back(d_.components[k].reference);
        if (area > 0.2 * std::min(a.size.prod(), b.size.prod()))
          d_.remarks.push_back(fmt::format(
              "the bodies of {} and {} share {:.0f} % of the smaller one: does one stand on the other?",
              d_.components[k].reference, d_.components[i].reference,
              100 * area / std::min(a.size.prod(), b.size.prod())));
      }
  }

  const PackageLibrary& library_;
  const DraftSettings& s_;
  Draft d_;
  std::vector<Box> neighbours_;
  std::vector<int> lines_;
};

}  // namespace

const char* text_of(Surface surface) {
  switch (surface) {
    case Surface::laminate:
      return "mask over laminate";
    case Surface::copper:
      return "mask over copper";
    case Surface::both:
      return "mask over laminate and copper";
    case Surface::unknown:
      return "unknown";
  }
  return "unknown";
}

Draft draft_recipe(Design design, const PackageLibrary& library, const DraftSettings& settings) {
  return Drafter(std::move(design), library, settings).take();
}

}  // namespace datum::design
