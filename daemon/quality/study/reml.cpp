#include "daemon/quality/study/reml.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <cmath>
#include <set>

#include "daemon/quality/statistics/exact.h"

namespace datum::quality {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::size_t most_cells = 1000;  // a step takes the cube of their number

struct Factor {
  std::string name;
  std::vector<int> level;  // of each cell
};

struct Problem {
  VectorXd means, sizes;  // of cells; means are less the grand mean
  std::vector<Factor> factors;
  double within = 0;  // sum of squares within cells
  double df_within = 0;

  Eigen::Index cells() const { return means.size(); }
};

std::size_t levels_of(const Factor& factor) {
  return std::set<int>(factor.level.begin(), factor.level.end()).size();
}

Problem problem_of(const GaugeData& data, RemlModel model) {
  std::vector<int> part, op;
  std::vector<ExactSums> cells;
  ExactSums all;
  Problem q;
  for (std::size_t i = 0; i < data.cells.size(); ++i) {
    for (std::size_t j = 0; j < data.cells[i].size(); ++j) {
      if (data.cells[i][j].empty()) continue;
      part.push_back(static_cast<int>(i));
      op.push_back(static_cast<int>(j));
      cells.push_back(sums_of(data.cells[i][j]));
      all.merge(cells.back());
      q.within += cells.back().deviations(data.digits);
      q.df_within += static_cast<double>(cells.back().n - 1);
    }
  }
  if (cells.size() > most_cells)
    throw StudyRefused(fmt::format("REML of {} cells: at most {} are solved here", cells.size(), most_cells));
  q.means.resize(static_cast<Eigen::Index>(cells.size()));
  q.sizes.resize(q.means.size());
  std::vector<int> each;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    each.push_back(static_cast<int>(c));
    const Integer off = cells[c].sum * all.n - all.sum * cells[c].n;
    q.means[static_cast<Eigen::Index>(c)] = ratio(off, Integer(cells[c].n) * all.n, data.digits);
    q.sizes[static_cast<Eigen::Index>(c)] = static_cast<double>(cells[c].n);
  }
  if (model == RemlModel::nested)
    q.factors = {{"operator", op}, {"part in operator", each}};
  else if (model == RemlModel::one_way)
    q.factors = {{"part", part}};
  else
    q.factors = {{"part", part}, {"operator", op}};
  if (model == RemlModel::crossed) q.factors.push_back({"part x operator", each});
  for (const Factor& factor : q.factors)
    if (levels_of(factor) < 2)
      throw StudyRefused("REML: one " + factor.name + " alone has values; two are needed");
  if (q.df_within < 1)
    throw StudyRefused("REML: no cell has two values, so that repeatability can't be told from the rest");
  if (!(q.within > 0))
    throw StudyRefused("REML: all repeated values are equal: the repeatability is not resolved");
  return q;
}

/// -2 log of the restricted likelihood with its gradient and expected second derivatives, by the variances (factors, repeatability).
struct Likelihood {
  double value = 0;
  VectorXd gradient;
  MatrixXd information;
};

MatrixXd covariance_of(const Factor& factor) {
  const Eigen::Index n = static_cast<Eigen::Index>(factor.level.size());
  MatrixXd same(n, n);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j)
      same(i, j) = factor.level[static_cast<std::size_t>(i)] == factor.level[static_cast<std::size_t>(j)];
  return same;
}

Likelihood likelihood_at(const Problem& q, const std::vector<MatrixXd>& parts, const VectorXd& variances) {
  const Eigen::Index n = q.cells(), k = static_cast<Eigen::Index>(parts.size());
  MatrixXd v = MatrixXd::Zero(n, n);
  for (Eigen::Index i = 0; i < k; ++i) v += variances[i] * parts[static_cast<std::size_t>(i)];
  Likelihood out;
  const Eigen::LLT<MatrixXd> root(v);
  if (root.info() != Eigen::Success) {
    out.value = std::numeric_limits<double>::infinity();
    return out;
  }
  const MatrixXd inverse = root.solve(MatrixXd::Identity(n, n));
  const VectorXd ones = inverse.rowwise().sum();
  const double weight = ones.sum();
  const MatrixXd p = inverse - ones * ones.transpose() / weight;
  const VectorXd py = p * q.means;
  const double e = variances[k - 1];
  const MatrixXd lower = root.matrixL();
  const double all = q.df_within + static_cast<double>(n);
  out.value = (all - 1) * std::log(2 * M_PI) + 2 * lower.diagonal().array().log().sum() +
              q.sizes.array().log().sum() + std::log(weight) + q.means.dot(py) + q.df_within * std::log(e) +
              q.within / e;
  out.gradient.resize(k);
  out.information.resize(k, k);
  std::vector<MatrixXd> products;
  for (const MatrixXd& part : parts) products.push_back(p * part);
  for (Eigen::Index i = 0; i < k; ++i) {
    const auto& a = products[static_cast<std::size_t>(i)];
    out.gradient[i] = a.trace() - py.dot(parts[static_cast<std::size_t>(i)] * py);
    for (Eigen::Index j = 0; j <= i; ++j)
      out.information(i, j) = out.information(j, i) =
          a.cwiseProduct(products[static_cast<std::size_t>(j)].transpose()).sum();
  }
  out.gradient[k - 1] += q.df_within / e - q.within / (e * e);
  out.information(k - 1, k - 1) += q.df_within / (e * e);
  return out;
}

