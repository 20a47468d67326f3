#include "tests/statistics/defect_case.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "daemon/inspection/recipe/defect_recipe.h"
#include "tests/virtual_cell/twin_random.h"
#include "tests/virtual_cell/twin_render.h"

namespace datum::statistics {
namespace {

using Eigen::Vector2d;

constexpr auto stream = static_cast<TwinStream>(102);  // of this file alone
constexpr double rad = std::numbers::pi / 180;
constexpr double inner_mm = 0.3, outer_mm = 1.3, between_mm = 2.5;
constexpr double place_mm = 0.02, turn_deg = 0.5, tilt_mdeg = 15,
                 height_share = 0.01;  // of good parts, standard deviations
constexpr double size_mm = 0.06;       // range of bodies' sizes about the nominal one
constexpr double upside_down = 1.28;   // height on its top, over its height
constexpr double min_size_mm = 0.8, min_height_um = 300;
constexpr double noise_um = 3;

constexpr std::array<Defect, 9> part_defects{Defect::missing,     Defect::tombstoned,    Defect::billboard,
                                             Defect::lifted_side, Defect::lifted_corner, Defect::shifted,
                                             Defect::rotated,     Defect::upside_down,   Defect::wrong_part};

class Drawer {
 public:
  Drawer(const PartSize& size, World world, int frame, std::uint64_t seed)
      : size_(size), world_(world), random_(seed, stream), seed_(seed) {
    const bool large = std::max(size.x_mm, size.y_mm) > 12;
    across_ = large ? 2 : 4;
    down_ = large ? 2 : 3;
    cell_ = Vector2d(size.x_mm, size.y_mm).array() + 2 * outer_mm + between_mm;
    if (size.x_mm == size.y_mm || large) cell_ = Vector2d::Constant(cell_.maxCoeff());
    board_.size_mm = {across_ * cell_.x(), down_ * cell_.y()};
    alt_height_um_ = uniform(-1, 0) < 0.5 ? 0.62 * size.height_um : 1.55 * size.height_um;
    alt_size_ = Vector2d(size.x_mm, size.y_mm) * (uniform(-1, 1) < 0.5 ? 1.0 : large ? 0.85 : 1.25);
    const int parts = across_ * down_;
    for (int i = 0; i < parts; ++i) {
      const int number = frame * (parts - 1) + i;
      // The last one is of the other package and always good.
      add(i, i + 1 < parts && number % 2 == 1
                 ? std::optional(part_defects[static_cast<std::size_t>(number / 2) % 9])
                 : std::nullopt);
    }
    scene_.foreign = frame % 2 == 1;
    if (scene_.foreign) add_foreign();
  }

  DefectScene draw() {
    set_recipe();
    TwinSensor sensor;
    sensor.serial = "twin";
    sensor.z.scale_mm = 0.001;  // a body on end stands higher than 16 bits of finer counts
    sensor.noise.white_um = noise_um;
    TwinView view;
    view.x = view.y = {size_.pitch_mm, -1};
    view.cols = static_cast<int>((board_.size_mm.x() + 2) / size_.pitch_mm);
    view.rows = static_cast<int>((board_.size_mm.y() + 2) / size_.pitch_mm);
    make_hostile(sensor, view);
    Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
    pose.translate(Eigen::Vector3d(size_.pitch_mm * uniform(-1, 2), size_.pitch_mm * uniform(-1, 3), -0.4));
    pose.rotate(Eigen::AngleAxisd(0.006 * (uniform(-1, 4) - 0.5), Eigen::Vector3d::UnitX()) *
                Eigen::AngleAxisd(0.006 * (uniform(-1, 5) - 0.5), Eigen::Vector3d::UnitY()));
    view.sensor_from_board = pose.matrix();
    scene_.recipe.machine_from_board = Htm<Machine, Board>(view.sensor_from_board);
    scene_.frame = render(look_at(board_, view), view, sensor, seed_);
    scene_.frame.frame_id = std::to_string(seed_);
    if (scene_.foreign) see_foreign(view);
    return std::move(scene_);
  }

 private:
  double uniform(int i, int use) const {
    return random_.uniform(static_cast<std::uint64_t>(100 + 40 * i + use));
  }
  double uniform(int i, int use, double low, double high) const {
    return low + (high - low) * uniform(i, use);
  }
  double normal(int i, int use) const {
    return random_.normal(static_cast<std::uint64_t>(1'000'000 + 40 * i + use));
  }
  double sign(int i, int use) const { return uniform(i, use) < 0.5 ? -1 : 1; }

