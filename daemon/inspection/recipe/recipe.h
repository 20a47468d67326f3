// Recipe: measurements on a board, their floors and limits, and the decision rule.
//
// Board coordinates: mm, origin at the board's lower left corner, x right, y up, z up from the upper side.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calib/htm.h"
#include "daemon/inspection/recipe/filter_settings.h"
#include "gpu/plane_fit/plane_fit.h"

namespace datum {

namespace config {
class Problems;
class TomlParser;
}  // namespace config
struct SurfaceRecipe;    // daemon/inspection/surface/surface_recipe.h
struct WarpRecipe;       // daemon/inspection/board/warp_recipe.h
struct AlignmentRecipe;  // daemon/inspection/recipe/alignment_recipe.h
struct PasteRecipe;      // daemon/inspection/recipe/terminal_recipe.h
struct TerminalRecipe;   // daemon/inspection/recipe/terminal_recipe.h
struct ChartRules;       // daemon/inspection/recipe/chart_rules.h
struct CodeRegion;       // daemon/inspection/recipe/code_region.h
struct PanelRecipe;      // daemon/inspection/recipe/panel_recipe.h
struct DefectRecipe;     // daemon/inspection/recipe/defect_recipe.h

/// Rectangle in board coordinates; rotation counter-clockwise seen from above.
struct BoardRect {
  Eigen::Vector2d centre_mm = Eigen::Vector2d::Zero();
  Eigen::Vector2d size_mm = Eigen::Vector2d::Zero();
  double rotation_deg = 0;
};
struct BoardCircle {
  Eigen::Vector2d centre_mm = Eigen::Vector2d::Zero();
  double diameter_mm = 0;
};

/// Names after ISO 14405-1 where it has one: SA mean, SM median, SX maximum, SN minimum.
enum class Characteristic : std::uint8_t {
  mean,        // SA
  median,      // SM
  maximum,     // SX, after a 3 x 3 grey-scale opening
  minimum,     // SN
  percentile,  // P_q, nearest rank: z_(ceil(q n))
  top_mean,    // mean of the k highest
  tilt,        // angle between the least-squares plane of the top and the floor, in millidegrees
  presence,    // share of body pixels above half the nominal height, in permille
  // for a surface compared with its model
  profile,            // of a surface (ISO 1101), datum-referenced: twice the largest absolute deviation
  deviation_maximum,  // largest excess of material over the model
  deviation_minimum,  // largest lack of material: negative
  deviation_mean,     // area-weighted
  flatness,     // highest less lowest distance from the region's own least-squares plane (ISO 12781-1, FLTt)
  parallelism,  // highest less lowest distance from the datum's least-squares plane, along its normal (ISO 1101)
  thickness,  // between two parallel planes fitted jointly to region and datum (ISO 14405-1, GG)
  // for a board's own form (calib/warp/warp_shape.h)
  bow,             // IPC-TM-650 2.4.22: 100 R / L of the worst edge, in percent
  twist,           // 100 R / (2 D) of the fourth corner, in percent
  peak_to_valley,  // highest less lowest distance from the board's least-squares plane
  convexity,       // height of the middle over the corners; positive: convex (JESD22-B112)
  board_flatness,  // of the board under one component: IPC-9641's local area of interest
  // for a surface, area-weighted: least deviation that q of the area does not exceed
  deviation_percentile,
  // for a surface, by the facets of its model: the mean of the points in front of a facet (PFM), and the measured surface
  // along its normal (FFM), see facet_map.h; mean and percentile are area-weighted
  pfm_mean,
  pfm_maximum,
  pfm_minimum,
  pfm_percentile,
  ffm_mean,
  ffm_maximum,
  ffm_minimum,
  ffm_percentile,
  // for a hole of a part that is scanned, then touched: of its circle on the surface, in the model's coordinates
  position_x,     // centre less its place along the model's x
  position_y,     // and along y
  true_position,  // ISO 1101, cylindrical zone: twice the centre's distance from its place
  diameter,       // of the least-squares circle of touches (ISO 14405-1, GG)
  // of a component's own place: its body's edges, least squares, less the recipe's place
  offset_x,        // along the board's x, positive to the right
  offset_y,        // along the board's y, positive upwards
  offset,          // length of both
  rotation,        // counter-clockwise seen from above, in millidegrees
  foreign_height,  // of the highest object on bare board (daemon/inspection/defects/foreign_objects.h)
  // of a component's terminals (daemon/inspection/defects/terminal_planes.h)
  coplanarity,             // JESD22-B108: largest distance of an apex from the seating plane
  coplanarity_regression,  // the same from the regression plane through the farthest apex
  terminal_range,          // highest less lowest terminal over the floor
  standoff,                // of the body over the seating plane, or over the floor
  // of a deposit of solder paste (daemon/inspection/defects/paste_deposit.h)
  paste_volume,  // over that of its aperture, in percent
  paste_area,    // higher than the threshold, over its aperture's
  paste_height,  // mean over that area
};
inline constexpr Characteristic last_characteristic = Characteristic::paste_height;
/// Whether `parameter` is q in (0, 1).
bool has_quantile(Characteristic c);
/// Of facets: [facet_map] is needed.
bool is_of_facets(Characteristic c);
/// Of a component's own place: measured by its body's edges.
bool is_of_place(Characteristic c);
/// Of a component's terminals: [terminals] of it is needed.
bool is_of_terminals(Characteristic c);
/// Of a deposit of solder paste: [paste] of it is needed.
bool is_of_paste(Characteristic c);
/// Package of a row that is a touched hole, of one that is a region of a surface, and of foreign objects on a board.
inline constexpr const char* hole_package = "hole";
inline constexpr const char* surface_package = "surface";
inline constexpr const char* foreign_package = "bare_board";
const char* name_of(Characteristic c);  // "mean", "median", ... as in a recipe
const char* unit_of(Characteristic c);  // "um", "mdeg", "permille", "percent"

/// One requirement on a component. Values in unit_of(characteristic).
struct Check {
  Characteristic characteristic = Characteristic::median;
  double parameter = 0;                         // q in (0, 1) for percentiles, k for top_mean
  std::optional<double> nominal, lower, upper;  // at least one limit
  /// Value of a good part without stated nominal: a component's nominal height, 0 for a deviation.
  std::optional<double> expected = std::nullopt;
};

/// Value of a good part for a check with one limit: the nominal; else the natural end of the characteristic
/// on the other side (0 of a tilt, a form or a share; 1000 of a share with a lower limit); else `expected`.
std::optional<double> best_of(const Check& check);

/// Tolerance T of C_m = T / (4 u) (JCGM 106:2012, 7.6.3), in the check's unit. Two limits: upper - lower. One
/// limit, which the standard does not cover: 2 |limit - best_of|, so that C_m = |limit - best| / (2 u). In
/// both cases, at C_m = 1, U (k = 2) reaches from the middle, or the best value, to the limit, and guard
/// bands of 1.645 u leave 18 % of the tolerance. 0 where the best value is unknown; a recipe's reader refuses
/// such a check.
double tolerance_of(const Check& check);

struct Component {
  std::string reference;
  std::string package;
  BoardRect body;
  /// Outline of the floor ring where it surrounds more than the body (a die on its package); the ring's
  /// margins start here.
  std::optional<BoardRect> floor_outline;
  double nominal_height_um = 0;
  std::string nominal_source;         // where it comes from: "data sheet ..."; empty: not stated
  bool nominal_confirmed = true;      // false: nobody stands behind it, so that the component can't PASS
  std::optional<double> surface_um;   // as FloorSettings::surface_um, of this ring; none: that of [floor]
  std::vector<Check> checks;          // at least one
  bool warp_fallback = false;         // a refused ring may be replaced by the board's surface
  std::vector<std::string> overlaps;  // references of components whose bodies may overlap this one
  std::optional<double> upside_down_um = std::nullopt;        // height of the part where it lies on its top
  std::shared_ptr<const TerminalRecipe> terminals = nullptr;  // null: not looked at
  std::shared_ptr<const PasteRecipe> paste = nullptr;         // null: no deposit of paste
};

/// Reference surface of a height.
enum class FloorForm : std::uint8_t {
  plane,      // the ring's least-squares plane; the ring's bow enters U
  quadratic,  // the plane plus a quadratic through the ring: the board's surface under the body
};

struct FloorSettings {
  double inner_margin_mm = 0;      // distance of the ring's inner edge from the body
  double outer_margin_mm = 0;      // and of its outer edge
  double neighbour_margin_mm = 0;  // other bodies are cut out with this margin
  // Simulated with a level 35 um (7 sigma) higher on 30 % of the ring: at 1.5 and 3 the floor wins in 99 %
  // and the rms gate refuses the rest; at 2 and 4 a plane that bridges both levels wins in 4 to 7 %
  // (plane_fit_second_level_test).
  double threshold_sigmas = 1.5;      // consensus threshold t, in standard deviations of the sensor's noise
  double refit_threshold_sigmas = 3;  // inliers of the least-squares floor
  FitMode mode = FitMode::screened;
  FloorForm form = FloorForm::plane;
  double confidence = 1.0 - 1e-9;
  // Refusal gates (daemon/inspection/METROLOGY.md, S5).
  double min_inlier_ratio = 0.3;
  int min_sides = 3;          // 2 to 4
  int min_side_pixels = 200;  // inliers on a side for it to count
  double max_rms_sigmas = 1.2;
  double max_second_floor = 0.8;  // fullest other level's count over the floor's
  double max_tilt_deg = 5;        // floor against the sensor's z
  /// Standard deviation of the board from a plane within a ring: sag of a carrier. Parts of a ring within 3
  /// of it are one level.
  double form_um = 0;
  double surface_um = 0;  // half width of the rectangular term for an unknown surface (mask or copper), 25 um
                          // typical
};

struct BodySettings {
  double erode_px = 2;           // shrinkage of the body's outline for the top region
  double min_valid_ratio = 0.5;  // least share of pixels with a height, else INVALID
  int min_pixels = 6;  // with a height: a plane takes three degrees of freedom, so scatter and slopes remain
                       // defined
  // Clipped pixels are one-sided: the highest, the steepest, the brightest.
  /// Largest share of pixels of class OUT_OF_RANGE or SATURATED, else INVALID.
  double max_clipped_ratio = 0.01;
  /// Largest share of pixels without a height for the highest or lowest of all pixels.
  double max_missing_ratio = 0.1;
};

enum class DecisionRule : std::uint8_t { simple, iso14253 };

struct UncertaintySettings {
  double reproducibility_um = 0;  // standard uncertainty from a repeatability study (JCGM 200, 2.21)
  double position_mm = 0.05;      // standard uncertainty of a component's place on its board
  /// Origin of structure in the rings' residuals (rows, columns, low frequencies). False: the sensor, so tops
  /// have it too. True: the board's own form, which does not affect tops.
  bool ring_structure_is_board = false;
};

/// Required stage position of a snapshot.
struct SnapshotPose {
  std::string name;
  Eigen::Vector3d position_mm = Eigen::Vector3d::Zero();
  double tolerance_mm = 0;
};

/// What proves that all snapshots show the same board or part.
enum class OneBoard : std::uint8_t {
  time,     // nobody changes a board within timeout_ms
  unit,     // each snapshot names its unit: stated before its trigger, or by its frame's unit_id
  overlap,  // of a board: floors that two snapshots show agree, and lead from each snapshot to every other one
};

/// The snapshots of one board or part, in the order in which they are taken.
struct SnapshotPlan {
  std::vector<SnapshotPose> poses;  // none: one snapshot, wherever the stage stands
  int timeout_ms = 0;               // from one snapshot to the next
  OneBoard one_board = OneBoard::time;
  std::size_t count() const { return poses.empty() ? 1 : poses.size(); }
};

/// A person's word on components' heights (datumctl recipe confirm). datumd keeps it and decides nothing by it.
struct Confirmation {
  std::string by, at;  // ISO 8601 UTC
  std::vector<std::string> references, frames_sha256;
};

/// What a board without a serial number becomes.
enum class WithoutSerial : std::uint8_t {
  invalid,  // INVALID (SERIAL)
  unknown,  // it is "unknown-N", N its result's number
};

struct Recipe {
  std::string name;
  std::string sha256;  // of the file
  std::filesystem::path file;
  Eigen::Vector2d board_size_mm = Eigen::Vector2d::Zero();
  /// True: the board lies in machine coordinates and a calibration is required. False: in the sensor's own.
  bool in_machine_coordinates = true;
  Htm<Machine, Board> machine_from_board;  // Machine read as Sensor where in_machine_coordinates is false
  std::string sensor_serial;               // required of the frame
  FloorSettings floor;
  BodySettings body;
  DecisionRule rule = DecisionRule::iso14253;
  double rule_confidence = 0.95;
  UncertaintySettings uncertainty;
  std::optional<FilterSettings> filter;  // none: heights are measured as delivered
  std::vector<Component> components;
  std::vector<BoardRect> exclusions;  // pads, silkscreen, mask openings
  std::vector<BoardCircle> holes;
  std::vector<Confirmation> confirmations;
  SnapshotPlan snapshots;
  std::optional<WithoutSerial> without_serial;       // none: serial numbers are neither asked for nor counted
  std::shared_ptr<const CodeRegion> code;            // where the board shows its number; null: nowhere
  std::optional<std::int64_t> max_retests;           // of a number without a repair between; none: any
  std::shared_ptr<const WarpRecipe> warp;            // of the board's own form; null: not evaluated
  std::shared_ptr<const AlignmentRecipe> alignment;  // null: the board lies exactly in its place
  /// Boards of a panel that one frame shows; null: one board. The recipe then describes one of them, and machine_from_board is
  /// the place of the panel's lower left corner.
  std::shared_ptr<const PanelRecipe> panel;
  std::shared_ptr<const ChartRules> charts;     // rules that watch control limits; null: none do
  std::shared_ptr<const DefectRecipe> defects;  // null: parts that FAIL are named, by the usual limits
  /// For a part compared with its model; null: for a board. Its regions are the recipe's components.
  std::shared_ptr<const SurfaceRecipe> surface;

  /// A board that is larger than the field of view, seen in several snapshots.
  bool is_board_of_snapshots() const { return !surface && !snapshots.poses.empty(); }
  /// Each trigger takes one snapshot of several, or of a part.
  bool takes_snapshots() const { return surface || !snapshots.poses.empty(); }
};

/// Corners in board coordinates, mm, counter-clockwise from (-x, -y) in the rectangle's own axes.
std::array<Eigen::Vector2d, 4> corners_mm(const BoardRect& rect);

/// Reads and checks a recipe file. Throws config::ConfigError with file, line, column, key, fault and allowed
/// values.
Recipe load_recipe(const std::filesystem::path& file);
/// The same, collecting all problems instead of the first; the recipe is not usable where there is one.
/// `parser` parses it; null: in this process.
Recipe load_recipe(const std::filesystem::path& file, config::Problems& problems,
                   const config::TomlParser* parser = nullptr);
/// The same for a file's text; `name` is the file's name in messages.
Recipe recipe_from_text(std::string_view text, const std::string& name, config::Problems& problems,
                        const config::TomlParser* parser = nullptr);

}  // namespace datum
