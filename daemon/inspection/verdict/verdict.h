// Verdict: the decision on a board, with all data needed to recompute it.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/controller/controller_state.h"
#include "daemon/inspection/recipe/recipe.h"
#include "daemon/inspection/verdict/overlap_evidence.h"
#include "daemon/inspection/verdict/reference_evidence.h"
#include "daemon/inspection/verdict/serial_evidence.h"
#include "daemon/inspection/verdict/warp_evidence.h"
#include "drivers/frame/height_frame.h"
#include "drivers/frame/probe_point.h"
#include "drivers/frame/step_record.h"

namespace datum {

/// Ordered from best to worst; a board has its worst component's decision.
enum class Decision : std::uint8_t { pass = 0, inconclusive = 1, fail = 2, invalid = 3 };
const char* name_of(Decision d);  // "PASS", "INCONCLUSIVE", "FAIL", "INVALID"
/// Exit status of a program that reports one verdict: 0 PASS, 1 FAIL, 2 INCONCLUSIVE, 3 INVALID.
int exit_status(Decision d);

/// Why a result is INVALID, or held at INCONCLUSIVE (or `none`).
enum class Reason : std::uint8_t {
  none,
  floor_too_few,  // not enough ring pixels with a height
  floor_no_consensus,
  floor_not_fixed,  // the inlier set did not converge
  floor_inlier_ratio,
  floor_sides,
  floor_rms,
  floor_second_level,
  floor_tilt,
  body_coverage,  // too few pixels with a height on the body
  out_of_view,    // body or ring outside the frame
  pose_missing,
  pose_stale,
  pose_moved,           // before and after differ by more than the tolerance
  pose_error,           // the CMM reported an error
  calibration,          // missing, expired, wrong sensor
  sensor_mismatch,      // frame from another sensor than the recipe's
  frame,                // the frame can't be used
  frame_stale,          // older than its limit, or with an impossible time
  uncertainty,          // C_m below 1: the measurement is too uncertain for this tolerance
  model,                // the part's model is not usable
  snapshots,            // missing, repeated, or taken at another position
  surface_coverage,     // too little of a region was measured, or with too large a gap
  surface_beyond,       // a point lies farther from the region than the search distance
  surface_fit,          // the region's points do not form a plane, or too narrow a one
  warp_model,           // the board's surface is undetermined: too few places, or degenerate ones
  warp_hull,            // a place outside the hull of the measured places
  warp_gap,             // a place too far from the measured places
  alignment,            // the board's place is undetermined, or too far from the recipe's
  frame_early,          // it arrived before the cell was armed, or before its unit's number
  frame_unproven,       // it may show an earlier trigger's board, or names another one
  frame_repeated,       // its pixels were delivered before
  body_clipped,         // too many pixels of the body out of the sensor's range or saturated
  surface_noise,        // a region's noise exceeds the sensor profile's
  surface_spot,         // pixels out of a limit: too few for an extreme, too many for noise
  hole_scan,            // a hole was not found in its snapshot, or the probe does not surely fit
  hole_touch,           // a hole was not touched, or not all round
  hole_mismatch,        // a hole's touches contradict its scan, or each other
  body_edges,           // too few of a body's edges are seen to say where it lies
  defect,               // a part whose limits pass it looks wrong by the rules of [defects]
  terminals,            // too few of its terminals are seen, or they bear no seating plane
  paste,                // a deposit's pixels are missing, none is seen, or it is joined to another's
  nominal_unconfirmed,  // measured, and held at INCONCLUSIVE: nobody stands behind the nominal height
  panel,  // a bad-board mark is doubtful, no board is left, or what was stated of the boards contradicts the recipe
  skipped,          // not measured: its board of the panel is marked or stated as bad
  serial,           // no serial number where the recipe asks for one, or two for one trigger
  reference_check,  // not measured: a reference check is due or has failed
  internal,
};
const char* name_of(Reason r);  // "FLOOR_INLIER_RATIO", ...

/// Evidence of a floor. Plane in um over um: z = a x + b y + c relative to (centre_x, centre_y) in sensor mm.
struct FloorEvidence {
  double a = 0, b = 0, c_um = 0;
  double centre_x_mm = 0, centre_y_mm = 0;
  double sigma_um = 0;  // the noise profile's sigma, from which thresholds were computed
  double rms_um = 0;
  double inlier_ratio = 0;                      // of valid ring pixels
  double second_floor = 0;                      // fullest other level's count over the floor's
  std::array<std::uint32_t, 4> side_inliers{};  // -x, +x, -y, +y side of the body in its own axes
  std::uint32_t pixels = 0, valid = 0, inliers = 0, hypotheses = 0, refits = 0;
  double effective_n = 0;  // n / (1 + 2 sum rho)
  double tilt_deg = 0;
  double form_um = 0;     // board under the body's centre over the plane, from a quadratic through the ring
  double u_form_um = 0;   // its standard uncertainty
  double noise_um = 0;    // of a pixel about its tile's mean: this frame's estimate of the sensor's noise
  double between_um = 0;  // standard deviation of the tiles' levels beyond noise: form of the floor
  /// Tiles of the ring, and the number of them on another level than the floor.
  std::optional<std::uint32_t> tiles, tiles_off;
};

struct UncertaintyTerm {
  std::string name;
  double u = 0;  // in the check's unit
};

struct CheckVerdict {
  Check check;
  Decision decision = Decision::invalid;         // by the recipe's rule
  Decision decision_simple = Decision::invalid;  // value against the limits alone
  Reason reason = Reason::none;
  std::string detail;     // text for the operator where INVALID
  double value = 0;       // unit_of(check.characteristic); meaningless where INVALID
  double u = 0;           // standard uncertainty; U = 2 u (k = 2)
  double p_conform = 0;   // JCGM 106: probability that the true value lies within the limits
  double capability = 0;  // C_m = T / (4 u), T from tolerance_of(check); 0 where u = 0
  std::vector<UncertaintyTerm> budget;
  std::optional<OverlapEvidence> overlap;  // of a board in several snapshots
};

/// Evidence of a region of a surface. Deviations in um over points of class face, weighted by area.
struct RegionEvidence {
  std::uint64_t points = 0, face = 0, edge = 0, rim = 0;
  std::uint64_t beyond = 0;   // nearest to a visible place of this region, but beyond the search distance
  std::uint64_t windows = 0;  // with all pixels on faces of the region: the source of extremes
  double area_mm2 = 0, covered_mm2 = 0;
  // NaN where not measured
  double mean_um = std::nan(""), rms_um = std::nan(""), p1_um = std::nan(""), p50_um = std::nan(""),
         p99_um = std::nan("");
  double lowest_um = std::nan(""), highest_um = std::nan("");  // over the windows
  std::array<double, 3> lowest_at_mm{}, highest_at_mm{};       // model coordinates
  /// Standard deviation of its pixels about the planes of tiles, and number of pixels per independent one;
  /// NaN where the region is too small.
  double noise_um = std::nan(""), correlated_px = std::nan("");
};

/// A hole from its scan to its touches; machine coordinates, mm. Numbers are NaN where it did not come so far.
struct HoleEvidence {
  std::string state;             // "DONE", "MISMATCH", "GUARD", "NO CONVERGENCE", "NOT FOUND", "NOT TOUCHED"
  Reason reason = Reason::none;  // why it has no value
  std::string detail;
  std::string frame_id, frame_sha256;                             // it was found in
  std::array<double, 3> scan_center_mm = none, scan_u_mm = none;  // u: of x, y and radius
  double scan_radius_mm = std::nan("");
  std::array<double, 3> center_mm = none, u_mm = none;  // by the last round of touches, on the surface
  double radius_mm = std::nan(""), form_mm = std::nan("");
  std::uint32_t touches = 0;
  std::string log;  // file that replays (datumctl hole replay)

