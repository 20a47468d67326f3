#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "daemon/inspection/defects/terminal_planes.h"
#include "daemon/inspection/recipe/terminal_recipe.h"
#include "daemon/inspection/registration/plane_motion.h"
#include "daemon/inspection/registration/search_pairs.h"
#include "tests/statistics/terminal_campaign.h"
#include "tests/virtual_cell/twin_random.h"
#include "tests/virtual_cell/twin_render.h"

namespace datum::statistics {
namespace {

using Eigen::Vector2d;

constexpr auto stream = static_cast<TwinStream>(103);  // of this file alone
constexpr double pitch_mm = 0.047, noise_um = 3;
constexpr double ball_mm = 0.5, ball_um = 350, thickness_um = 1000, thickness_off_um = 20, foot_um = 150;
constexpr double stencil_um = 120, threshold_um = 50, paste_cell_mm = 2.4;

/// Something round that stands on what is below it: a ball's cap, or a cylinder.
struct Round {
  Vector2d at_mm;
  double radius_mm, um;
  bool ball;
};

class Drawer {
 public:
  Drawer(TerminalCase which, World world, int frame, std::uint64_t seed)
      : world_(world), frame_(frame), random_(seed, stream), seed_(seed) {
    if (which == TerminalCase::balls) {
      board_.size_mm = {26, 14};
      for (int i = 0; i < 2; ++i) add_balls(i);
    } else if (which == TerminalCase::leads) {
      board_.size_mm = {28, 15};
      for (int i = 0; i < 2; ++i) add_leads(i);
    } else {
      board_.size_mm = Vector2d(6 * paste_cell_mm, 4 * paste_cell_mm);
      outer_mm_ = 1.6;
      for (int i = 0; i < 24; ++i) add_paste(i);
    }
  }

  TerminalScene draw() {
    TwinSensor sensor;
    sensor.serial = "twin";
    sensor.noise.white_um = noise_um;
    TwinView view;
    view.x = view.y = {pitch_mm, -1};
    view.cols = static_cast<int>((board_.size_mm.x() + 2) / pitch_mm);
    view.rows = static_cast<int>((board_.size_mm.y() + 2) / pitch_mm);
    make_hostile(sensor, view);
    Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
    pose.translate(Eigen::Vector3d(pitch_mm * uniform(-1, 2), pitch_mm * uniform(-1, 3), -0.4));
    pose.rotate(Eigen::AngleAxisd(0.006 * (uniform(-1, 4) - 0.5), Eigen::Vector3d::UnitX()) *
                Eigen::AngleAxisd(0.006 * (uniform(-1, 5) - 0.5), Eigen::Vector3d::UnitY()));
    view.sensor_from_board = pose.matrix();
    set_recipe(view.sensor_from_board);
    TwinSurface surface = look_at(board_, view);
    raise(surface, view, pose.inverse());
    scene_.frame = render(surface, view, sensor, seed_);
    scene_.frame.frame_id = std::to_string(seed_);
    return std::move(scene_);
  }

 private:
  double uniform(int i, int use) const {
    return random_.uniform(static_cast<std::uint64_t>(1000 + 600 * i + use));
  }
  double normal(int i, int use) const {
    return random_.normal(static_cast<std::uint64_t>(1'000'000 + 600 * i + use));
  }
  /// Of terminals' heights; near ties, usual, bad.
  double spread_um(int i) const {
    constexpr double spreads[] = {1, 6, 20};
    return spreads[(frame_ + i) % 3];
  }

  static Check check_of(Characteristic what, double lower, double upper, double nominal) {
    Check c;
    c.characteristic = what;
    c.nominal = nominal;
    c.lower = lower;
    c.upper = upper;
    return c;
  }

  Component component(int i, const Vector2d& at_mm, const Vector2d& size_mm, double um) const {
    Component c;
    c.reference = "P" + std::to_string(i + 1);
    c.package = "P";
    c.body = {at_mm, size_mm, 0};
    c.nominal_height_um = um;
    return c;
  }

