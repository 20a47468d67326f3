#include "calib/registration/registration.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <cstdio>

namespace datum {

namespace {

// Up to six directions are judged together: 3.5 standard uncertainties are exceeded with 0.3 % for all of
// them.
constexpr double beyond_chance = 3.5;
// Poses that differ by less at the overlap are one convention.
constexpr double same_mm = 1e-3;

template <class... Values>
std::string text(const char* format, Values... values) {
  char line[320];
  std::snprintf(line, sizeof line, format, values...);
  return line;
}

void check(const Snapshot& s) {
  if (!s.frame) throw CalibrationError("registration: a snapshot without frame");
  if (s.frame->delivered == Handedness::left && !s.frame->mirrored)
    throw CalibrationError("registration: frame " + s.frame->frame_id +
                           " is left-handed: mirror it at ingest");
  if (!s.q_mm.allFinite()) throw CalibrationError("registration: a stage position that is no number");
}

void check(const SnapshotCheckSettings& s) {
  const auto need = [](bool fine, const char* name, double value, const char* allowed) {
    if (!fine) throw CalibrationError(text("registration: %s = %g; allowed: %s", name, value, allowed));
  };
  need(s.noise_sigma_mm > 0 && std::isfinite(s.noise_sigma_mm), "noise_sigma_mm", s.noise_sigma_mm,
       "above 0");
  need(s.least_samples >= 100, "least_samples", s.least_samples, "100 and more");
  need(s.most_outliers > 0 && s.most_outliers < 0.5, "most_outliers", s.most_outliers, "above 0, below 0.5");
}

class Pair {
 public:
  Pair(const Snapshot& a, const Snapshot& b, const SnapshotModel& model,
       const SnapshotCheckSettings& settings)
      : a_(a), b_(b), model_(model), settings_(settings) {}

  /// `beside_mm`: b lies beside the place where the convention has it.
  ShiftFit fit(Convention convention, const Eigen::Vector3d& beside_mm = Eigen::Vector3d::Zero()) const {
    const Eigen::Matrix4d pose_a = pose_of(model_, a_.q_mm, convention);
    Eigen::Matrix4d pose_b = pose_of(model_, b_.q_mm, convention);
    pose_b.topRightCorner<3, 1>() += beside_mm;
    const OverlapSettings overlap{settings_.noise_sigma_mm};
    return fit_shift(
        [&](const Eigen::Matrix4d& moved) -> std::vector<OverlapSample> {
          return overlap_samples(*a_.frame, pose_a, *b_.frame, moved * pose_b, overlap);
        },
        expected());
  }
  Eigen::Matrix3d expected() const { return difference_covariance(model_, a_.q_mm, b_.q_mm); }
  bool enough(const ShiftFit& f) const {
    return f.samples >= static_cast<std::size_t>(settings_.least_samples);
  }
  bool one_surface(const ShiftFit& f) const {
    return enough(f) && f.outlier_share <= settings_.most_outliers;
  }

  /// The shift's largest component in standard uncertainties, over the determined directions.
  double in_sigmas(const ShiftFit& f) const {
    Matrix6d c = f.covariance_mm2;
    c.bottomRightCorner<3, 3>() += expected();
    double largest = 0;
    for (int i = 0; i < 6; ++i)
      if (f.told(i, i) > 0.5) largest = std::max(largest, std::abs(f.shift_mm[i]) / std::sqrt(c(i, i)));
    return largest;
  }
  bool explains(const ShiftFit& f) const { return one_surface(f) && in_sigmas(f) <= beyond_chance; }

  /// The overlap has parts that lie in one place under this convention, and not where b is moved along the axis by about a part.
  bool has_texture(Convention convention, int axis) const {
    constexpr double beside_mm = 2;
    const ShiftFit beside = fit(convention, beside_mm * Eigen::Vector3d::Unit(axis));
    return enough(beside) && !explains(beside);
  }

  /// Displacement between a mistake's model and the stated model at the overlap.
  double differs_mm(Convention mistake) const {
    const auto b_to_a = [&](Convention c) -> Eigen::Matrix4d {
      return pose_of(model_, a_.q_mm, c).inverse() * pose_of(model_, b_.q_mm, c);
    };
    return (b_to_a(mistake) - b_to_a(Convention::as_stated)).topRightCorner<3, 1>().norm();
  }