  static constexpr std::array<double, 3> none{std::numeric_limits<double>::quiet_NaN(),
                                              std::numeric_limits<double>::quiet_NaN(),
                                              std::numeric_limits<double>::quiet_NaN()};
};

/// A floor from the board's surface, in place of a refused ring.
struct WarpFloorEvidence {
  Reason ring_reason = Reason::none;
  std::string ring_detail;
  double a = 0, b = 0, c_um = 0;  // as in FloorEvidence
  double form_um = 0;             // surface over that plane at the body's centre
  double u_um = 0;
  std::optional<WarpGapEvidence> largest_gap;  // of the ring's places and the body's centre
};

/// What is wrong with a part, in one word (daemon/inspection/METROLOGY.md, table of words).
enum class Defect : std::uint8_t {
  missing,
  tombstoned,   // stands on an end of its length
  billboard,    // stands on a long side
  lifted_side,  // one side is raised
  lifted_corner,
  shifted,
  rotated,
  upside_down,  // as high as the package on its top
  wrong_part,   // height or outline of another package
  wrong_height,
  foreign_object,  // lies where the recipe has bare board, or an empty place
  bridged,         // its paste joins that of another deposit
};
const char* name_of(Defect d);  // "missing", "lifted side", ...

/// A part's fault by the rules, with what was seen; NaN where not seen. Lengths and angles as of the characteristics.
struct DefectEvidence {
  Defect word = Defect::missing;
  std::string detail;  // in words, with numbers
  double height_um = std::nan("");
  std::array<double, 2> size_mm{std::nan(""), std::nan("")};  // along its own x and y
  std::array<double, 2> rise_um{std::nan(""), std::nan("")};  // of its top over that size
  std::array<double, 2> offset_um{std::nan(""), std::nan("")};
  double rotation_mdeg = std::nan("");
};

struct ComponentVerdict {
  std::string reference, package;
  std::optional<RegionEvidence> region;  // for a surface; a floor's evidence otherwise
  std::optional<HoleEvidence> hole;      // for a touched hole
  std::optional<WarpEvidence> warp;      // for the board's own row, which has no floor
  std::optional<WarpFloorEvidence> warp_floor;
  Decision decision = Decision::invalid;  // worst of its checks
  std::optional<DefectEvidence> defect;   // none: no word fits
  FloorEvidence floor;
  std::uint32_t body_pixels = 0, body_valid = 0;
  std::vector<CheckVerdict> checks;
  std::optional<ShownIn> shown;  // of a board of several snapshots
};

/// Pairing of a frame and a position in time.
enum class PairingClass : std::uint8_t {
  stare
};                                    // the machine stood still from before to after the exposure
const char* name_of(PairingClass c);  // "STARE"

/// Source of the exposure time.
enum class ExposureBy : std::uint8_t {
  arrival,  // between the position before and the frame's arrival, by the trigger's sequence
  clock,    // the sensor's stamp, with its clock related to the host's
};
const char* name_of(ExposureBy e);  // "ARRIVAL", "CLOCK"

struct PairingEvidence {
  PairingClass pairing = PairingClass::stare;
  ExposureBy exposure = ExposureBy::arrival;
  double spread_ms = 0;       // from the earliest exposure to the latest instant of the position
  double speed_um_per_s = 0;  // largest average speed of the machine in between
  double u_um = 0;  // standard uncertainty of the position at the exposure: speed x spread / sqrt(3)
};

/// Stop-and-stare pairing: the positions before and after the frame.
struct Pose {
  bool used = false;  // false: no CMM is configured for this cell
  ProbePoint before, after;
  double moved_um = 0;
  std::optional<PairingEvidence> pairing;  // of two good positions
  Reason reason = Reason::none;
  std::string detail;
  std::array<double, 3> q_mm{};  // stage position used with the calibration (after)
};

/// One frame of a surface and its pairing.
struct SnapshotEvidence {
  std::string name;  // of its pose, or its number from 1
  std::string frame_id, frame_source, frame_sha256;
  CaptureTime captured;
  std::optional<SensorStamp> stamp;
  Pose pose;
  std::vector<StepRecord> stages;  // of its frame
  std::uint64_t pixels = 0, valid = 0;
  std::optional<std::string> missing;  // of a board: why nothing was measured in it
};

/// One fit of a part's alignment: to a datum, or to all of them in the refinement.
struct AlignmentStep {
  std::string region;                                                   // "" for the refinement
  std::uint64_t points = 0, tiles = 0, directions = 0, iterations = 0;  // directions: those determined
  double rms_before_um = 0, rms_after_um = 0;                           // of the distances from the model
  double condition = 0;  // smallest resistance of its directions over the largest, 0 to 1
  std::optional<double> off_um,
      off_pull_um;  // largest deviating tile; shift of the part by those tiles
};

/// Placement of a part by alignment.
struct AlignmentEvidence {
  std::vector<AlignmentStep> datums;
  double shift_mm = 0, turn_mrad = 0;       // from the recipe's placement, by the datums
  std::array<double, 36> covariance{};      // of model_from_machine, row by row: rad^2, rad mm, mm^2
  std::optional<AlignmentStep> refinement;  // if the recipe allows it
  double refinement_shift_um = 0, refinement_turn_urad = 0;
  std::vector<std::string> untold;  // directions left unchanged by the refinement
};

/// Pixels removed by a recipe's mask from all snapshots together.
struct MaskEvidence {
  std::string name;
  std::uint64_t pixels = 0;
};

/// Model and settings of a surface comparison.
struct SurfaceEvidence {
  std::string model, model_sha256;
  double mm_per_unit = 0;
  std::uint64_t facets = 0, degenerate_facets = 0, open_edges = 0, branched_edges = 0,
                contradicted_normals = 0;
  std::array<double, 16> machine_from_model{};  // row by row, lengths in mm
  std::optional<AlignmentEvidence> alignment;   // none: the placement was used
  std::vector<SnapshotEvidence> snapshots;
  std::optional<std::vector<MaskEvidence>> masks;  // for a recipe with masks
  std::uint64_t points = 0;                        // with a height
  /// Number of points farther than the search distance before or behind the model along their rays; explained
  /// without a deviation, beside the model or a step of it.
  std::uint64_t beyond = 0, hidden = 0;
};

/// Age of a frame when its board was measured.
struct FrameAge {
  std::optional<double> at_most_ms;  // none: unknown
  std::optional<double> allowed_ms;  // none: no limit configured
  std::string by;                    // the clock: "sensor", "utc", "host_monotonic"; "arrival": none
};

/// One board of a panel. Its rows in BoardVerdict::components have its name behind their reference: "U4@2-3".
struct PanelBoard {
  std::string name;     // its place: "COLUMN-ROW", or as in the recipe
  std::string unit_id;  // its serial number; empty: not stated
  std::optional<Decision>
      decision;                  // worst of its components; none: skipped, for it is marked or stated as bad
  Reason reason = Reason::none;  // of the board as a whole
  std::string detail;            // the same in words, or why it is skipped
  std::vector<StepRecord> stages;  // its registration
  std::optional<ComponentVerdict>
      mark;  // its bad-board mark; PASS of the check of the height: something is there
  std::optional<std::uint64_t>
      attempt{};  // of its number with this recipe, assigned by the store as SerialEvidence::attempt
};
/// "SKIPPED", or the decision's name.
const char* word_of(const PanelBoard& board);

/// Number of a panel's boards by verdict.
struct BoardCounts {
  std::array<std::uint32_t, 4> of{};  // by Decision
  std::uint32_t skipped = 0;
};
BoardCounts counts_of(const std::vector<PanelBoard>& boards);

struct BoardVerdict {
  Decision decision = Decision::invalid;
  Reason reason = Reason::none;  // of the board as a whole
  std::string detail;

