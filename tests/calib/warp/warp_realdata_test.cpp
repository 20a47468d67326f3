// A real board with a sag of 300 um, modelled by planes, quadratics and thin plates
// (daemon/inspection/METROLOGY.md, finding 3).
#include <gtest/gtest.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "calib/warp/warp_floor.h"
#include "drivers/profile/sensor_profile_file.h"
#include "drivers/sensor/read_frame.h"
#include "tests/real_data.h"

namespace datum {
namespace {

const std::filesystem::path source{DATUM_SOURCE_DIR};

/// Packages in pixels: x0, y0, x1, y1.
constexpr int packages[5][4] = {{362, 141, 500, 256},
                                {680, 142, 817, 257},
                                {520, 333, 658, 448},
                                {361, 524, 498, 639},
                                {678, 526, 816, 641}};
constexpr double pitch_mm = 0.12;
constexpr double tolerance_um = 40;

struct Carrier {
  HeightFrame frame = read_frame(datum::testing::real_data_folder() / "pemtron/board.ptr",
                                 config::load_sensor_profile(source / "config/sensors/pemtron.toml"));

  bool bare(int row, int col) const {
    for (const auto& p : packages)
      if (col >= p[0] - 3 && col <= p[2] + 3 && row >= p[1] - 3 && row <= p[3] + 3) return false;
    return frame.class_at(row, col) == PixelClass::ok;
  }
  double um(int row, int col) const { return 1e3 * frame.z_mm(row, col); }

  /// Median of a box of pixels; NaN where fewer than `share` of them count.
  template <class Counts>
  double median_um(int x0, int y0, int x1, int y1, double share, Counts counts) const {
    std::vector<double> z;
    for (int row = y0; row < y1; ++row)
      for (int col = x0; col < x1; ++col)
        if (counts(row, col)) z.push_back(um(row, col));
    if (static_cast<double>(z.size()) < share * (x1 - x0) * (y1 - y0)) return std::nan("");
    std::nth_element(z.begin(), z.begin() + static_cast<std::ptrdiff_t>(z.size() / 2), z.end());
    return z[z.size() / 2];
  }

