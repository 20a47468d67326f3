// Motion of a board in its own plane: board coordinates where the recipe puts it, to where it lies.
#pragma once

#include <Eigen/Core>
#include <cstdint>

namespace datum {

/// Matrix of a rotation, counter-clockwise, by a Taylor series: additions and multiplications alone, so that every machine
/// rounds alike. Exact for multiples of 90 degrees; otherwise within 4e-16.
Eigen::Matrix2d rotation_by_deg(double deg);

/// How a board may lie, seen from above: as designed, turned by quarters, or mirrored at its middle's vertical and then turned.
struct BoardTurn {
  int quarters = 0;  // 0 to 3, counter-clockwise
  bool mirrored = false;
};
inline constexpr int board_turns = 8;
BoardTurn board_turn(int index);  // 0: as designed
inline bool as_designed(const BoardTurn& turn) { return turn.quarters == 0 && !turn.mirrored; }
/// "as designed", "turned by 180 degrees", "mirrored", "mirrored and turned by 90 degrees".
const char* name_of(const BoardTurn& turn);
Eigen::Matrix2d matrix_of(const BoardTurn& turn);

/// What a registration estimates beside shift and rotation: nothing, one scale, or a scale along each axis and a shear.
enum class BoardModel : std::uint8_t { rigid, similarity, affine };

/// p lies at pivot + R T D (p - pivot) + shift, T the turn, D = [1 + s + a, b; b, 1 + s - a] the board's stretch (s, a, b).
/// Bodies keep their size. Lengths in mm of board coordinates.
struct PlaneMotion {
  Eigen::Vector2d pivot_mm = Eigen::Vector2d::Zero();
  Eigen::Vector2d shift_mm = Eigen::Vector2d::Zero();  // of the pivot
  double rotation_deg = 0;                             // counter-clockwise, seen from above
  BoardTurn turn = {};
  Eigen::Vector3d stretch =
      Eigen::Vector3d::Zero();  // mean scale - 1, half of x scale - y scale, half of the shear angle in rad
};

Eigen::Matrix2d matrix_of_stretch(const Eigen::Vector3d& stretch);

/// D (p - pivot) + pivot; p itself without a stretch.
inline Eigen::Vector2d stretched(const Eigen::Vector2d& board_mm, const PlaneMotion& motion) {
  if (motion.stretch.isZero(0)) return board_mm;
  return motion.pivot_mm + matrix_of_stretch(motion.stretch) * (board_mm - motion.pivot_mm);
}

/// A motion with its matrix at hand, for many points.
class MovedPlane {
 public:
  explicit MovedPlane(const PlaneMotion& m)
      : linear_(rotation_by_deg(m.rotation_deg) * matrix_of(m.turn)),
        offset_(m.pivot_mm + m.shift_mm - linear_ * m.pivot_mm),
        motion_(m) {}
  Eigen::Vector2d operator()(const Eigen::Vector2d& board_mm) const {
    return linear_ * stretched(board_mm, motion_) + offset_;
  }
  const Eigen::Matrix2d& linear() const { return linear_; }  // R T

 private:
  Eigen::Matrix2d linear_;
  Eigen::Vector2d offset_;
  PlaneMotion motion_;
};

/// 4x4 matrix of the way back, of a board as designed and without its stretch: from coordinates of the place in the recipe to the moved board's own.
Eigen::Matrix4d back_of(const PlaneMotion& motion);

/// Displacements of a place `arm` from the pivot by the unknowns of MotionFit::full (motion_fit.h), along the board's axes.
Eigen::Matrix<double, 2, 6> stretch_rows(const Eigen::Vector2d& arm_mm);

}  // namespace datum
