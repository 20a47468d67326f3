#include "daemon/inspection/defects/defect_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "daemon/inspection/verdict/decision.h"
#include "daemon/inspection/verdict/fault_text.h"

namespace datum {
namespace {

constexpr double least_known_share = 0.5,
                 least_found_share = 0.3;  // of a place's pixels with heights: of an empty one, of others
constexpr double level_deg = 15;
constexpr double standing_deg = 30;  // an end raised by half the length
constexpr double
    taller = 1.3,
    shorter = 0.8;  // a standing part is so much higher, and shorter on the board, or nearer to its height
constexpr double most_misfit = 0.35;  // of a standing part: squared logarithms of two sizes and the height
constexpr double corner_share =
    0.45;                            // of the larger rise, that the smaller one has where a corner is lifted
constexpr double plane_share = 0.5;  // of a top's pixels on its plane, to speak of its slope
constexpr double outline_share = 0.15, outline_px = 2;  // another package's outline differs by more
constexpr double floor_share = 0.5;                     // of what an outline lacks, that is seen as floor
constexpr double most_missing_share = 0.15;  // of a place's pixels, for a place by the silhouette alone
constexpr double same_height_share = 0.1;    // of another package's height

bool failed(const std::vector<CheckVerdict>& checks, bool (*is_it)(Characteristic)) {
  return std::any_of(checks.begin(), checks.end(), [&](const CheckVerdict& v) {
    return v.decision == Decision::fail && is_it(v.check.characteristic);
  });
}
bool is_tilt(Characteristic c) { return c == Characteristic::tilt; }
bool is_rotation(Characteristic c) { return c == Characteristic::rotation; }
bool is_offset(Characteristic c) { return is_of_place(c) && c != Characteristic::rotation; }

class Rules {
 public:
  Rules(const Recipe& recipe, const Component& c, const PartSeen& seen,
        const std::vector<CheckVerdict>& checks)
      : recipe_(recipe),
        limits_(recipe.defects ? *recipe.defects : DefectRecipe{}),
        c_(c),
        s_(seen.silhouette),
        pixel_mm_(seen.pixel_mm),
        place_(seen.place),
        checks_(checks),
        nominal_(c.body.size_mm) {}

  DefectFinding finding() {
    if (s_.place == 0 || s_.place_valid < (s_.found ? least_found_share : least_known_share) * s_.place)
      return {{}, fmt::format("{} of its place's {} pixels have a height", s_.place_valid, s_.place)};
    DefectFinding f;
    f.word = word();
    if (!f.word) f.unseen = too_uncertain();
    return f;
  }

 private:
  std::optional<DefectEvidence> word() {
    if (must_be_empty(c_)) return not_empty();
    if (!s_.found) return missing();
    measure();
    if (auto d = standing()) return d;
    if (auto d = lifted()) return d;
    if (auto d = another()) return d;
    return stands_alone(c_) ? elsewhere() : std::nullopt;
  }

  DefectEvidence say(Defect word, std::string detail) const {
    DefectEvidence d = evidence_;
    d.word = word;
    d.detail = std::move(detail);
    return d;
  }

  std::optional<DefectEvidence> not_empty() const {
    if (!s_.found) return std::nullopt;
    return say(Defect::foreign_object,
               fmt::format("{:.0f} um high, {:.2f} x {:.2f} mm, where the recipe has an empty place",
                           s_.highest_um, s_.low.size_mm.x(), s_.low.size_mm.y()));
  }

  std::optional<DefectEvidence> missing() const {
    return say(Defect::missing,
               fmt::format("{:.0f} % of its place is higher than {:.0f} um, a quarter of its height",
                           100.0 * s_.place_raised / std::max(1u, s_.place_valid),
                           raised_share * c_.nominal_height_um));
  }

  /// Numbers of a flat part: by its edges where they are seen.
  void measure() {
    size_ = place_.place ? place_.place->size_mm : s_.half.size_mm;
    offset_ = place_.place ? place_.place->offset_mm : Eigen::Vector2d(s_.half.centre_mm - c_.body.centre_mm);
    rotation_deg_ = place_.place ? place_.place->rotation_deg : s_.half.rotation_deg;
    rise_um_ = 1e3 * s_.slope.cwiseProduct(s_.half.size_mm);
    evidence_.height_um = s_.top_um;
    evidence_.size_mm = {size_.x(), size_.y()};
    evidence_.rise_um = {rise_um_.x(), rise_um_.y()};
    evidence_.offset_um = {1e3 * offset_.x(), 1e3 * offset_.y()};
    evidence_.rotation_mdeg = 1e3 * rotation_deg_;
  }

