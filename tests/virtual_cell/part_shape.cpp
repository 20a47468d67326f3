#include "tests/virtual_cell/part_shape.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <numbers>
#include <sstream>
#include <stdexcept>

namespace datum {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr double dent_bottom_mm = 2.5, dent_rim_mm = 4.5;  // radii
constexpr double post_width_mm = 1;

struct Block {
  int x0, x1, y0, y1;
  double level_mm;
};
// Separated from each other and from the chamfers, so that a wall's upright edge lies between two levels
// only.
constexpr Block blocks[] = {{30, 70, 46, 52, 5}, {8, 24, 42, 56, 2}};
// From below, under the dent.
constexpr Block pocket{54, 66, 32, 44, -1};

Vector2d turned(const Vector2d& v) { return {-v.y(), v.x()}; }

class Mesher {
 public:
  Mesher(const PartShape& shape, const PartDefects& defects)
      : shape_(shape),
        shift_(defects.hole_shift_mm),
        nx_(static_cast<int>(shape.size_mm.x())),
        ny_(static_cast<int>(shape.size_mm.y())) {
    for (std::size_t k = 0; k < shape.bores.size(); ++k)
      if (static_cast<int>(k) + 1 != defects.plugged) bores_.push_back(bore_of(shape.bores[k], defects.made));
    for (int i = 0; i < nx_; ++i)
      for (int k = 0; k < ny_; ++k) cell(i, k);
    for (int i = 0; i < nx_; ++i)
      side({i + 1.0, double(ny_)}, {double(i), double(ny_)}), side({double(i), 0}, {i + 1.0, 0});
    for (int k = 0; k < ny_; ++k)
      side({0, k + 1.0}, {0, double(k)}), side({double(nx_), double(k)}, {double(nx_), k + 1.0});
    if (shape.bores.empty()) {
      raised(shape.boss);
      raised(shape.cone);
      drilled(shape.hole, shift_);
    }
    for (const Bore& bore : bores_) drilled(bore.round, bore.off_mm);
    if (defects.dent_um != 0) dent(defects);
    if (defects.post_mm != 0) post(defects);
  }
  std::vector<PartFacet> take() { return std::move(facets_); }

 private:
  /// The square of grid cells around a bore, and where its circle lies beside the square's middle.
  struct Bore {
    PartRound round;
    Vector2d off_mm;
  };
  static Bore bore_of(const PartBore& bore, bool made) {
    const Vector2d middle = bore.center_mm.array().round();
    const double radius_mm = made ? bore.made_radius_mm : bore.radius_mm;
    const int half_cells = static_cast<int>(std::ceil(bore.radius_mm)) + 3;
    return {{middle, radius_mm, radius_mm, -1, half_cells},
            (made ? bore.made_center_mm : bore.center_mm) - middle};
  }
  bool is_bored(int i, int k) const {
    return std::any_of(bores_.begin(), bores_.end(), [&](const Bore& bore) { return in(bore.round, i, k); });
  }
  bool is_plain() const { return !shape_.bores.empty(); }

  void facet(const Vector3d& a, const Vector3d& b, const Vector3d& c) { facets_.push_back({a, b, c}); }
  void quad(const Vector3d& a, const Vector3d& b, const Vector3d& c, const Vector3d& d) {
    facet(a, b, c);
    facet(a, c, d);
  }

  double lower() const { return -shape_.size_mm.z(); }
  /// z of the plate's upper side at a grid point.
  double upper(const Vector2d& p) const {
    const double to_border = std::min({p.x(), p.y(), nx_ - p.x(), ny_ - p.y()});
    return std::min(0.0, to_border - shape_.chamfer_mm);
  }
  static Vector3d at(const Vector2d& p, double z) { return {p.x(), p.y(), z}; }

  static bool in(const PartRound& round, int i, int k) {
    return std::abs(i + 0.5 - round.center_mm.x()) < round.half_cells &&
           std::abs(k + 0.5 - round.center_mm.y()) < round.half_cells;
  }
  static bool in(const Block& b, int i, int k) { return i >= b.x0 && i < b.x1 && k >= b.y0 && k < b.y1; }
  double level(int i, int k) const {
    if (is_plain()) return 0;
    for (const Block& b : blocks)
      if (in(b, i, k)) return b.level_mm;
    return 0;
  }
  double lower(int i, int k) const { return !is_plain() && in(pocket, i, k) ? pocket.level_mm : lower(); }

