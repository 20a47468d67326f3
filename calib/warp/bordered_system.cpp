#include "calib/warp/bordered_system.h"

#include <vector>

#include "calib/warp/knot_check.h"
#include "gpu/lu/lu.h"

namespace datum {

SolvedSystem solve_bordered(const Eigen::MatrixXd& a, const Eigen::VectorXd& right, unsigned threads) {
  const auto n = static_cast<std::uint32_t>(a.rows());
  const LuSystem<double> lu(a.data(), n, cpu_backend(threads));
  if (lu.status() != LuStatus::ok)
    refuse_warp("the system of the knots is %s: some of them contradict or repeat each other",
                name_of(lu.status()));
  const LuHealth health = lu.health(LuEstimate::without_condition);
  SolvedSystem s;
  s.solution.resize(a.rows());
  s.backward_error = lu.solve(right.data(), s.solution.data()).backward_error;
  s.inverse = Eigen::MatrixXd::Identity(a.rows(), a.cols());
  lu.solve_plain(s.inverse.data(), n);
  s.condition = health.norm_one * s.inverse.cwiseAbs().colwise().sum().maxCoeff();
  s.growth = health.growth;
  return s;
}

}  // namespace datum