  void add(int i, std::optional<Defect> defect) {
    const bool other = i + 1 == across_ * down_;
    Component c;
    c.reference = "P" + std::to_string(i + 1);
    c.package = other ? "ALT" : size_.name;
    c.body.centre_mm = {(i % across_ + 0.5) * cell_.x(), (i / across_ + 0.5) * cell_.y()};
    c.body.centre_mm += size_.pitch_mm * Vector2d(uniform(i, 0), uniform(i, 1));
    c.body.size_mm = other ? alt_size_ : Vector2d(size_.x_mm, size_.y_mm);
    c.body.rotation_deg = cell_.x() == cell_.y() ? 90.0 * static_cast<int>(4 * uniform(i, 2)) : 180 * (i % 2);
    c.nominal_height_um = other ? alt_height_um_ : size_.height_um;
    if (!other) c.upside_down_um = upside_down * size_.height_um;
    Check median;
    median.nominal = c.nominal_height_um;
    median.lower = 0.88 * c.nominal_height_um;
    median.upper = 1.12 * c.nominal_height_um;
    c.checks = {median};

    PartTruth t;
    t.defect = defect;
    t.offset_mm = place_mm * Vector2d(normal(i, 0), normal(i, 1));
    t.rotation_deg = turn_deg * normal(i, 2);
    TwinBody b;
    b.reference = c.reference;
    b.height_um = c.nominal_height_um * (1 + height_share * normal(i, 3));
    b.slope_x = std::tan(tilt_mdeg * 1e-3 * rad * normal(i, 4));
    b.slope_y = std::tan(tilt_mdeg * 1e-3 * rad * normal(i, 5));
    b.outline.size_mm = c.body.size_mm + size_mm * Vector2d(uniform(i, 3) - 0.5, uniform(i, 4) - 0.5);
    if (defect) spoil(i, c, b, t);
    b.outline.centre_mm = c.body.centre_mm + t.offset_mm;
    b.outline.rotation_deg = c.body.rotation_deg + t.rotation_deg;
    if (defect == Defect::tombstoned || defect == Defect::billboard)
      stand_up(i, c, b, defect == Defect::tombstoned);
    else
      board_.bodies.push_back(b);
    scene_.parts.push_back(t);
    scene_.recipe.components.push_back(c);
  }

  void spoil(int i, const Component& c, TwinBody& b, PartTruth& t) {
    const Vector2d size = c.body.size_mm;
    const double shorter = size.minCoeff(), limit = usual_shift_mm(c);
    // As far as the part still lies on half of its place.
    const auto rise = [&](int axis, int use) {
      return uniform(i, use, 150, std::min(400.0, 1e3 * 0.4 * size[axis]));
    };
    switch (*t.defect) {
      case Defect::missing:
        b.missing = true;
        break;
      case Defect::lifted_side: {
        const int axis = uniform(i, 10) < 0.5 ? 0 : 1;
        const double um = rise(axis, 11);
        (axis == 0 ? b.slope_x : b.slope_y) = sign(i, 12) * um * 1e-3 / size[axis];
        b.height_um += um / 2;
        t.flat = false;
        break;
      }
      case Defect::lifted_corner: {
        const double x_um = std::min(1e3 * 0.3 * size.x(), rise(0, 11)),
                     y_um = std::min(1e3 * 0.3 * size.y(), x_um * uniform(i, 12, 0.7, 1.4));
        b.slope_x = sign(i, 13) * x_um * 1e-3 / size.x();
        b.slope_y = sign(i, 14) * y_um * 1e-3 / size.y();
        b.height_um += (x_um + y_um) / 2;
        t.flat = false;
        break;
      }
      case Defect::shifted: {
        const double way = uniform(i, 10, 1.3 * limit, std::max(2 * limit, std::min(0.6 * shorter, 1.2)));
        const double to = uniform(i, 11, 0, 2 * std::numbers::pi);
        t.offset_mm = way * Vector2d(std::cos(to), std::sin(to));
        break;
      }
      case Defect::rotated:
        t.rotation_deg =
            sign(i, 10) * uniform(i, 11, 1.3 * usual_rotation_deg(c, limit), size.x() == size.y() ? 44 : 80);
        break;
      case Defect::upside_down:
        b.height_um = *c.upside_down_um * (1 + height_share * normal(i, 6));
        break;
      case Defect::wrong_part:
        b.outline.size_mm = alt_size_;
        b.height_um = alt_height_um_ * (1 + height_share * normal(i, 6));
        t.flat = false;
        break;
      default:
        t.flat = false;
    }
  }