  void add_balls(int i) {
    Component c = component(i, {6.7 + 12.6 * i, 7}, {9, 9}, thickness_um);
    c.body.rotation_deg = 90.0 * static_cast<int>(4 * uniform(i, 0));
    auto t = std::make_shared<TerminalRecipe>();
    t->up = true;
    t->groups = {{TerminalShape::ball, {0, 0}, {8, 8}, {1, 1}, {ball_mm, ball_mm}}};
    c.terminals = t;
    c.checks = {check_of(Characteristic::coplanarity, -1e5, 1e5, 0),
                check_of(Characteristic::coplanarity_regression, -1e5, 1e5, 0),
                check_of(Characteristic::standoff, -1e5, 1e5, ball_um)};
    TwinBody b;
    b.reference = c.reference;
    b.height_um = c.nominal_height_um;
    b.slope_x = 1e-3 * normal(i, 1);
    b.slope_y = 1e-3 * normal(i, 2);
    b.outline = {c.body.centre_mm + 0.03 * Vector2d(normal(i, 3), normal(i, 4)), c.body.size_mm,
                 c.body.rotation_deg + 0.2 * normal(i, 5)};
    board_.bodies.push_back(b);
    const Eigen::Matrix2d axes =
        axes_of(c.body) * rotation_by_deg(b.outline.rotation_deg - c.body.rotation_deg);
    std::vector<Apex> truth;
    int k = 10;
    for (const TerminalPlace& p : places_of(*t)) {
      const double um = ball_um + spread_um(i) * normal(i, k++);
      truth.push_back({p.at_mm, um, 0});
      rounds_.push_back({b.outline.centre_mm + axes * p.at_mm, ball_mm / 2, um, true});
    }
    scene_.recipe.components.push_back(c);
    scene_.parts.push_back(
        {{*seating_coplanarity(truth), *regression_coplanarity(truth), seating_plane(truth)->c},
         std::nullopt});
  }

  void add_leads(int i) {
    Component c = component(i, {7.2 + 13.6 * i, 7.5}, {7, 7}, thickness_um + 60);
    c.floor_outline = BoardRect{c.body.centre_mm, {9.4, 9.4}, 0};
    auto t = std::make_shared<TerminalRecipe>();
    t->body_thickness_um = thickness_um;
    t->body_thickness_tolerance_um = thickness_off_um;
    for (int side = 0; side < 4; ++side) {
      const bool along_x = side < 2;
      const double out = (side % 2 ? 1 : -1) * 4.15;
      t->groups.push_back({TerminalShape::flat, along_x ? Vector2d(0, out) : Vector2d(out, 0),
                           along_x ? std::array<int, 2>{8, 1} : std::array<int, 2>{1, 8},
                           along_x ? Vector2d(0.8, 0) : Vector2d(0, 0.8),
                           along_x ? Vector2d(0.26, 0.5) : Vector2d(0.5, 0.26)});
    }
    c.terminals = t;
    c.checks = {check_of(Characteristic::terminal_range, -1e5, 1e5, 0),
                check_of(Characteristic::standoff, -1e5, 1e5, 60)};
    TwinBody b;
    b.reference = c.reference;
    const double thick = thickness_um + thickness_off_um * (2 * uniform(i, 1) - 1),
                 standoff = 60 + 15 * normal(i, 6);
    b.height_um = thick + standoff;
    b.outline = {c.body.centre_mm, c.body.size_mm, 0};
    board_.bodies.push_back(b);
    double low = 1e9, high = -1e9;
    int k = 10;
    for (const TerminalPlace& p : places_of(*t)) {
      TwinBody foot;
      foot.reference = "foot";
      foot.height_um = foot_um + spread_um(i) * normal(i, k++);
      low = std::min(low, foot.height_um);
      high = std::max(high, foot.height_um);
      // 20 um off its place; the stated region lies within it.
      foot.outline = {c.body.centre_mm + p.at_mm, p.group->size_mm + Vector2d(0.16, 0.16), 0};
      foot.outline.centre_mm += 0.02 * Vector2d(normal(i, 100 + k), normal(i, 200 + k));
      board_.bodies.push_back(foot);
    }
    scene_.recipe.components.push_back(c);
    scene_.parts.push_back({{high - low, standoff}, std::nullopt});
  }

  void add_paste(int i) {
    const bool round = i % 2 == 1;
    const Vector2d cell = Vector2d::Constant(paste_cell_mm);
    Component c = component(i, cell.cwiseProduct(Vector2d(i % 6 + 0.5, i / 6 + 0.5)),
                            round ? Vector2d(0.9, 0.9) : Vector2d(1.1, 0.7), stencil_um);
    c.body.centre_mm += pitch_mm * Vector2d(uniform(i, 0), uniform(i, 1));
    auto p = std::make_shared<PasteRecipe>();
    p->threshold_um = threshold_um;
    p->round = round;
    c.paste = p;
    c.checks = {check_of(Characteristic::paste_volume, 60, 140, 100),
                check_of(Characteristic::paste_area, 60, 140, 100),
                check_of(Characteristic::paste_height, 60, 180, stencil_um)};
    const double um = stencil_um * (1 + 0.1 * normal(i, 2)), grow = 1 + 0.05 * normal(i, 3);
    const Vector2d at = c.body.centre_mm + 0.03 * Vector2d(normal(i, 4), normal(i, 5));
    TerminalTruth truth;
    truth.values = {100 * grow * grow * um / stencil_um, 100 * grow * grow, um};
    const int number = frame_ * 24 + i;
    if (number % 10 == 3) truth.defect = Defect::missing;
    if (number % 10 == 6 && i % 6 != 5) truth.defect = Defect::bridged;
    if (truth.defect != Defect::missing) {
      if (round)
        rounds_.push_back({at, grow * c.body.size_mm.x() / 2, um, false});
      else
        add_box(at, grow * c.body.size_mm, um);
    }
    if (truth.defect == Defect::bridged)  // towards its right neighbour, which it makes bridged too
      add_box(c.body.centre_mm + Vector2d(cell.x() / 2, 0), {cell.x(), 0.2}, 90);
    scene_.recipe.components.push_back(c);
    if (i > 0 && i % 6 != 0 && scene_.parts.back().defect == Defect::bridged && !truth.defect &&
        scene_.parts.back().values.size() == 3)
      truth.defect = Defect::bridged, truth.values.push_back(0);  // not its own bridge
    scene_.parts.push_back(truth);
  }

