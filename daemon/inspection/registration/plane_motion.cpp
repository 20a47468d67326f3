#include "daemon/inspection/registration/plane_motion.h"

#include <cmath>

namespace datum {

Eigen::Matrix2d rotation_by_deg(double deg) {
  const double quarters = std::nearbyint(deg / 90);
  const double x = (deg - 90 * quarters) * 0.017453292519943295, xx = x * x;  // at most pi / 4
  double sine = 0, cosine = 0;  // Horner: the terms beyond x^18 are below 1e-18 there
  for (int k = 18; k >= 2; k -= 2) cosine = (1 - cosine) * xx / (k * (k - 1));
  for (int k = 17; k >= 3; k -= 2) sine = (1 - sine) * xx / (k * (k - 1));
  cosine = 1 - cosine;
  sine = x * (1 - sine);
  const int q = static_cast<int>(static_cast<long long>(quarters) & 3);
  const double c = q == 0 ? cosine : q == 1 ? -sine : q == 2 ? -cosine : sine;
  const double s = q == 0 ? sine : q == 1 ? cosine : q == 2 ? -sine : -cosine;
  Eigen::Matrix2d r;
  r << c, -s, s, c;
  return r;
}

Eigen::Matrix2d matrix_of_stretch(const Eigen::Vector3d& stretch) {
  Eigen::Matrix2d d;
  d << 1 + stretch[0] + stretch[1], stretch[2], stretch[2], 1 + stretch[0] - stretch[1];
  return d;
}

Eigen::Matrix4d back_of(const PlaneMotion& motion) {
  const Eigen::Matrix2d back = rotation_by_deg(motion.rotation_deg).transpose();
  Eigen::Matrix4d m = Eigen::Matrix4d::Identity();
  m.topLeftCorner<2, 2>() = back;
  m.topRightCorner<2, 1>() = motion.pivot_mm - back * (motion.pivot_mm + motion.shift_mm);
  return m;
}

BoardTurn board_turn(int index) { return {index % 4, index >= 4}; }

const char* name_of(const BoardTurn& turn) {
  static const char* const names[board_turns] = {"as designed",
                                                 "turned by 90 degrees",
                                                 "turned by 180 degrees",
                                                 "turned by 270 degrees",
                                                 "mirrored",
                                                 "mirrored and turned by 90 degrees",
                                                 "mirrored and turned by 180 degrees",
                                                 "mirrored and turned by 270 degrees"};
  return names[turn.quarters + (turn.mirrored ? 4 : 0)];
}

Eigen::Matrix2d matrix_of(const BoardTurn& turn) {
  Eigen::Matrix2d m = rotation_by_deg(90.0 * turn.quarters);
  if (turn.mirrored) m.col(0) = -m.col(0);
  return m;
}

Eigen::Matrix<double, 2, 6> stretch_rows(const Eigen::Vector2d& arm_mm) {
  Eigen::Matrix<double, 2, 6> by;
  by << 1, 0, -arm_mm.y(), arm_mm.x(), arm_mm.x(), arm_mm.y(),  //
      0, 1, arm_mm.x(), arm_mm.y(), -arm_mm.y(), arm_mm.x();
  return by;
}

}  // namespace datum