  /// The part inclined about an edge of one end (or side), which stays on its place: the top and the face of the raised end.
  void stand_up(int i, const Component& c, TwinBody b, bool on_end) {
    const int axis = (c.body.size_mm.x() >= c.body.size_mm.y()) == on_end ? 0 : 1;
    const double turn = uniform(i, 10) < 0.5 ? 90 * rad : uniform(i, 11, on_end ? 50 : 78, 90) * rad;
    const double length = c.body.size_mm[axis], high = b.height_um * 1e-3, way = sign(i, 12);
    const double angle = c.body.rotation_deg * rad;
    const Vector2d x(std::cos(angle), std::sin(angle)),
        along = way * (axis == 0 ? x : Vector2d(-x.y(), x.x()));
    // Its solder holds an end over its pad, a side over both: not outside of its place.
    const double in_mm = on_end ? uniform(i, 13, 0.3, 1) * high * std::sin(turn)
                                : uniform(i, 13) * std::max(0.0, length - high) + high;
    const Vector2d foot = b.outline.centre_mm - (length / 2 - in_mm) * along;
    b.slope_x = b.slope_y = 0;
    const auto face = [&](double at_mm, double face_mm, double up_mm, double slope) {
      TwinBody f = b;
      f.outline.centre_mm = foot + at_mm * along;
      f.outline.size_mm[axis] = face_mm;
      f.height_um = up_mm * 1e3;
      (axis == 0 ? f.slope_x : f.slope_y) = way * slope;
      board_.bodies.push_back(f);
    };
    const double co = std::cos(turn), si = std::sin(turn);
    if (co > 0.05) face(length / 2 * co - high * si, length, length / 2 * si + high * co, si / co);
    face(length * co - high / 2 * si, high, length * si + high / 2 * co, -co / si);
  }

  void add_foreign() {
    TwinBody b;
    b.reference = "foreign";
    const int x = static_cast<int>(uniform(-2, 0) * (across_ - 1)),
              y = static_cast<int>(uniform(-2, 1) * (down_ - 1));
    b.outline.centre_mm = {(x + 1) * cell_.x() + uniform(-2, 2) - 0.5,
                           (y + 1) * cell_.y() + uniform(-2, 3) - 0.5};
    b.outline.size_mm = {uniform(-2, 4, 1, 2.2), uniform(-2, 5, 1, 2.2)};
    b.outline.rotation_deg = 180 * uniform(-2, 6);
    b.height_um = uniform(-2, 7, 1.4 * min_height_um, 1500);
    foreign_ = b;
    board_.bodies.push_back(b);
  }

  /// A blob of missing pixels may hide it.
  void see_foreign(const TwinView& view) {
    const TwinRect& r = foreign_.outline;
    const double angle = r.rotation_deg * rad;
    const Vector2d x(std::cos(angle), std::sin(angle)), y(-x.y(), x.x());
    int all = 0, seen = 0;
    for (int k = -4; k <= 4; ++k)
      for (int i = -4; i <= 4; ++i) {
        const Vector2d at = r.centre_mm + x * (r.size_mm.x() * i / 9) + y * (r.size_mm.y() * k / 9);
        const Eigen::Vector4d p = view.sensor_from_board * Eigen::Vector4d(at.x(), at.y(), 0, 1);
        const int col = static_cast<int>(std::lround((p.x() - view.x.offset_mm) / view.x.scale_mm)),
                  row = static_cast<int>(std::lround((p.y() - view.y.offset_mm) / view.y.scale_mm));
        ++all;
        seen += scene_.frame.class_at(row, col) == PixelClass::ok;
      }
    scene_.foreign_seen = static_cast<double>(seen) / all;
  }

  bool has(World world) const { return world_ == world || world_ == World::all; }

