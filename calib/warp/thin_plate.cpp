#include "calib/warp/thin_plate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "calib/warp/bordered_system.h"
#include "calib/warp/knot_check.h"
#include "calib/warp/thin_plate_kernel.h"
#include "gpu/core/parallel_for.h"

namespace datum {
namespace {

constexpr int first_decade = -4, least_decade = -8, most_decade = 2;

double decade(int exponent) { return std::pow(10.0, exponent); }

}  // namespace

struct ThinPlate::Solved {
  double lambda = 0, rms_um = 0;
  SolvedSystem system;
  std::vector<double> leave_one_out_um;
};

ThinPlate::ThinPlate(std::vector<WarpKnot> knots, double tolerance_um, std::optional<double> lambda,
                     unsigned threads, SystemInverter* inverter)
    : knots_(std::move(knots)) {
  check_knots(knots_);
  scale();
  Eigen::MatrixXd a = system(threads);
  CpuSystemInverter here(cpu_backend(threads));
  SystemInverter& by = inverter ? *inverter : here;
  take(lambda ? solve(*lambda, a, by, threads) : downhill(a, by, threads));
  rounding_um_ = health_.condition * std::numeric_limits<double>::epsilon() * height_.cwiseAbs().maxCoeff();
  if (!(rounding_um_ <= 1e-6 * tolerance_um))
    refuse_warp(
        "the system of %zu knots has the condition %.3g: rounding alone moves the surface by up to %.3g um, "
        "allowed is a millionth of %.4g um; take knots that lie too close to each other out",
        knots_.size(), health_.condition, rounding_um_, tolerance_um);
  find_neighbours(threads);
}

void ThinPlate::scale() {
  const auto n = static_cast<Eigen::Index>(knots_.size());
  Eigen::Vector2d low = knots_[0].at_mm, high = low;
  double variance = 0;
  for (const WarpKnot& k : knots_) {
    low = low.cwiseMin(k.at_mm);
    high = high.cwiseMax(k.at_mm);
    mean_um_ += k.z_um / static_cast<double>(n);
    variance += k.u_um * k.u_um / static_cast<double>(n);
  }
  centre_mm_ = (low + high) / 2;
  half_mm_ = (high - low).maxCoeff() / 2;
  place_.resize(n, 2);
  height_.resize(n);
  omega_.setOnes(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const WarpKnot& k = knots_[static_cast<std::size_t>(i)];
    place_.row(i) = scaled(k.at_mm);
    height_[i] = k.z_um - mean_um_;
    if (variance > 0) omega_[i] = k.u_um * k.u_um / variance;
  }
  trend_ = WarpTrend(place_);
}

Eigen::MatrixXd ThinPlate::system(unsigned threads) const {
  const Eigen::Index n = place_.rows(), m = trend_.size();
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(n + m, n + m);
  // the longest rows first
  parallel_for(threads, static_cast<std::size_t>(n), [&](std::size_t k, unsigned) {
    const Eigen::Index i = n - 1 - static_cast<Eigen::Index>(k);
    for (Eigen::Index j = 0; j < i; ++j)
      a(i, j) = a(j, i) = thin_plate_kernel((place_.row(i) - place_.row(j)).squaredNorm());
    a.row(i).tail(m) = trend_.at(place_.row(i)).transpose();
    a.col(i).tail(m) = a.row(i).tail(m).transpose();
  });
  return a;
}

ThinPlate::Solved ThinPlate::solve(double lambda, Eigen::MatrixXd& system, SystemInverter& inverter,
                                   unsigned threads) const {
  const Eigen::Index n = place_.rows();
  Eigen::VectorXd right = Eigen::VectorXd::Zero(n + trend_.size());
  right.head(n) = height_;
  system.diagonal().head(n) = lambda * omega_;
  Solved s{lambda, 0, solve_bordered(system, right, inverter, threads), {}};
  for (Eigen::Index i = 0; i < n; ++i) {
    const double error = s.system.solution[i] / s.system.inverse(i, i);
    s.leave_one_out_um.push_back(error);
    s.rms_um += error * error / static_cast<double>(n);
  }
  s.rms_um = std::sqrt(s.rms_um);
  return s;
}

ThinPlate::Solved ThinPlate::downhill(Eigen::MatrixXd& system, SystemInverter& inverter,
                                      unsigned threads) const {
  int exponent = first_decade;
  Solved best = solve(decade(exponent), system, inverter, threads);
  for (const int step : {1, -1}) {
    bool gained = false;
    for (int next = exponent + step; next >= least_decade && next <= most_decade; next += step) {
      Solved tried = solve(decade(next), system, inverter, threads);
      if (!(tried.rms_um < best.rms_um)) break;
      best = std::move(tried);
      gained = true;
    }
    if (gained) break;
  }
  return best;
}

void ThinPlate::take(Solved s) {
  const Eigen::Index n = place_.rows();
  solution_ = std::move(s.system.solution);
  inverse_ = std::move(s.system.inverse);
  leave_one_out_um_ = std::move(s.leave_one_out_um);
  double between = 0;
  for (Eigen::Index i = 0; i < n; ++i)
    between += solution_[i] * leave_one_out_um_[static_cast<std::size_t>(i)] / static_cast<double>(n);
  const double whole = height_.dot(solution_.head(n)) / static_cast<double>(n - trend_.size());
  const auto worst = std::max_element(leave_one_out_um_.begin(), leave_one_out_um_.end(),
                                      [](double a, double b) { return std::abs(a) < std::abs(b); });
  health_.knots = knots_.size();
  health_.lambda = s.lambda;
  health_.leave_one_out_um = s.rms_um;
  health_.largest_leave_one_out_um = *worst;
  health_.worst_knot = knots_[static_cast<std::size_t>(worst - leave_one_out_um_.begin())].name;
  health_.roughness_um = std::sqrt(std::max({whole, between, 0.0}));
  health_.condition = s.system.condition;
  health_.growth = s.system.growth;
  health_.backward_error = s.system.backward_error;
}

Eigen::VectorXd ThinPlate::influence(const Eigen::Vector2d& p) const {
  const Eigen::Index n = place_.rows();
  Eigen::VectorXd k(n + trend_.size());
  for (Eigen::Index i = 0; i < n; ++i)
    k[i] = thin_plate_kernel((p - place_.row(i).transpose()).squaredNorm());
  k.tail(trend_.size()) = trend_.at(p);
  return k;
}

double ThinPlate::value_um(const Eigen::Vector2d& at_mm) const {
  return mean_um_ + influence(scaled(at_mm)).dot(solution_);
}

/// d(r^2 ln r^2) = 2 (ln r^2 + 1) (p - p_i) dp.
Eigen::Vector2d ThinPlate::gradient_um_per_mm(const Eigen::Vector2d& at_mm) const {
  const Eigen::Index n = place_.rows();
  const Eigen::Vector2d p = scaled(at_mm);
  Eigen::Vector2d slope = trend_.gradient(p).transpose() * solution_.tail(trend_.size());
  for (Eigen::Index i = 0; i < n; ++i) {
    const Eigen::Vector2d d = p - place_.row(i).transpose();
    const double r2 = d.squaredNorm();
    if (r2 > 0) slope += 2 * (std::log(r2) + 1) * solution_[i] * d;
  }
  return slope / half_mm_;
}

double ThinPlate::u_um(const Eigen::Vector2d& at_mm) const {
  return std::hypot(u_um(WarpSum{{at_mm}, {1}}), left_out_um(at_mm) / std::sqrt(3.0));
}

double ThinPlate::value_um(const WarpSum& sum) const {
  double value = 0;
  for (std::size_t i = 0; i < sum.at_mm.size(); ++i) value += sum.weight[i] * value_um(sum.at_mm[i]);
  return value;
}

double ThinPlate::u_um(const WarpSum& sum) const {
  const Eigen::Index n = place_.rows();
  Eigen::VectorXd k = Eigen::VectorXd::Zero(n + trend_.size());
  double apart = 0;  // c^T K c
  for (std::size_t i = 0; i < sum.at_mm.size(); ++i) {
    const Eigen::Vector2d p = scaled(sum.at_mm[i]);
    k += sum.weight[i] * influence(p);
    for (std::size_t j = 0; j < i; ++j)
      apart +=
          2 * sum.weight[i] * sum.weight[j] * thin_plate_kernel((p - scaled(sum.at_mm[j])).squaredNorm());
  }
  const Eigen::VectorXd share = inverse_ * k;
  const double unknown = std::max(0.0, apart - k.dot(share));
  double known = rounding_um_ * rounding_um_;
  for (Eigen::Index i = 0; i < n; ++i) {
    const double part = share[i] * knots_[static_cast<std::size_t>(i)].u_um;
    known += part * part;
  }
  return std::sqrt(health_.roughness_um * health_.roughness_um * unknown + known);
}

}  // namespace datum