  void cell(int i, int k) {
    const Vector2d a(i, k), b(i + 1, k), c(i + 1, k + 1), d(i, k + 1);
    const double z = level(i, k);
    const bool hole = is_plain() ? is_bored(i, k) : in(shape_.hole, i, k);
    if (is_plain() ? !hole : !in(shape_.boss, i, k) && !in(shape_.cone, i, k) && !hole) {
      const auto top = [&](const Vector2d& p) { return at(p, z + upper(p)); };
      // along the crease where two chamfers meet
      if ((2 * i + 1 < nx_) == (2 * k + 1 < ny_)) {
        quad(top(a), top(b), top(c), top(d));
      } else {
        quad(top(b), top(c), top(d), top(a));
      }
    }
    const double low = lower(i, k);
    if (!hole) quad(at(a, low), at(d, low), at(c, low), at(b, low));
    wall(b, c, z, level(i + 1, k));
    wall(c, d, z, level(i, k + 1));
    wall(b, c, lower(i + 1, k), low);
    wall(c, d, lower(i, k + 1), low);
  }
  /// Wall between a cell of level `inner` on the left of p -> q and one of level `outer` on its right.
  void wall(const Vector2d& p, const Vector2d& q, double inner, double outer) {
    if (inner > outer) quad(at(p, outer), at(q, outer), at(q, inner), at(p, inner));
    if (inner < outer) quad(at(q, inner), at(p, inner), at(p, outer), at(q, outer));
  }
  /// Side of the plate below p -> q, with the plate on the left.
  void side(const Vector2d& p, const Vector2d& q) {
    quad(at(p, lower()), at(q, lower()), at(q, upper(q)), at(p, upper(p)));
  }

  /// Grid points around the feature's square, anticlockwise.
  static std::vector<Vector2d> square(const PartRound& round) {
    std::vector<Vector2d> points;
    const int n = round.half_cells;
    Vector2d p(n, -n), step(0, 1);
    for (int side = 0; side < 4; ++side, step = turned(step))
      for (int i = 0; i < 2 * n; ++i, p += step) points.push_back(round.center_mm + p);
    return points;
  }
  /// Point of a circle in the direction of a point of the square.
  static Vector3d on_circle(const PartRound& round, const Vector2d& towards, const Vector2d& shift,
                            double radius, double z) {
    return at(round.center_mm + shift + radius * (towards - round.center_mm).normalized(), z);
  }

  template <class Strip>
  static void around(const PartRound& round, const Strip& strip) {
    const std::vector<Vector2d> points = square(round);
    for (std::size_t i = 0; i < points.size(); ++i) strip(points[i], points[(i + 1) % points.size()]);
  }

  void raised(const PartRound& r) {
    around(r, [&](const Vector2d& p, const Vector2d& q) {
      const auto foot = [&](const Vector2d& t) { return on_circle(r, t, {0, 0}, r.radius_mm, 0); };
      const auto end = [&](const Vector2d& t) { return on_circle(r, t, {0, 0}, r.end_radius_mm, r.end_mm); };
      quad(at(p, 0), at(q, 0), foot(q), foot(p));
      quad(foot(p), foot(q), end(q), end(p));
      facet(end(p), end(q), at(r.center_mm, r.end_mm));
    });
  }
  void drilled(const PartRound& r, const Vector2d& shift) {
    around(r, [&](const Vector2d& p, const Vector2d& q) {
      const auto mouth = [&](const Vector2d& t) { return on_circle(r, t, shift, r.radius_mm, 0); };
      const auto end = [&](const Vector2d& t, double z) {
        return on_circle(r, t, shift, r.end_radius_mm, z);
      };
      quad(at(p, 0), at(q, 0), mouth(q), mouth(p));
      quad(mouth(p), mouth(q), end(q, r.end_mm), end(p, r.end_mm));
      quad(end(p, r.end_mm), end(q, r.end_mm), end(q, lower()), end(p, lower()));
      quad(at(q, lower()), at(p, lower()), end(p, lower()), end(q, lower()));
    });
  }