/// Fisher's scoring among the variances that are not held at 0.
VectorXd scoring_step(const Likelihood& at, const std::vector<bool>& held) {
  std::vector<Eigen::Index> free;
  for (Eigen::Index i = 0; i < at.gradient.size(); ++i)
    if (!held[static_cast<std::size_t>(i)]) free.push_back(i);
  MatrixXd information(free.size(), free.size());
  VectorXd gradient(free.size());
  for (std::size_t i = 0; i < free.size(); ++i) {
    gradient[static_cast<Eigen::Index>(i)] = at.gradient[free[i]];
    for (std::size_t j = 0; j < free.size(); ++j)
      information(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
          at.information(free[i], free[j]);
  }
  const VectorXd solved = information.ldlt().solve(-gradient);
  VectorXd step = VectorXd::Zero(at.gradient.size());
  for (std::size_t i = 0; i < free.size(); ++i) step[free[i]] = solved[static_cast<Eigen::Index>(i)];
  return step;
}

}  // namespace

double Reml::variance(const std::string& name) const {
  for (const RemlComponent& c : components)
    if (c.name == name) return c.variance;
  return 0;
}

Reml reml(const GaugeData& data, RemlModel model) {
  const Problem q = problem_of(data, model);
  std::vector<MatrixXd> parts;
  for (const Factor& factor : q.factors) parts.push_back(covariance_of(factor));
  parts.push_back(q.sizes.cwiseInverse().asDiagonal());
  const Eigen::Index k = static_cast<Eigen::Index>(parts.size());
  const double scale = q.means.squaredNorm() / static_cast<double>(q.cells()) + q.within / q.df_within;
  VectorXd variances = VectorXd::Constant(k, scale / static_cast<double>(k));
  variances[k - 1] = q.within / q.df_within;
  const double smallest = 1e-12 * scale;  // of repeatability: the likelihood needs a scatter

  Reml out;
  constexpr int most_steps = 1000;
  constexpr double settled =
      1e-10;  // of a variance, relative to it and to the smallest component's share of 1e-6
  Likelihood now = likelihood_at(q, parts, variances);
  if (!std::isfinite(now.value))
    throw StudyRefused(
        "REML: the values lie too far from each other for double precision; is one in another unit?");
  std::vector<bool> held(static_cast<std::size_t>(k), false);
  for (; out.iterations < most_steps && !out.converged; ++out.iterations) {
    for (Eigen::Index i = 0; i < k; ++i)
      held[static_cast<std::size_t>(i)] = i < k - 1 && variances[i] <= 0 && now.gradient[i] >= 0;
    const VectorXd step = scoring_step(now, held);
    double length = 1;
    VectorXd next;
    Likelihood then;
    for (int halved = 0; halved < 40; ++halved, length /= 2) {
      next = (variances + length * step).cwiseMax(0.0);
      next[k - 1] = std::max(next[k - 1], smallest);
      then = likelihood_at(q, parts, next);
      if (then.value <= now.value + 1e-12 * std::abs(now.value)) break;
    }
    if (!std::isfinite(then.value)) break;  // no step is possible: what is found so far, not converged
    out.converged = true;
    for (Eigen::Index i = 0; i < k; ++i)
      if (std::abs(next[i] - variances[i]) > settled * (next[i] + 1e-6 * scale)) out.converged = false;
    // A step that was cut by the bound frees or holds another variance in the next one.
    for (Eigen::Index i = 0; i < k - 1; ++i)
      if (next[i] <= 0 && then.gradient[i] < 0) out.converged = false;
    variances = next;
    now = then;
  }
  for (Eigen::Index i = 0; i < k; ++i)
    out.components.push_back({i < k - 1 ? q.factors[static_cast<std::size_t>(i)].name : "repeatability",
                              variances[i], i < k - 1 && variances[i] <= 0});
  out.minus_two_log_likelihood = now.value;
  return out;
}

}  // namespace datum::quality