  void make_hostile(TwinSensor& sensor, TwinView& view) {
    TwinWorld& w = sensor.noise.world;
    double variance = noise_um * noise_um + 1.0 / 12;
    if (has(World::correlated)) {
      w.smooth = {{2, 2}, {1, 8}};
      variance += 5;
    }
    if (has(World::lines)) w.row_um = w.column_um = 1, variance += 2;
    if (has(World::missing)) w.missing_ratio = 0.15;
    if (has(World::blobs)) w.missing_blob_ratio = world_ == World::all ? 0.05 : 0.1;
    if (has(World::walls)) sensor.noise.dropout_ratio = 0.01, at_walls_ = true;
    if (has(World::spikes)) w.spike_ratio = 0.3, w.spike_um = 300, sensor.noise.outlier_ratio = 0.005;
    if (has(World::shadows)) view.shadow_slope = 0.25;
    if (world_ == World::all) {
      const Vector2d length = board_.size_mm / 100;
      board_.shape = {200 * normal(-1, 6) * length.x() * length.x(),
                      200 * normal(-1, 7) * length.y() * length.y(),
                      100 * normal(-1, 8) * length.x() * length.y()};
    }
    if (at_walls_) hide_walls();
    scene_.profile.serial = "twin";
    scene_.profile.noise = {{0.0}, {std::sqrt(variance)}};
    scene_.profile.z_min_mm = -30;
    scene_.profile.z_max_mm = 30;
  }

  /// Steep walls return no light: half of the pixels within two of them are without heights.
  void hide_walls() {
    const std::size_t parts = board_.bodies.size();
    for (std::size_t k = 0; k < parts; ++k) {
      const TwinBody b = board_.bodies[k];
      if (b.missing) continue;
      const double width = 4 * size_.pitch_mm, angle = b.outline.rotation_deg * rad;
      const Vector2d x(std::cos(angle), std::sin(angle)), y(-x.y(), x.x());
      const Vector2d size = b.outline.size_mm;
      for (const double way : {-1.0, 1.0}) {
        board_.darks.push_back({{b.outline.centre_mm + way * size.x() / 2 * x,
                                 {width, size.y() + width},
                                 b.outline.rotation_deg},
                                0.5,
                                0.5});
        board_.darks.push_back({{b.outline.centre_mm + way * size.y() / 2 * y,
                                 {size.x() + width, width},
                                 b.outline.rotation_deg},
                                0.5,
                                0.5});
      }
    }
  }

  void set_recipe() {
    Recipe& r = scene_.recipe;
    r.name = "defects";
    r.sha256 = std::to_string(seed_);
    r.sensor_serial = "twin";
    r.board_size_mm = board_.size_mm;
    r.in_machine_coordinates = false;
    r.floor.inner_margin_mm = inner_mm;
    r.floor.outer_margin_mm = outer_mm;
    r.uncertainty.position_mm = place_mm;
    DefectRecipe d;
    d.foreign.emplace();
    d.foreign->min_size_mm = min_size_mm;
    d.foreign->row.reference = "FOREIGN";
    d.foreign->row.package = foreign_package;
    Check check;
    check.characteristic = Characteristic::foreign_height;
    check.upper = min_height_um;
    check.expected = 0;
    d.foreign->row.checks = {check};
    r.defects = std::make_shared<DefectRecipe>(d);
  }

  const PartSize& size_;
  const World world_;
  const TwinRandom random_;
  const std::uint64_t seed_;
  int across_ = 0, down_ = 0;
  Vector2d cell_ = Vector2d::Zero(), alt_size_ = Vector2d::Zero();
  double alt_height_um_ = 0;
  bool at_walls_ = false;
  TwinBody foreign_;
  TwinBoard board_;
  DefectScene scene_;
};

}  // namespace

const std::vector<PartSize>& part_sizes() {
  static const std::vector<PartSize> sizes{
      {"0402", 1.0, 0.5, 350, 0.047},    {"0603", 1.6, 0.8, 450, 0.047}, {"1206", 3.2, 1.6, 550, 0.047},
      {"SOIC-8", 4.9, 3.9, 1600, 0.047}, {"QFN-7x7", 7, 7, 900, 0.047},  {"BGA-20x20", 20, 20, 1500, 0.094}};
  return sizes;
}

const char* name_of(World world) {
  static constexpr const char* names[] = {"white", "correlated", "lines",   "missing", "blobs",
                                          "walls", "spikes",     "shadows", "all"};
  return names[static_cast<std::size_t>(world)];
}

DefectScene defect_scene(const PartSize& size, World world, int frame, std::uint64_t seed) {
  return Drawer(size, world, frame, seed).draw();
}

}  // namespace datum::statistics
