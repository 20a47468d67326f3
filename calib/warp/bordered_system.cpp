#include "calib/warp/bordered_system.h"

#include <utility>
#include <vector>

#include "calib/warp/knot_check.h"
#include "gpu/lu/lu.h"

namespace datum {

SolvedSystem solve_bordered(const Eigen::MatrixXd& a, const Eigen::VectorXd& right, SystemInverter& inverter,
                            unsigned threads) {
  const auto n = static_cast<std::uint32_t>(a.rows());
  SolvedSystem s;
  s.inverse.resize(a.rows(), a.cols());
  std::vector<double> factors(static_cast<std::size_t>(a.size()));
  std::vector<std::int32_t> pivots(n);
  const std::int32_t info = inverter.invert({a.data(), n, factors.data(), pivots.data(), s.inverse.data()});
  const LuSystem<double> lu(a.data(), n, std::move(factors), std::move(pivots), info, cpu_backend(threads));
  if (lu.status() != LuStatus::ok)
    refuse_warp("the system of the knots is %s: some of them contradict or repeat each other",
                name_of(lu.status()));
  const LuHealth health = lu.health(LuEstimate::without_condition);
  s.solution.resize(a.rows());
  s.backward_error = lu.solve(right.data(), s.solution.data()).backward_error;
  s.condition = health.norm_one * s.inverse.cwiseAbs().colwise().sum().maxCoeff();
  s.growth = health.growth;
  return s;
}

}  // namespace datum
