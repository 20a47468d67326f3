#include "tests/statistics/statistics_surface.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <random>
#include <thread>

#include "calib/htm_estimate.h"
#include "daemon/inspection/verdict/decision.h"
#include "tests/daemon/inspection/surface/surface_scan.h"
#include "tests/virtual_cell/twin_world.h"

namespace datum::statistics {
namespace {

using Eigen::Vector3d;

constexpr double limit_band_um = 60;
constexpr double form_bow_um = 15, bump_um = 30, bump_mm = 0.8;  // of the forms; bump_mm is its radius

/// Two levels side by side along x, 4 mm apart, each `half_mm` long.
struct Part {
  double half_mm;
  RawModel model() const {
    RawModel m;
    testing::add_patch(m, 8, 8, [&](double u, double v) {
      return testing::Place3{half_mm * (u - 1), 10 * v - 5, 0};
    });
    testing::add_patch(m, 8, 8, [&](double u, double v) {
      return testing::Place3{0.5 + half_mm * u, 10 * v - 5, 4};
    });
    return m;
  }
};

/// Truth of one random part.
struct Truth {
  Part part;
  SurfaceForm form = SurfaceForm::flat;
  Eigen::Vector2d bump_mm = Eigen::Vector2d::Zero();  // its middle
  double offset_um = 0;                               // of the whole upper level