  /// Squared logarithms of the ratios to a part that stands inclined by `turn` about an edge: along its long axis (an end on the
  /// board) or across it (a side).
  double misfit(const Eigen::Vector2d& seen, double high_um, int axis, double turn) const {
    const double length = nominal_[axis], high = c_.nominal_height_um * 1e-3;
    Eigen::Vector2d expected = nominal_;
    expected[axis] = length * std::cos(turn) + high * std::sin(turn);
    const double peak = length * std::sin(turn) + high * std::cos(turn);
    const Eigen::Array2d px = Eigen::Array2d::Constant(pixel_mm_);
    const Eigen::Array2d ratio = ((seen.array() + px) / (expected.array() + px)).log();
    const double height = std::log(high_um * 1e-3 / peak);
    return ratio.square().sum() + height * height;
  }

  std::optional<DefectEvidence> standing() const {
    const double slope_deg = std::atan(s_.slope.norm()) * 180 / std::numbers::pi;
    const bool inclined = slope_deg >= standing_deg && s_.top_share >= plane_share;
    // Spikes at walls rise through the lower level; only an inclined part needs it, whose lower half half of its height cuts off.
    const bool level = slope_deg < level_deg && s_.top_share >= plane_share;
    const SeenRect& rect = level ? s_.half : s_.low;
    const double high_um = level ? s_.top_um : s_.highest_um;
    Eigen::Vector2d seen = rect.size_mm;  // along the component's own axes
    if (std::abs(rect.rotation_deg) > 45) seen = Eigen::Vector2d(seen.y(), seen.x());
    const double high_mm = c_.nominal_height_um * 1e-3;
    bool shrunk = false;
    for (int k = 0; k < 2; ++k)
      shrunk = shrunk || (high_mm < 0.9 * nominal_[k] &&
                          seen[k] < std::max(shorter * nominal_[k], (nominal_[k] + high_mm) / 2));
    if (!inclined && !(high_um > taller * c_.nominal_height_um && shrunk)) return std::nullopt;
    double best = most_misfit;
    int axis = -1, at_deg = 90;
    for (int k = 0; k < 2; ++k)
      for (int turn_deg = 0; turn_deg <= 90; turn_deg += 5)
        if (const double m = misfit(seen, high_um, k, turn_deg * std::numbers::pi / 180); m < best)
          best = m, axis = k, at_deg = turn_deg;
    if (!inclined && at_deg < standing_deg) return std::nullopt;
    if (axis < 0 && inclined) axis = std::abs(s_.slope.x()) >= std::abs(s_.slope.y()) ? 0 : 1;
    if (axis < 0) return std::nullopt;
    const int along = nominal_.x() >= nominal_.y() ? 0 : 1;
    return say(
        axis == along ? Defect::tombstoned : Defect::billboard,
        fmt::format(
            "stands on {}: {:.0f} um high on {:.2f} x {:.2f} mm, in place of {:.0f} um on {:.2f} x {:.2f} mm",
            axis == along ? "an end" : "a side", high_um, seen.x(), seen.y(), c_.nominal_height_um,
            nominal_.x(), nominal_.y()));
  }

  std::optional<DefectEvidence> lifted() const {
    const Eigen::Vector2d rise = rise_um_.cwiseAbs();
    const bool beyond = rise.maxCoeff() > limits_.max_lift_um && s_.top_share >= plane_share;
    if (!beyond && !failed(checks_, is_tilt)) return std::nullopt;
    const char *x = rise_um_.x() > 0 ? "+x" : "-x", *y = rise_um_.y() > 0 ? "+y" : "-y";
    if (rise.minCoeff() >= corner_share * rise.maxCoeff())
      return say(Defect::lifted_corner,
                 fmt::format("its {} {} corner is {:.0f} um higher than the opposite one, {:g} are allowed",
                             x, y, rise.sum(), limits_.max_lift_um));
    return say(Defect::lifted_side,
               fmt::format("its {} side is {:.0f} um higher than the opposite one, {:g} are allowed",
                           rise.x() > rise.y() ? x : y, rise.maxCoeff(), limits_.max_lift_um));
  }

  std::optional<DefectEvidence> another() const {
    const double high = s_.top_um, nominal = c_.nominal_height_um, off = std::abs(high - nominal);
    const bool too_far = off > limits_.max_height_share * nominal;
    const std::string so = fmt::format("{:.0f} um high, nominal {:g}", high, nominal);
    if (too_far || failed(checks_, is_height)) {
      const auto is = [&](double um) {
        return std::abs(high - um) <= same_height_share * um && 3 * std::abs(high - um) < off;
      };
      if (c_.upside_down_um && is(*c_.upside_down_um))
        return say(Defect::upside_down, fmt::format("{} um; on its top it is {:g}", so, *c_.upside_down_um));
      for (const Component& other : recipe_.components)
        if (other.package != c_.package && is(other.nominal_height_um))
          return say(Defect::wrong_part,
                     fmt::format("{} um; {} is {:g} um high", so, other.package, other.nominal_height_um));
    }
    const Eigen::Vector2d wrong = (size_ - nominal_).cwiseAbs();
    // What it lacks must be seen as floor: missing pixels hide a part of the body too.
    const double lacking_px = (nominal_.prod() - size_.prod()) / (pixel_mm_ * pixel_mm_);
    const bool is_seen = s_.place_valid - s_.place_raised >= floor_share * lacking_px;
    const bool other_outline =
        stands_alone(c_) && !s_.cut && is_seen &&
        (wrong.array() > outline_share * nominal_.array() + outline_px * pixel_mm_).any();
    if (other_outline)
      return say(Defect::wrong_part,
                 fmt::format("its outline is {:.2f} x {:.2f} mm in place of {:.2f} x {:.2f} mm; {} um",
                             size_.x(), size_.y(), nominal_.x(), nominal_.y(), so));
    if (too_far) return say(Defect::wrong_height, so + " um");
    return std::nullopt;
  }