  std::uint64_t sequence = 0;            // assigned by the store
  std::string store_id;                  // assigned by the store
  std::string measured_at;               // ISO 8601 UTC
  std::string unit_id;                   // the board's serial number if the operator gave one
  std::optional<SerialEvidence> serial;  // where the recipe has [serial]

  std::string recipe, recipe_sha256;
  DecisionRule rule = DecisionRule::iso14253;
  double rule_confidence = 0;
  std::string calibration, calibration_sha256;  // "none" and "" in sensor coordinates
  std::optional<std::string> calibration_head;  // position of the head that it was made at
  std::string sensor_serial, sensor_profile_sha256;
  std::string frame_id, frame_source, frame_sha256;
  CaptureTime captured;
  std::optional<FrameAge> frame_age;
  std::optional<SensorStamp> stamp;            // of a sensor with frame counter and encoder
  std::string code;                            // version and commit
  std::string backend;                         // "cpu avx512 x2"
  std::optional<ControllerState> controller;   // its state then; none where not monitored
  std::optional<ReferenceEvidence> reference;  // none: the cell has no reference checks
  Pose pose;
  std::vector<StepRecord> stages;  // processing steps of the frame's heights; empty: the sensor's own
  /// Of a board of several snapshots, one for each pose; frame and pose above are of the last one that came.
  std::vector<SnapshotEvidence> snapshots;
  /// For a part compared with its model; frame and pose above are its last ones.
  std::optional<SurfaceEvidence> surface;
  std::vector<PanelBoard> boards;  // of a panel, in the order of its places; empty: one board
  std::vector<ComponentVerdict> components;
};

/// Whether it belongs to a bad board of a panel. Its checks are INVALID (SKIPPED) and decide nothing.
bool is_skipped(const ComponentVerdict& component);
/// Number of components by decision, without those of skipped boards.
std::array<std::uint32_t, 4> component_counts(const BoardVerdict& verdict);

/// The whole verdict as one JSON object with stable key order. Numbers read back as the same double (NaN and
/// infinities are written as null and read back as NaN). Units are in key names; invalid UTF-8 is repaired.
std::string to_json(const BoardVerdict& verdict);
/// Inverse of to_json; throws std::runtime_error that names the missing or wrong key.
BoardVerdict verdict_from_json(const std::string& json);

}  // namespace datum
