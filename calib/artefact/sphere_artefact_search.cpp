#include "calib/artefact/sphere_artefact_search.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "calib/fit/point_moments.h"

namespace datum {
namespace {

constexpr const char* search_name = "sphere artefact";

using Surface = std::vector<Eigen::Vector3d>;

/// Flood fill of one surface from a pixel on; marks its pixels in `done`.
Surface flooded(const HeightFrame& frame, int row, int col, double jump_mm, std::vector<char>& done) {
  const auto index = [&](int r, int c) { return static_cast<std::size_t>(r) * frame.cols + c; };
  std::vector<std::pair<int, int>> open{{row, col}};
  done[index(row, col)] = 1;
  Surface surface;
  while (!open.empty()) {
    const auto [r, c] = open.back();
    open.pop_back();
    const double z = frame.z_mm(r, c);
    surface.emplace_back(frame.x.at(c), frame.y.at(r), z);
    for (const auto& [dr, dc] : {std::pair{-1, 0}, {1, 0}, {0, -1}, {0, 1}}) {
      const int y = r + dr, x = c + dc;
      if (y < 0 || x < 0 || y >= frame.rows || x >= frame.cols || done[index(y, x)]) continue;
      if (frame.class_at(y, x) != PixelClass::ok || std::abs(frame.z_mm(y, x) - z) > jump_mm) continue;
      done[index(y, x)] = 1;
      open.emplace_back(y, x);
    }
  }
  return surface;
}

SphereArtefactSettings settings_for(const DrawnSphere& drawn, const SphereSearchSettings& s,
                                    std::size_t seed) {
  SphereArtefactSettings one;
  one.diameter_mm = drawn.diameter_mm;
  one.diameter_u_mm = drawn.diameter_u_mm;
  one.cap_angle_rad = s.cap_angle_rad;
  one.footprint_mm = s.footprint_mm;
  one.allowed_size_mm = s.allowed_size_mm;
  one.allowed_center_u_mm = s.allowed_center_u_mm;
  one.robust.noise_sigma_mm = s.noise_sigma_mm;
  one.robust.seed = seed;
  return one;
}

/// The fit of each surface as each drawn sphere; none where it was refused.
struct Sightings {
  std::vector<std::vector<std::optional<SphereSighting>>> seen;  // [surface][drawn]
  std::string reasons;
};

/// The first sphere of the drawing with the same calibrated values as sphere k.
std::size_t first_alike(const SphereDrawing& drawing, std::size_t k) {
  std::size_t i = 0;
  while (drawing.spheres[i].diameter_mm != drawing.spheres[k].diameter_mm ||
         drawing.spheres[i].diameter_u_mm != drawing.spheres[k].diameter_u_mm) {
    ++i;
  }
  return i;
}

Sightings sightings_of(const std::vector<Surface>& surfaces, const SphereDrawing& drawing,
                       const SphereSearchSettings& s) {
  Sightings all;
  for (std::size_t i = 0; i < surfaces.size(); ++i) {
    auto& row = all.seen.emplace_back(drawing.spheres.size());
    for (std::size_t k = 0; k < drawing.spheres.size(); ++k) {
      const std::size_t alike = first_alike(drawing, k);
      if (alike < k) {
        row[k] = row[alike];
        continue;
      }
      try {
        row[k] = find_sphere(surfaces[i], Eigen::Vector3d::UnitZ(), settings_for(drawing.spheres[k], s, i));
      } catch (const FitRefused& refused) {
        all.reasons += "; surface of " + std::to_string(surfaces[i].size()) + " points: " + refused.what();
      }
    }
  }
  return all;
}

/// Assigns surfaces to drawn spheres one after the other; distances prune most branches at once.
class Assignment {
 public:
  Assignment(const SphereDrawing& drawing, const Sightings& sightings)
      : drawing_(drawing), seen_(sightings.seen), chosen_(drawing.spheres.size()) {
    choose(0);
  }
  const std::vector<std::vector<std::size_t>>& found() const { return found_; }