  double most_shift_mm() const { return limits_.max_shift_mm.value_or(usual_shift_mm(c_)); }
  double most_rotation_deg() const {
    return limits_.max_rotation_deg.value_or(usual_rotation_deg(c_, most_shift_mm()));
  }

  std::string too_uncertain() const {
    if (!stands_alone(c_) || !s_.found) return "";
    if (!place_.place)
      return s_.place_valid < (1 - most_missing_share) * s_.place
                 ? "too much of it is hidden, and " + place_.why
                 : "";
    double place2 = 0, turn2 = 0;
    for (const EdgeTerm& t : place_.place->terms) {
      place2 += t.place_mm.squaredNorm();
      turn2 += t.rotation * t.rotation;
    }
    const double mm = 2 * std::sqrt(place2), turn_deg = 2 * std::sqrt(turn2) * 180 / std::numbers::pi;
    if (mm <= most_shift_mm() && turn_deg <= most_rotation_deg()) return "";
    return fmt::format(
        "its place is known to {:.0f} um and {:.1f} degrees (k=2), more than a good part may be off",
        1e3 * mm, turn_deg);
  }

  std::optional<DefectEvidence> elsewhere() const {
    if (!too_uncertain().empty()) return std::nullopt;
    const double most_mm = most_shift_mm(), most_deg = most_rotation_deg();
    double shifted = offset_.norm() / most_mm, rotated = std::abs(rotation_deg_) / most_deg;
    if (failed(checks_, is_offset)) shifted = std::max(shifted, 1.01);
    if (failed(checks_, is_rotation)) rotated = std::max(rotated, 1.01);
    if (shifted <= 1 && rotated <= 1) return std::nullopt;
    const std::string by = fmt::format("by [{:.0f}, {:.0f}] um", 1e3 * offset_.x(), 1e3 * offset_.y()),
                      turned = fmt::format("by {:.1f} degrees", rotation_deg_);
    if (rotated > shifted)
      return say(Defect::rotated, fmt::format("{}, {:.3g} are allowed{}", turned, most_deg,
                                              shifted > 1 ? ", and shifted " + by : ""));
    return say(Defect::shifted, fmt::format("{}, {:.0f} um are allowed{}", by, 1e3 * most_mm,
                                            rotated > 1 ? ", and rotated " + turned : ""));
  }

  const Recipe& recipe_;
  const DefectRecipe limits_;
  const Component& c_;
  const PartSilhouette& s_;
  const double pixel_mm_;
  const PartPlaceResult& place_;
  const std::vector<CheckVerdict>& checks_;
  const Eigen::Vector2d nominal_;
  Eigen::Vector2d size_, offset_, rise_um_;
  double rotation_deg_ = 0;
  DefectEvidence evidence_;
};

}  // namespace

DefectFinding defect_of(const Recipe& recipe, const Component& c, const PartSeen& seen,
                        const std::vector<CheckVerdict>& checks) {
  return Rules(recipe, c, seen, checks).finding();
}

PartSeen look_at_part(const PartScene& scene) {
  const PartWindow window(scene);
  PartSeen seen;
  seen.pixel_mm = window.pixel_mm();
  seen.silhouette = silhouette_of(window, scene.component);
  seen.place = place_of(window, seen.silhouette, scene.component);
  return seen;
}

void doubt_passed(ComponentVerdict& row, const DefectFinding& finding, const Recipe& recipe) {
  if (!recipe.defects || !recipe.defects->beside_pass_invalid || row.decision != Decision::pass) return;
  if (!finding.word && finding.unseen.empty()) return;
  for (CheckVerdict& v : row.checks) {
    v.decision = Decision::invalid;
    v.reason = finding.word ? Reason::defect : Reason::body_edges;
    v.detail = finding.word ? defect_text(*finding.word) + "; no limit of the recipe is violated"
                            : "whether it is a good part is not seen: " + finding.unseen;
  }
  row.decision = worst_of(row.checks);
}

}  // namespace datum