  /// Patches of 24 x 24 pixels, 42 apart, with at least nine tenths of bare carrier. The sensor's noise is
  /// 3.2 um (its profile), so a median of 576 pixels has 0.17 um.
  std::vector<WarpKnot> patches() const {
    constexpr int side = 24, pitch = 42;
    std::vector<WarpKnot> knots;
    for (int y = 0; y + side <= frame.rows; y += pitch) {
      for (int x = 0; x + side <= frame.cols; x += pitch) {
        const double z =
            median_um(x, y, x + side, y + side, 0.9, [&](int row, int col) { return bare(row, col); });
        if (std::isnan(z)) continue;
        const Eigen::Vector2d middle(x + (side - 1) / 2.0, y + (side - 1) / 2.0);
        knots.push_back({middle * pitch_mm, z, 0.17, "P" + std::to_string(knots.size())});
      }
    }
    return knots;
  }
};

/// Least squares of a polynomial of degree 1 or 2 in both coordinates.
struct Polynomial {
  Polynomial(const std::vector<WarpKnot>& knots, int degree) : terms(degree == 1 ? 3 : 6) {
    Eigen::MatrixXd a(static_cast<Eigen::Index>(knots.size()), terms);
    Eigen::VectorXd z(a.rows());
    for (Eigen::Index i = 0; i < a.rows(); ++i) {
      a.row(i) = basis(knots[static_cast<std::size_t>(i)].at_mm);
      z[i] = knots[static_cast<std::size_t>(i)].z_um;
    }
    factor = a.colPivHouseholderQr().solve(z);
  }
  Eigen::RowVectorXd basis(const Eigen::Vector2d& at_mm) const {
    const Eigen::Vector2d p = (at_mm - Eigen::Vector2d(70, 47)) / 70;
    Eigen::RowVectorXd b(6);
    b << 1, p.x(), p.y(), p.x() * p.x(), p.x() * p.y(), p.y() * p.y();
    return b.head(terms);
  }
  double value_um(const Eigen::Vector2d& at_mm) const { return basis(at_mm) * factor; }
  Eigen::Index terms;
  Eigen::VectorXd factor;
};

struct HoldOut {
  double sum = 0;
  int n = 0;
  void add(double error) {
    sum += error * error;
    ++n;
  }
  double rms_um() const { return std::sqrt(sum / n); }
};

TEST(RealBoard, HoldOutErrorOfPlaneQuadraticAndThinPlate) {
  DATUM_NEED_REAL_DATA("pemtron/board.ptr");
  const std::vector<WarpKnot> knots = Carrier().patches();
  HoldOut plane, quadratic, thin_plate;
  constexpr std::size_t folds = 5;
  for (std::size_t fold = 0; fold < folds; ++fold) {
    std::vector<WarpKnot> kept, held;
    for (std::size_t i = 0; i < knots.size(); ++i) (i % folds == fold ? held : kept).push_back(knots[i]);
    const Polynomial one(kept, 1), two(kept, 2);
    const ThinPlate model(kept, tolerance_um);
    for (const WarpKnot& k : held) {
      plane.add(one.value_um(k.at_mm) - k.z_um);
      quadratic.add(two.value_um(k.at_mm) - k.z_um);
      thin_plate.add(model.value_um(k.at_mm) - k.z_um);
    }
  }
  std::printf("%zu patches, hold-out rms in um: plane %.1f, quadratic %.1f, thin plate %.1f\n", knots.size(),
              plane.rms_um(), quadratic.rms_um(), thin_plate.rms_um());
  EXPECT_GT(plane.rms_um(), 300);
  EXPECT_GT(quadratic.rms_um(), 35);
  EXPECT_LE(thin_plate.rms_um(), 13);
}

// Every third patch, leaving out all patches within 13 mm of it: a hole as large as a package's.
TEST(RealBoard, UncertaintyCoversHolesOfAPackagesSize) {
  DATUM_NEED_REAL_DATA("pemtron/board.ptr");
  const std::vector<WarpKnot> knots = Carrier().patches();
  const double lambda = ThinPlate(knots, tolerance_um).health().lambda;
  int outside = 0, tried = 0;
  HoldOut error, claimed;
  for (std::size_t i = 0; i < knots.size(); i += 7) {
    std::vector<WarpKnot> kept;
    for (const WarpKnot& k : knots)
      if ((k.at_mm - knots[i].at_mm).norm() > 13) kept.push_back(k);
    const ThinPlate model(kept, tolerance_um, lambda);
    const double e = model.value_um(knots[i].at_mm) - knots[i].z_um, u = model.u_um(knots[i].at_mm);
    error.add(e);
    claimed.add(u);
    outside += std::abs(e) > 2 * u;
    ++tried;
  }
  std::printf("%d holes of 26 mm: error %.1f um rms, u %.1f um, beyond U in %d\n", tried, error.rms_um(),
              claimed.rms_um(), outside);
  EXPECT_LE(outside, tried / 20);
  EXPECT_GE(claimed.rms_um(), error.rms_um());
}

TEST(RealBoard, FiveEqualPartsAgreeWithinTheUncertaintyOfTheirFloors) {
  DATUM_NEED_REAL_DATA("pemtron/board.ptr");
  const Carrier carrier;
  const ThinPlate model(carrier.patches(), tolerance_um);
  const WarpHealth& h = model.health();
  std::printf(
      "knots %zu, lambda %g, leave-one-out %.2f um, condition %.2g, growth %.2g, backward error %.2g\n",
      h.knots, h.lambda, h.leave_one_out_um, h.condition, h.growth, h.backward_error);
  EXPECT_LT(h.backward_error, 10 * static_cast<double>(h.knots) * 0x1p-52);
  std::vector<double> height, over_plane, u;
  double mean = 0, mean_over_plane = 0;
  for (const auto& p : packages) {
    const double top = carrier.median_um(
        p[0] + 8, p[1] + 10, p[0] + 53, p[3] - 9, 0.5,
        [&](int row, int col) { return carrier.frame.class_at(row, col) == PixelClass::ok; });
    const Eigen::Vector2d die_mm = pitch_mm * Eigen::Vector2d(p[0] + 30, (p[1] + p[3]) / 2.0);
    const WarpArea ring{pitch_mm * Eigen::Vector2d((p[0] + p[2]) / 2.0, (p[1] + p[3]) / 2.0),
                        pitch_mm * Eigen::Vector2d(p[2] - p[0] + 17, p[3] - p[1] + 17), 0};
    const WarpFloor floor = floor_of(model, ring, die_mm);
    height.push_back(top - model.value_um(die_mm));
    over_plane.push_back(height.back() + floor.form_um);
    u.push_back(floor.u_um);
    mean += height.back() / 5;
    mean_over_plane += over_plane.back() / 5;
    std::printf("  height over the surface %.1f um, over its ring's plane %.1f um, u(floor) %.1f um\n",
                height.back(), over_plane.back(), u.back());
  }
  for (const auto& h_um : {height, over_plane}) {
    const auto [low, high] = std::minmax_element(h_um.begin(), h_um.end());
    std::printf("  spread %.1f um\n", *high - *low);
  }
  for (std::size_t i = 0; i < height.size(); ++i) {
    EXPECT_LE(std::abs(height[i] - mean), 2 * u[i]) << i;
    EXPECT_LE(std::abs(over_plane[i] - mean_over_plane), 2 * u[i]) << i;
    // METROLOGY.md, section 3: heights over the rings' own planes, 1162.1 to 1169.4 um, mean 1165.1
    EXPECT_LE(std::abs(over_plane[i] - 1165.1), 2 * u[i]) << i;
    EXPECT_LE(u[i], 20) << "an uncertainty that covers anything says nothing";
  }
}

}  // namespace
}  // namespace datum