 private:
  void choose(std::size_t drawn) {
    if (drawn == chosen_.size()) {
      found_.push_back(chosen_);
      return;
    }
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      if (!seen_[i][drawn] || !agrees(drawn, i)) continue;
      chosen_[drawn] = i;
      choose(drawn + 1);
    }
  }
  bool agrees(std::size_t drawn, std::size_t surface) const {
    const Eigen::Vector3d center = seen_[surface][drawn]->fit.feature.center_mm;
    for (std::size_t k = 0; k < drawn; ++k) {
      const double seen = (center - seen_[chosen_[k]][k]->fit.feature.center_mm).norm();
      const double drawn_mm = (drawing_.spheres[drawn].center_mm - drawing_.spheres[k].center_mm).norm();
      // Half of the drawing's guaranteed difference between two orders. A surface used twice has distance 0
      // from itself. The alignment judges how well distances agree.
      if (std::abs(seen - drawn_mm) > least_difference_mm / 2) return false;
    }
    return true;
  }

  const SphereDrawing& drawing_;
  const std::vector<std::vector<std::optional<SphereSighting>>>& seen_;
  std::vector<std::size_t> chosen_;
  std::vector<std::vector<std::size_t>> found_;
};

}  // namespace

std::vector<Surface> surfaces_of(const HeightFrame& frame, const SphereSearchSettings& s) {
  std::vector<char> done(frame.size());
  std::vector<Surface> surfaces;
  for (int row = 0; row < frame.rows; ++row) {
    for (int col = 0; col < frame.cols; ++col) {
      if (done[static_cast<std::size_t>(row) * frame.cols + col]) continue;
      if (frame.class_at(row, col) != PixelClass::ok) continue;
      Surface surface = flooded(frame, row, col, s.jump_mm, done);
      if (surface.size() >= s.least_points) surfaces.push_back(std::move(surface));
    }
  }
  std::stable_sort(surfaces.begin(), surfaces.end(),
                   [](const Surface& a, const Surface& b) { return a.size() > b.size(); });
  return surfaces;
}

SphereLocation locate_spheres(const HeightFrame& frame, const SphereDrawing& drawing,
                              const SphereSearchSettings& s) {
  check(frame);
  if (frame.delivered == Handedness::left && !frame.mirrored) {
    refuse_fit(search_name,
               "the frame is left-handed and was not mirrored: state the handedness in the sensor's profile");
  }
  const Sightings sightings = sightings_of(surfaces_of(frame, s), drawing, s);
  const Assignment assignment(drawing, sightings);
  if (assignment.found().empty()) {
    throw FitRefused(std::string(search_name) + ": the spheres of '" + drawing.serial +
                     "' were not found at their distances" + sightings.reasons +
                     "; put all of them into view, clear of each other");
  }
  if (assignment.found().size() > 1) {
    refuse_fit(search_name, "%zu groups of surfaces fit the drawing: leave one artefact in view",
               assignment.found().size());
  }
  SphereLocation location;
  std::vector<PointPair> pairs;
  for (std::size_t k = 0; k < drawing.spheres.size(); ++k) {
    const DrawnSphere& drawn = drawing.spheres[k];
    const SphereSighting& seen = *sightings.seen[assignment.found()[0][k]][k];
    location.spheres.push_back(seen);
    pairs.push_back({seen.fit.feature.center_mm, drawn.center_mm, seen.fit.covariance.topLeftCorner<3, 3>(),
                     drawn.center_u_mm * drawn.center_u_mm * Eigen::Matrix3d::Identity()});
  }
  const PairAlignment alignment = align_pairs(pairs);
  // Three spheres fit equally well seen from behind, as in a mirrored frame.
  if (!(alignment.matrix(2, 2) > 0)) {
    refuse_fit(
        search_name,
        "it seems to be seen from behind: the frame is mirrored (state the sensor's handedness), or z of the "
        "drawing does not point to the sensor's side");
  }
  location.sensor_from_artefact = {Htm<Sensor, Artefact>(alignment.matrix), alignment.covariance};
  location.rms_mm = alignment.rms_mm;
  location.chi_square = alignment.chi_square;
  return location;
}

}  // namespace datum