 private:
  const Snapshot &a_, &b_;
  const SnapshotModel& model_;
  const SnapshotCheckSettings& settings_;
};

/// False where the mistake changes nothing in the model: a squareness of zero equals its reversal.
bool can_differ(const SnapshotModel& model, Convention mistake) {
  const Eigen::Vector3d q_mm(101, 103, 107);  // far on every axis, all different
  return (pose_of(model, q_mm, mistake) - pose_of(model, q_mm, Convention::as_stated)).norm() >= same_mm;
}

std::string list_of(const std::vector<Convention>& conventions) {
  std::string list;
  for (const Convention c : conventions) list += (list.empty() ? "" : ", ") + std::string(name_of(c));
  return list;
}

std::string axes_not_told(const ShiftFit& f) {
  std::string axes;
  for (int i = 0; i < 3; ++i)
    if (!f.tells(i)) axes += (axes.empty() ? "" : ", ") + std::string(1, "xyz"[i]);
  return axes;
}

std::string words_for(const PairReport& r) {
  const Eigen::Vector3d d = r.shift.shift_mm.tail<3>();
  const std::string which = text("snapshots %zu and %zu: ", r.a, r.b);
  const std::string shift = text("shifted by %+.4f %+.4f %+.4f mm", d.x(), d.y(), d.z());
  switch (r.agreement) {
    case Agreement::too_little:
      return which + text("only %zu samples overlap: nothing is shown", r.shift.samples);
    case Agreement::contradicts:
      return which +
             text(
                 "%.0f %% of the overlap lies off the surface, whatever the convention: was the right stage "
                 "position reported with each snapshot, and did the part stay in place?",
                 100 * r.shift.outlier_share);
    case Agreement::wrong_convention: {
      std::string remedies;
      for (const Convention c : r.explained_by)
        remedies += (remedies.empty() ? "" : "; or: ") + std::string(remedy_of(c));
      return which + list_of(r.explained_by) + " explains what they show: " + remedies;
    }
    default:
      break;
  }
  std::string words = which + shift;
  if (r.agreement == Agreement::exceeds) words += ", more than the calibration and the stage explain";
  if (const auto axes = axes_not_told(r.shift); !axes.empty())
    words += "; the overlap has no texture that would determine " + axes;
  if (!r.not_excluded.empty()) words += "; not excluded: " + list_of(r.not_excluded);
  return words;
}

}  // namespace

const char* name_of(Agreement agreement) {
  switch (agreement) {
    case Agreement::agrees:
      return "AGREES";
    case Agreement::exceeds:
      return "EXCEEDS";
    case Agreement::wrong_convention:
      return "WRONG_CONVENTION";
    case Agreement::contradicts:
      return "CONTRADICTS";
    case Agreement::too_little:
      return "TOO_LITTLE";
  }
  return "?";
}

PairReport compare(const Snapshot& a, const Snapshot& b, const SnapshotModel& model,
                   const SnapshotCheckSettings& settings) {
  check(settings);
  check(a);
  check(b);
  const Pair pair(a, b, model, settings);
  PairReport report;
  report.shift = pair.fit(Convention::as_stated);
  report.expected_mm2 = pair.expected();
  const bool agrees = pair.explains(report.shift);
  for (const Convention mistake : mistakes()) {
    if (pair.differs_mm(mistake) < same_mm) {  // the stage's motion does not distinguish the two
      if (agrees && can_differ(model, mistake)) report.not_excluded.push_back(mistake);
      continue;
    }
    const ShiftFit other = pair.fit(mistake);
    if (agrees && (!pair.enough(other) || pair.explains(other))) report.not_excluded.push_back(mistake);
    // Bare board fits any other bare board: only texture identifies a mistake.
    if (!agrees && pair.explains(other) && other.tells(0) && other.tells(1))
      report.explained_by.push_back(mistake);
  }
  if (agrees)
    report.agreement = Agreement::agrees;
  else if (!report.explained_by.empty())
    report.agreement = Agreement::wrong_convention;
  else if (!pair.enough(report.shift))
    report.agreement = Agreement::too_little;
  else
    report.agreement = pair.one_surface(report.shift) ? Agreement::exceeds : Agreement::contradicts;
  report.text = words_for(report);
  return report;
}

RegistrationReport check_registration(std::span<const Snapshot> snapshots, const SnapshotModel& model,
                                      const SnapshotCheckSettings& settings) {
  RegistrationReport report;
  std::vector<std::size_t> group(snapshots.size());
  for (std::size_t i = 0; i < group.size(); ++i) group[i] = i;
  bool contradicted = snapshots.empty();
  bool first = true;
  for (std::size_t i = 0; i < snapshots.size(); ++i) {
    for (std::size_t k = i + 1; k < snapshots.size(); ++k) {
      PairReport pair = compare(snapshots[i], snapshots[k], model, settings);
      pair.a = i;
      pair.b = k;
      pair.text = words_for(pair);
      const bool hangs = pair.agreement == Agreement::agrees || pair.agreement == Agreement::exceeds;
      contradicted |= !hangs && pair.agreement != Agreement::too_little;
      if (hangs) std::replace(group.begin(), group.end(), std::size_t{group[k]}, std::size_t{group[i]});
      if (pair.agreement == Agreement::agrees) {
        std::erase_if(report.not_excluded, [&](Convention c) {
          return std::find(pair.not_excluded.begin(), pair.not_excluded.end(), c) == pair.not_excluded.end();
        });
        if (first) report.not_excluded = pair.not_excluded;
        first = false;
      }
      if (pair.agreement != Agreement::too_little) report.text += pair.text + "\n";
      report.pairs.push_back(std::move(pair));
    }
  }
  const bool together = std::all_of(group.begin(), group.end(), [&](std::size_t g) { return g == group[0]; });
  if (!together) report.text += "the snapshots do not hang together by overlaps: take some in between\n";
  report.usable = together && !contradicted;
  return report;
}

std::vector<Convention> mistaken_conventions(std::span<const Snapshot> snapshots, const SnapshotModel& model,
                                             const SnapshotCheckSettings& settings) {
  check(settings);
  for (const Snapshot& s : snapshots) check(s);
  struct Neighbours {
    Pair pair;
    bool agrees;
  };
  std::vector<Neighbours> neighbours;
  bool contradicted = false;
  for (std::size_t i = 1; i < snapshots.size(); ++i) {
    const Pair pair(snapshots[i - 1], snapshots[i], model, settings);
    const ShiftFit stated = pair.fit(Convention::as_stated);
    neighbours.push_back({pair, pair.explains(stated)});
    contradicted |= pair.enough(stated) && !neighbours.back().agrees;
  }
  std::vector<Convention> found;
  for (const Convention mistake : mistakes()) {
    if (!contradicted) break;
    bool told[2] = {false, false};  // across x, y, by what it brings together: bare board fits any other
    const bool stands = std::all_of(neighbours.begin(), neighbours.end(), [&](const Neighbours& n) {
      if (n.pair.differs_mm(mistake) < same_mm) return true;
      const ShiftFit other = n.pair.fit(mistake);
      if (!n.pair.enough(other)) return true;
      if (!n.pair.explains(other)) return false;
      for (int axis = 0; axis < 2 && !n.agrees; ++axis)
        told[axis] |= other.tells(axis) || n.pair.has_texture(mistake, axis);
      return true;
    });
    if (stands && told[0] && told[1]) found.push_back(mistake);
  }
  return found;
}

Eigen::Vector3d u_registration_mm(const RegistrationReport& report, std::size_t snapshot,
                                  const Eigen::Vector3d& point_mm) {
  Eigen::Vector3d u = Eigen::Vector3d::Zero();
  for (const PairReport& pair : report.pairs) {
    if ((pair.a != snapshot && pair.b != snapshot) || pair.agreement == Agreement::too_little) continue;
    const Eigen::Vector3d d = pair.shift.at(point_mm);
    const Eigen::Vector3d variance = pair.shift.covariance_at(point_mm).diagonal();
    u = u.cwiseMax((d.cwiseAbs2() / 2 + variance).cwiseSqrt());
  }
  return u;
}

}  // namespace datum