  void dent(const PartDefects& defects) {
    for (PartFacet& f : facets_)
      for (Vector3d& v : f) {
        const double r = (v.head<2>() - defects.dent_center_mm).norm();
        if (v.z() != 0 || r >= dent_rim_mm) continue;
        const double t = std::max(0.0, (r - dent_bottom_mm) / (dent_rim_mm - dent_bottom_mm));
        v.z() -= 1e-3 * defects.dent_um * 0.5 * (1 + std::cos(std::numbers::pi * t));
      }
  }

  void post(const PartDefects& defects) {
    constexpr int sides = 24;
    const Vector2d& middle = defects.post_center_mm;
    const auto corner = [&](int i, double z) {
      const double turn = 2 * std::numbers::pi * i / sides;
      return at(middle + 0.5 * post_width_mm * Vector2d(std::cos(turn), std::sin(turn)), z);
    };
    for (int i = 0; i < sides; ++i) {
      quad(corner(i, 0), corner(i + 1, 0), corner(i + 1, defects.post_mm), corner(i, defects.post_mm));
      facet(corner(i, defects.post_mm), corner(i + 1, defects.post_mm), at(middle, defects.post_mm));
    }
  }

  const PartShape& shape_;
  Vector2d shift_;
  int nx_, ny_;
  std::vector<Bore> bores_;
  std::vector<PartFacet> facets_;
};

constexpr const char* allowed_text =
    "good, dent=UM, hole=DX:DY, post=MM, made or plugged=N, joined by commas";

double number_in(const std::string& word, const std::string& text) {
  std::size_t used = 0;
  double value = 0;
  try {
    value = std::stod(text, &used);
  } catch (const std::exception&) {
  }
  if (used == 0 || used != text.size() || !(std::abs(value) <= 2000))
    throw std::invalid_argument("'" + word + "': '" + text + "' is not a number up to 2000; " + allowed_text);
  return value;
}

}  // namespace

PartDefects parse_defects(const std::string& text) {
  PartDefects d;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    const std::size_t equals = word.find('='), colon = word.find(':');
    if (word.rfind("dent=", 0) == 0) {
      d.dent_um = number_in(word, word.substr(equals + 1));
    } else if (word.rfind("hole=", 0) == 0 && colon != std::string::npos) {
      d.hole_shift_mm = {number_in(word, word.substr(equals + 1, colon - equals - 1)),
                         number_in(word, word.substr(colon + 1))};
    } else if (word.rfind("post=", 0) == 0) {
      d.post_mm = number_in(word, word.substr(equals + 1));
    } else if (word == "made") {
      d.made = true;
    } else if (word.rfind("plugged=", 0) == 0) {
      d.plugged = static_cast<int>(number_in(word, word.substr(equals + 1)));
    } else if (word != "good") {
      throw std::invalid_argument("'" + word + "': " + allowed_text);
    }
  }
  if (!(d.post_mm >= 0 && d.post_mm <= 20))
    throw std::invalid_argument("'" + text + "': a post may be 0 to 20 mm high");
  if (!(d.hole_shift_mm.norm() <= 2))
    throw std::invalid_argument("'" + text + "': the hole may be shifted by 2 mm");
  return d;
}

std::vector<PartFacet> part_facets(const PartShape& shape, const PartDefects& defects) {
  return Mesher(shape, defects).take();
}

void write_stl(const std::filesystem::path& file, const std::vector<PartFacet>& facets) {
  std::ofstream out(file, std::ios::binary);
  const auto put = [&](const auto& value) { out.write(reinterpret_cast<const char*>(&value), sizeof value); };
  const std::array<char, 80> header{"virtual surface part, mm"};
  put(header);
  put(static_cast<std::uint32_t>(facets.size()));
  for (const PartFacet& f : facets) {
    const Vector3d normal = (f[1] - f[0]).cross(f[2] - f[0]).normalized();
    for (const Vector3d& v : {normal, f[0], f[1], f[2]})
      for (int k = 0; k < 3; ++k) put(static_cast<float>(v[k]));
    put(std::uint16_t{0});
  }
  if (!out.flush()) throw std::runtime_error(file.string() + ": can't be written");
}

}  // namespace datum