  /// Deviation of the upper level in mm.
  double deviation_mm(double x, double y) const {
    double um = offset_um;
    if (form == SurfaceForm::bowed) {
      const double u = (x - 0.5) / part.half_mm * 2 - 1, v = y / 5;
      um += form_bow_um * (1 - (u * u + v * v) / 2);
    } else if (form == SurfaceForm::bump) {
      const double r2 =
          (Eigen::Vector2d(x, y) - bump_mm).squaredNorm() / statistics::bump_mm / statistics::bump_mm;
      um += r2 < 1 ? bump_um * (1 - r2 * r2 * r2) : 0;  // a top wider than a window
    }
    return um / 1000;
  }
};

using Values = std::array<double, surface_column_count>;

/// From a lattice of the sensor's pitch over the upper level, with planes by least squares and extremes of 3 x 3 as in
/// the recipe.
Values values_of(const Truth& t) {
  const int nx = static_cast<int>(t.part.half_mm * 10), ny = 100;
  Eigen::MatrixXd um(nx, ny), flat(nx, ny);
  Eigen::Matrix3d normal = Eigen::Matrix3d::Zero();
  Vector3d right = Vector3d::Zero();
  const auto basis = [](int i, int k) { return Vector3d(1, 0.1 * i, 0.1 * k); };
  for (int i = 0; i < nx; ++i)
    for (int k = 0; k < ny; ++k) {
      um(i, k) = 1000 * t.deviation_mm(0.55 + 0.1 * i, 0.1 * k - 4.95);
      normal += basis(i, k) * basis(i, k).transpose();
      right += um(i, k) * basis(i, k);
    }
  const Vector3d plane = normal.ldlt().solve(right);
  for (int i = 0; i < nx; ++i)
    for (int k = 0; k < ny; ++k) flat(i, k) = um(i, k) - plane.dot(basis(i, k));
  const auto opened = [&](const Eigen::MatrixXd& v) {
    std::pair<double, double> ends{HUGE_VAL, -HUGE_VAL};
    for (int i = 0; i + 3 <= nx; ++i)
      for (int k = 0; k + 3 <= ny; ++k) {
        ends.first = std::min(ends.first, v.block<3, 3>(i, k).maxCoeff());
        ends.second = std::max(ends.second, v.block<3, 3>(i, k).minCoeff());
      }
    return ends;
  };
  const auto [low, high] = opened(um);
  const auto [flat_low, flat_high] = opened(flat);
  // the shared normal inclines by half of the upper level's slope, since the lower level has as many points and no slope
  const double leaned_um = plane[1] / 2 * (t.part.half_mm + 0.5);
  return {2 * std::max(-low, high), flat_high - flat_low, high - low, 4000 + um.mean() - leaned_um,
          um.mean()};
}

/// White noise of variance 1 after a median of 5 x 5, not scaled.
std::vector<float> median_noise(int rows, int cols, std::mt19937_64& random) {
  std::normal_distribution<float> normal;
  std::vector<float> white(static_cast<std::size_t>(rows * cols)), out(white.size());
  for (float& v : white) v = normal(random);
  for (int row = 0; row < rows; ++row)
    for (int col = 0; col < cols; ++col) {
      std::array<float, 25> around{};
      std::size_t k = 0;
      for (int r = row - 2; r <= row + 2; ++r)
        for (int c = col - 2; c <= col + 2; ++c)
          around[k++] =
              white[static_cast<std::size_t>(std::clamp(r, 0, rows - 1) * cols + std::clamp(c, 0, cols - 1))];
      std::nth_element(around.begin(), around.begin() + 12, around.end());
      out[static_cast<std::size_t>(row * cols + col)] = around[12];
    }
  return out;
}

std::vector<float> noise_of(const SurfaceRow& row, int rows, int cols, std::mt19937_64& random) {
  std::vector<float> noise;
  if (row.median) {
    noise = median_noise(rows, cols, random);
  } else if (row.kernel_px > 0) {
    noise = kernel_noise(rows, cols, row.kernel_px, random());
  } else {
    std::normal_distribution<float> normal;
    noise.resize(static_cast<std::size_t>(rows * cols));
    for (float& v : noise) v = normal(random);
  }
  for (float& v : noise) v *= static_cast<float>(row.sigma_um);
  return noise;
}

/// The frame of the sensor at its true pose.
HeightFrame seen(const Truth& t, const SurfaceRow& row, const Eigen::Matrix4d& model_from_sensor, int number,
                 std::mt19937_64& random) {
  HeightFrame f;
  f.rows = f.cols = 220;
  f.x = f.y = {0.1, -10.95};
  f.z = {row.lsb_um / 1000, 0};
  const std::vector<float> noise = noise_of(row, f.rows, f.cols, random);
  std::vector<std::int32_t> counts(f.size(), 0);
  f.classes.assign(f.size(), PixelClass::no_data);
  for (int r = 0; r < f.rows; ++r)
    for (int c = 0; c < f.cols; ++c) {
      const auto i = static_cast<std::size_t>(r * f.cols + c);
      for (const bool upper : {true, false}) {
        double z = 0;
        Vector3d at = Vector3d::Zero();
        for (int turn = 0; turn < 3; ++turn) {
          at = (model_from_sensor * Eigen::Vector4d(f.x.at(c), f.y.at(r), z, 1)).head<3>();
          const double wanted = upper ? 4 + t.deviation_mm(at.x(), at.y()) : 0;
          z += (wanted - at.z()) / model_from_sensor(2, 2);
        }
        const bool on = std::abs(at.y()) < 5 && (upper ? at.x() > 0.5 && at.x() < 0.5 + t.part.half_mm
                                                       : at.x() < 0 && at.x() > -t.part.half_mm);
        if (!on) continue;
        counts[i] = static_cast<std::int32_t>(std::lround((1000 * z + noise[i]) / row.lsb_um));
        f.classes[i] = PixelClass::ok;
      }
    }
  f.counts = std::move(counts);
  f.sensor_serial = "S7";
  f.frame_id = std::to_string(number);
  f.content_sha256 = "sha-" + f.frame_id;
  f.source = "statistics";
  return f;
}

const std::string regions =
    testing::region("low", "high_mm = [0, 5, 1]\n", testing::check("\"deviation_mean\"\nupper_um = 500")) +
    testing::region(
        "high", "low_mm = [0, -5, 3]\n",
        testing::check("\"profile\"\nupper_um = 5000") + testing::check("\"flatness\"\nupper_um = 5000") +
            testing::check("\"parallelism\"\ndatum = \"low\"\nupper_um = 5000") +
            testing::check("\"thickness\"\ndatum = \"low\"\nnominal_um = 4000\ntolerance_um = 5000") +
            testing::check("\"deviation_mean\"\nlower_um = -5000\nupper_um = 5000"));

/// Decision with limits at the truth, or limits that the truth exceeds by a quarter.
Decision decided(CheckVerdict v, double lower, double upper) {
  v.check.lower = std::isfinite(lower) ? std::optional(lower) : std::nullopt;
  v.check.upper = upper;
  v.reason = Reason::none;
  v.decision = Decision::invalid;
  decide(v, DecisionRule::iso14253, 0.95);
  return v.decision;
}

void count(SurfaceColumn column, const CheckVerdict& v, double truth, Tally& t) {
  ++t.cases;
  if (v.reason != Reason::none) {
    ++t.invalid;
    ++t.reasons[v.reason];
    return;
  }
  const double error = v.value - truth;
  t.error += error;
  t.error2 += error * error;
  t.worst = std::max(t.worst, std::abs(error));
  t.u += v.u;
  t.outside += std::abs(error) > 2 * v.u;
  for (const UncertaintyTerm& term : v.budget) t.terms[term.name] += term.u * term.u;
  const bool two_sided = column == SurfaceColumn::thickness || column == SurfaceColumn::mean;
  if (!two_sided && truth < limit_band_um / 4) return;  // a limit far from good parts
  const double lower = two_sided ? truth - 2 * limit_band_um : -HUGE_VAL;
  ++t.at_limit;
  t.at_limit_passed += decided(v, lower, truth) == Decision::pass;
  ++t.beyond;
  t.beyond_passed += decided(v, lower, truth - limit_band_um / 4) == Decision::pass;
}

using SurfaceTallies = std::array<Tally, surface_column_count>;

SurfaceTallies measure_part(const SurfaceRow& row, SurfaceForm form, std::uint64_t seed) {
  std::mt19937_64 random(seed * 7919 + static_cast<std::uint64_t>(form));
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> unit(-1, 1);
  Truth t{{row.snapshots > 1 ? 28.0 : 8.0}, form};
  t.offset_um = 10 * unit(random);
  t.bump_mm = {0.5 + t.part.half_mm * (0.5 + 0.4 * unit(random)), 4 * unit(random)};
  testing::SurfaceScene scene(t.part.model());
  scene.size = fmt::format("{}, 10, 4", 2 * t.part.half_mm + 0.5);
  scene.window_px = 3;
  if (row.level_view) scene.sensor_from_model.topLeftCorner<3, 3>().setIdentity();
  if (row.snapshots > 1) {  // the sensor's x runs along the part
    scene.sensor_from_model.topLeftCorner<3, 3>() =
        Eigen::AngleAxisd(0.02, Vector3d::UnitY()).toRotationMatrix();
    scene.calibration.machine_from_sensor = Htm<Machine, Sensor>();
  }
  scene.sensor.noise.sigma_um = {row.sigma_um * row.profile_factor};
  Calibration& c = scene.calibration;
  c.covariance.diagonal().head<3>().setConstant(std::pow(1e-3 * row.turn_mrad, 2));
  c.stage_u.position_um.setConstant(row.stage_um);
  const Eigen::Matrix4d machine_from_model =
      c.at(Vector3d(scene.pose.q_mm.data())).matrix() * scene.sensor_from_model;
  const Recipe recipe = [&] {
    if (row.snapshots > 1) {
      scene.snapshots = "[snapshots]\ntimeout_ms = 1000\none_board = \"time\"\n";
      for (int i = 0; i < row.snapshots; ++i)
        scene.snapshots += fmt::format(
            "[[snapshots.pose]]\nname = \"p{}\"\nposition_mm = [{}, {}, {}]\ntolerance_mm = 0.1\n", i,
            scene.pose.q_mm[0] + 19 * (i - 1), scene.pose.q_mm[1], scene.pose.q_mm[2]);
    }
    return scene.recipe(regions);
  }();
  Vector6d correction;
  for (int k = 0; k < 6; ++k) correction[k] = std::sqrt(c.covariance(k, k)) * normal(random);
  const auto reading = [&] {
    return Vector3d(Vector3d(normal(random), normal(random), normal(random)) * row.stage_um / 1000);
  };
  const Vector3d calibrated_off = reading();
  std::vector<HeightFrame> frames;
  std::vector<SurfaceFrame> given;
  for (int i = 0; i < row.snapshots; ++i) {
    Pose pose = scene.pose;
    if (row.snapshots > 1) pose.q_mm[0] += 19 * (i - 1);
    const Vector3d q(pose.q_mm.data());
    const Htm<Machine, Sensor> real = corrected(c.at(q + reading() - calibrated_off), correction);
    frames.push_back(seen(t, row, machine_from_model.inverse() * real.matrix(), i + 1, random));
    given.push_back({nullptr, pose});
  }
  for (std::size_t i = 0; i < frames.size(); ++i) given[i].frame = &frames[i];
  const BoardVerdict v = scene.inspect(recipe, given).verdict;
  if (v.reason != Reason::none && v.reason != Reason::snapshots && v.components.empty())
    throw std::runtime_error("statistics: " + v.detail);
  const Values truth = values_of(t);
  SurfaceTallies tallies;
  for (std::size_t k = 0; k < surface_column_count; ++k) {
    CheckVerdict check = v.components.at(1).checks.at(k);
    if (v.reason != Reason::none) check.reason = v.reason;
    count(static_cast<SurfaceColumn>(k), check, truth[k], tallies[k]);
  }
  return tallies;
}

}  // namespace

void run_surfaces(const SurfacePlan& plan, const std::function<void(const SurfaceCells&)>& done) {
  const auto parts = static_cast<std::size_t>(plan.parts);
  for (const SurfaceRow& row : plan.rows)
    for (const SurfaceForm form : {SurfaceForm::flat, SurfaceForm::bowed, SurfaceForm::bump}) {
      std::vector<SurfaceTallies> results(parts);
      std::atomic<std::size_t> next{0};
      std::exception_ptr failure;
      std::mutex mutex;
      const auto work = [&] {
        try {
          for (std::size_t i; (i = next++) < parts;)
            results[i] = measure_part(row, form, plan.seed * 1000003 + i);
        } catch (...) {
          const std::lock_guard lock(mutex);
          failure = std::current_exception();
        }
      };
      std::vector<std::thread> others;
      for (unsigned i = 1; i < plan.threads; ++i) others.emplace_back(work);
      work();
      for (std::thread& other : others) other.join();
      if (failure) std::rethrow_exception(failure);
      SurfaceCells cells{row, form, {}};
      for (const SurfaceTallies& one : results)
        for (std::size_t k = 0; k < surface_column_count; ++k) cells.tallies[k] += one[k];
      done(cells);
    }
}

}  // namespace datum::statistics