  void add_box(const Vector2d& at, const Vector2d& size, double um) {
    TwinBody b;
    b.reference = "paste";
    b.height_um = um;
    b.outline = {at, size, 0};
    board_.bodies.push_back(b);
  }

  void raise(TwinSurface& surface, const TwinView& view, const Eigen::Isometry3d& board_from_sensor) const {
    for (int row = 0; row < view.rows; ++row)
      for (int col = 0; col < view.cols; ++col) {
        const std::size_t i = static_cast<std::size_t>(row) * static_cast<std::size_t>(view.cols) +
                              static_cast<std::size_t>(col);
        if (surface.classes[i] != PixelClass::ok) continue;
        const Eigen::Vector3d at =
            board_from_sensor * Eigen::Vector3d(view.x.at(col), view.y.at(row), surface.z_mm[i]);
        for (const Round& r : rounds_) {
          const double d = (at.head<2>() - r.at_mm).norm();
          if (d >= r.radius_mm) continue;
          const double fall = r.ball ? r.radius_mm - std::sqrt(r.radius_mm * r.radius_mm - d * d) : 0;
          const double up = r.um * 1e-3 - fall;
          if (up > 0) surface.z_mm[i] += up;
          break;
        }
      }
  }

  bool has(World world) const { return world_ == world || world_ == World::all; }

  void make_hostile(TwinSensor& sensor, TwinView& view) {
    TwinWorld& w = sensor.noise.world;
    double variance = noise_um * noise_um + 1.0 / 12;
    if (has(World::correlated)) w.smooth = {{2, 2}, {1, 8}}, variance += 5;
    if (has(World::lines)) w.row_um = w.column_um = 1, variance += 2;
    if (has(World::missing)) w.missing_ratio = world_ == World::all ? 0.03 : 0.05;
    if (has(World::blobs)) w.missing_blob_ratio = 0.01;
    if (has(World::walls)) sensor.noise.dropout_ratio = 0.01;
    if (has(World::spikes)) w.spike_ratio = 0.1, w.spike_um = 150, sensor.noise.outlier_ratio = 0.005;
    if (has(World::shadows)) view.shadow_slope = 0.1;
    if (world_ == World::all) board_.shape = {60 * normal(-1, 6), 60 * normal(-1, 7), 30 * normal(-1, 8)};
    scene_.profile.serial = "twin";
    scene_.profile.noise = {{0.0}, {std::sqrt(variance)}};
    scene_.profile.z_min_mm = -30;
    scene_.profile.z_max_mm = 30;
  }

  void set_recipe(const Eigen::Matrix4d& sensor_from_board) {
    Recipe& r = scene_.recipe;
    r.name = "terminals";
    r.sha256 = "0";
    r.board_size_mm = board_.size_mm;
    r.in_machine_coordinates = false;
    r.machine_from_board = Htm<Machine, Board>(sensor_from_board);
    r.sensor_serial = "twin";
    r.floor.inner_margin_mm = 0.3;
    r.floor.outer_margin_mm = outer_mm_;
    r.floor.neighbour_margin_mm = 0.2;
    r.floor.min_side_pixels = 20;
  }

  World world_;
  int frame_;
  TwinRandom random_;
  std::uint64_t seed_;
  TwinBoard board_;
  double outer_mm_ = 1.2;
  std::vector<Round> rounds_;
  TerminalScene scene_;
};

}  // namespace

const char* name_of(TerminalCase c) {
  static constexpr const char* names[] = {"balls", "leads", "paste"};
  return names[static_cast<std::size_t>(c)];
}

TerminalScene terminal_scene(TerminalCase which, World world, int frame, std::uint64_t seed) {
  return Drawer(which, world, frame, seed).draw();
}

}  // namespace datum::statistics
