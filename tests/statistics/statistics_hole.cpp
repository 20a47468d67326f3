#include "tests/statistics/statistics_hole.h"

#include <algorithm>
#include <cmath>

#include "calib/hybrid/find_hole.h"
#include "tests/virtual_cell/twin_random.h"

namespace datum::statistics {
namespace {

constexpr int holes_of_a_frame = 10, side_px = 300;
constexpr double usual_mm = 4, hidden_share = 0.5;

struct Hole {
  Eigen::Vector2d at_mm;
  double radius_mm = 0;
};

HeightFrame frame_of(const Hole& hole, const Row& row, std::uint64_t seed) {
  HeightFrame f;
  f.rows = f.cols = side_px;
  f.x = f.y = {pitch_mm, -side_px * pitch_mm / 2};
  f.z = {1, 0};
  const TwinRandom noise(seed, TwinStream::white);
  std::vector<float> z;
  for (int r = 0; r < side_px; ++r)
    for (int c = 0; c < side_px; ++c) {
      const Eigen::Vector2d p = Eigen::Vector2d(f.x.at(c), f.y.at(r)) - hole.at_mm;
      const bool in = p.norm() < hole.radius_mm;
      const double below = std::max(0.0, hole.radius_mm + *row.chamfer_mm - p.norm());
      const bool lost =
          in || (row.slope_unseen && below > 0 && std::abs(std::atan2(p.y(), p.x())) < hidden_share * M_PI);
      f.classes.push_back(lost ? PixelClass::no_data : PixelClass::ok);
      z.push_back(static_cast<float>(3 - below + row.noise.white_um * 1e-3 * noise.normal(z.size())));
    }
  f.counts = z;
  return f;
}

void count(double error_mm, double u_mm, Tally& t) {
  const double um = 1e3 * error_mm;
  ++t.cases;
  t.outside += std::abs(error_mm) > 2 * u_mm;
  t.error += um;
  t.error2 += um * um;
  t.worst = std::max(t.worst, std::abs(um));
  t.u += 1e3 * u_mm;
}

void refuse(int cases, Tally& t) {
  t.cases += cases;
  t.invalid += cases;
}

void measure_hole(const Row& row, std::uint64_t seed, Tallies& tallies) {
  const TwinRandom random(seed, TwinStream::place);
  const Hole hole{{random.uniform(1) - 0.5, random.uniform(2) - 0.5}, usual_mm - 0.5 + random.uniform(3)};
  Tally& radius = tallies[static_cast<std::size_t>(Column::hole_radius)];
  Tally& place = tallies[static_cast<std::size_t>(Column::hole_place)];
  HoleSearch search;
  search.noise_sigma_mm = row.profile_sigma_um * 1e-3;
  try {
    const HoleCandidate found =
        find_hole(frame_of(hole, row, seed), {Htm<Machine, Sensor>(), Matrix6d::Zero()},
                  {{0, 0, 3}, usual_mm, 0.8, 0.6}, search);
    const Eigen::Vector3d u = found.u_mm();
    count(found.radius_mm - hole.radius_mm, u.z(), radius);
    for (int k = 0; k < 2; ++k) count(found.center_mm[k] - hole.at_mm[k], u[k], place);
  } catch (const HoleRefused&) {
    refuse(1, radius);
    refuse(2, place);
  }
}

}  // namespace

const Body& drilled_plate() {
  static const Body body{"hole", 8, 8, 0, 0, 0};
  return body;
}

Tallies measure_hole_frame(const Row& row, std::uint64_t seed) {
  Tallies tallies;
  for (std::uint64_t i = 0; i < holes_of_a_frame; ++i)
    measure_hole(row, seed * holes_of_a_frame + i, tallies);
  return tallies;
}

}  // namespace datum::statistics
