#include "calib/fringe/node_fit.h"

#include <algorithm>
#include <cmath>

#include "calib/htm.h"
#include "gpu/lu/lu.h"

namespace datum {
namespace {

constexpr int most = 5;  // h0 .. h3, bend
using Row = std::array<double, most>;

struct Form {
  int degree = 1;
  bool bend = true;
  int unknowns() const { return degree + 1 + (bend ? 1 : 0); }
};

/// Coefficients of z (1 + bend t) = sum h_j t^j in the unknowns, divided by 1 + bend t.
Row equation(const Form& f, double t, double z, double below) {
  Row row{};
  double power = 1 / below;
  for (int j = 0; j <= f.degree; ++j, power *= t) row[static_cast<std::size_t>(j)] = power;
  if (f.bend) row[static_cast<std::size_t>(f.degree) + 1] = -z * t / below;
  return row;
}

struct Solved {
  Row x{};
  std::vector<double> inverse;  // of the normal equations' matrix
  double condition = 0, backward_error = 0;
};

Solved solve(const Form& f, const std::vector<Row>& rows, const std::vector<double>& right,
             const Backend& backend) {
  const auto n = static_cast<std::size_t>(f.unknowns());
  std::vector<double> normal(n * n, 0), b(n, 0);
  for (std::size_t k = 0; k < rows.size(); ++k)
    for (std::size_t i = 0; i < n; ++i) {
      b[i] += rows[k][i] * right[k];
      for (std::size_t j = 0; j < n; ++j) normal[j * n + i] += rows[k][i] * rows[k][j];
    }
  const LuSystem<double> system(normal.data(), static_cast<std::uint32_t>(n), backend);
  if (system.status() != LuStatus::ok)
    throw CalibrationError("the steps do not determine a model of this form; take fewer terms or more steps");
  Solved s;
  s.condition = system.health().condition;
  s.backward_error = system.solve(b.data(), s.x.data()).backward_error;
  s.inverse.assign(n * n, 0);
  for (std::size_t i = 0; i < n; ++i) s.inverse[i * n + i] = 1;
  system.solve_plain(s.inverse.data(), static_cast<std::uint32_t>(n));
  return s;
}

double bend_of(const Form& f, const Row& x) { return f.bend ? x[static_cast<std::size_t>(f.degree) + 1] : 0; }

double height_at(const Form& f, const Row& x, double t) {
  double z = 0;
  for (int j = f.degree; j >= 0; --j) z = z * t + x[static_cast<std::size_t>(j)];
  return z / (1 + bend_of(f, x) * t);
}

double deviation_at(const Form& f, const Solved& s, double t) {
  const auto n = static_cast<std::size_t>(f.unknowns());
  const Row g = equation(f, t, height_at(f, s.x, t), 1 + bend_of(f, s.x) * t);
  double variance = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) variance += g[i] * s.inverse[j * n + i] * g[j];
  return std::sqrt(std::max(0.0, variance));
}

}  // namespace

NodeFit fit_node(std::span<const NodePoint> points, int degree, bool bend, double spare_px,
                 const Backend& backend) {
  const Form f{degree, bend};
  const auto [low, high] = std::minmax(points.front().u_px, points.back().u_px);
  const double centre = (low + high) / 2, per_px = 2 / (high - low + 2 * spare_px);
  // The heights are centred; otherwise the terms of bend and h1 would be nearly collinear.
  const double middle_um = (points.front().z_um + points.back().z_um) / 2;
  const double half_um = (points.back().z_um - points.front().z_um) / 2;
  Solved s;
  for (int round = 0; round < 3; ++round) {
    std::vector<Row> rows;
    std::vector<double> right;
    for (const NodePoint& p : points) {
      const double t = (p.u_px - centre) * per_px, z = (p.z_um - middle_um) / half_um;
      const double below = 1 + bend_of(f, s.x) * t;
      rows.push_back(equation(f, t, z, below));
      right.push_back(z / below);
    }
    s = solve(f, rows, right, backend);
    if (!(std::abs(bend_of(f, s.x)) < 0.9))
      throw CalibrationError(
          "the columns bend so strongly with the height that the model ends within the range");
  }
  double sum = 0, noise = 0;
  for (const NodePoint& p : points) {
    const double t = (p.u_px - centre) * per_px;
    const double r = (p.z_um - middle_um) / half_um - height_at(f, s.x, t);
    const double slope = per_px * p.sigma_px;  // in units of half_um: |dz/dt| is about 1
    sum += r * r;
    noise += slope * slope;
  }
  const auto freedom = static_cast<double>(points.size()) - f.unknowns();
  const double scatter = std::sqrt(std::max(sum / freedom, noise / static_cast<double>(points.size())));
  NodeFit fit;
  for (const double t : {-1.0, -0.5, 0.0, 0.5, 1.0})
    fit.u_um = std::max(fit.u_um, half_um * scatter * deviation_at(f, s, t));
  fit.condition = s.condition;
  fit.backward_error = s.backward_error;
  const double bent = bend_of(f, s.x);
  HeightNode& node = fit.node;
  node.centre_px = static_cast<float>(centre);
  node.per_px = static_cast<float>(per_px);
  node.bend = static_cast<float>(bent);
  // middle (1 + bend t) is added to h0 and h1 again
  for (int j = 0; j <= f.degree; ++j)
    node.height_um[j] =
        static_cast<float>(half_um * s.x[static_cast<std::size_t>(j)] + (j == 0   ? middle_um
                                                                         : j == 1 ? middle_um * bent
                                                                                  : 0));
  return fit;
}

}  // namespace datum
