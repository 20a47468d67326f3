#include "gpu/fringe_phase/region_unwrap.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "gpu/core/height_map.h"
#include "gpu/fringe_phase/fringe_check.h"
#include "gpu/fringe_phase/fringe_phase_math.h"

namespace datum {
namespace {

/// Runs of pixels whose phases are known to each other but for whole turns, linked to regions with the turns between them
/// (union-find with potentials).
class LinkedRuns {
 public:
  struct Region {
    std::uint32_t root = UINT32_MAX;  // of none where nothing can be kept
    std::uint32_t contradictory = 0;  // regions of two runs and more that contradict themselves
  };

  std::uint32_t add();
  void count(std::uint32_t run) { ++parent_[run].pixels; }

  /// One pixel says that b has `turns` more than a. All votes up to decide() are about the same two.
  void vote(std::uint32_t a, std::uint32_t b, std::int32_t turns);
  void decide();

  std::uint32_t root(std::uint32_t run);
  /// Whole turns to add to a run's, against its region's root.
  std::int32_t turns(std::uint32_t run);
  /// Of most pixels without a contradiction, the first of equals.
  Region largest();

 private:
  struct Node {
    std::uint32_t parent = 0;
    std::int32_t turns = 0;  // more than the parent
    std::size_t pixels = 0;
    bool contradicts = false;
  };
  void link(std::uint32_t a, std::uint32_t b, std::int32_t turns);

  std::vector<Node> parent_;
  std::uint32_t a_ = 0, b_ = 0;
  std::map<std::int32_t, std::size_t> votes_;
};

std::uint32_t LinkedRuns::add() {
  const auto run = static_cast<std::uint32_t>(parent_.size());
  parent_.push_back({run, 0, 0, false});
  return run;
}

void LinkedRuns::vote(std::uint32_t a, std::uint32_t b, std::int32_t turns) {
  a_ = a;
  b_ = b;
  ++votes_[turns];
}

void LinkedRuns::decide() {
  std::size_t all = 0, most = 0;
  std::int32_t turns = 0;
  for (const auto& [value, votes] : votes_) {
    all += votes;
    if (votes > most) {
      most = votes;
      turns = value;
    }
  }
  votes_.clear();
  if (all > 0 && 10 * most >= 9 * all) link(a_, b_, turns);
}

std::uint32_t LinkedRuns::root(std::uint32_t run) {
  while (parent_[run].parent != run) {
    Node& node = parent_[run];
    const Node& above = parent_[node.parent];
    if (above.parent != node.parent) {  // halves the way for the next one
      node.turns += above.turns;
      node.parent = above.parent;
    }
    run = node.parent;
  }
  return run;
}

std::int32_t LinkedRuns::turns(std::uint32_t run) {
  std::int32_t sum = 0;
  for (; parent_[run].parent != run; run = parent_[run].parent) sum += parent_[run].turns;
  return sum;
}

void LinkedRuns::link(std::uint32_t a, std::uint32_t b, std::int32_t more) {
  std::uint32_t first = root(a), second = root(b);
  std::int32_t between = turns(a) + more - turns(b);  // the second root's, against the first's
  if (first == second) {
    parent_[first].contradicts = parent_[first].contradicts || between != 0;
    return;
  }
  if (parent_[first].pixels < parent_[second].pixels) {
    std::swap(first, second);
    between = -between;
  }
  parent_[second].parent = first;
  parent_[second].turns = between;
  parent_[first].pixels += parent_[second].pixels;
  parent_[first].contradicts = parent_[first].contradicts || parent_[second].contradicts;
}

LinkedRuns::Region LinkedRuns::largest() {
  Region region;
  std::size_t most = 0;
  for (std::uint32_t run = 0; run < parent_.size(); ++run) {
    const Node& node = parent_[run];
    if (node.parent != run) continue;
    region.contradictory += node.contradicts;
    if (node.contradicts || node.pixels <= most) continue;
    most = node.pixels;
    region.root = run;
  }
  return region;
}

using fringe::refuse;

constexpr double turn = 2 * M_PI;
constexpr std::uint32_t no_run = UINT32_MAX;

void check(const SinglePhase& p, const RegionSettings& s, const HeightModel* model, const FringeMaps& maps) {
  if (p.width == 0 || p.height == 0 || !p.phase_rad || !p.classes) refuse("no phase of a single image");
  if (!maps.classes || !maps.column_px) refuse("classes and column_px have no place to go");
  if (!(s.period_px >= 2 && s.period_px <= 100000 && s.camera_period_px >= 2 && s.camera_period_px <= 100000))
    refuse("period_px and camera_period_px; 2 to 100000 are wanted");
  if (s.direction != 1 && s.direction != -1) refuse("direction; 1 or -1 is wanted");
  if (!(std::fabs(s.zero_turns) <= 1)) refuse("zero_turns; -1 to 1 is wanted");
  if (!(s.row_gate_rad > 0 && s.row_gate_rad < 3.14f && s.column_gate_rad > 0 && s.column_gate_rad < 3.14f))
    refuse("row_gate_rad and column_gate_rad; above 0 and below pi are wanted");
  if (maps.height && !model) refuse("heights without a height model");
  if (model) datum::check(*model, p.width, p.height);
}

/// The phase in turns less the level surface's, each pixel's run in its row, and its whole turns from the run's begin.
struct Followed {
  std::vector<double> turns;
  std::vector<std::uint32_t> run;
  std::vector<std::int32_t> order;
};

Followed follow_rows(const SinglePhase& p, const RegionSettings& s, LinkedRuns* runs) {
  const std::size_t n = std::size_t{p.width} * p.height;
  Followed f{std::vector<double>(n), std::vector<std::uint32_t>(n, no_run), std::vector<std::int32_t>(n)};
  for (std::size_t i = 0; i < n; ++i) {
    if (p.classes[i] != FringeClass::ok) continue;
    const std::size_t col = i % p.width;
    f.turns[i] = static_cast<double>(p.phase_rad[i]) / turn -
                 static_cast<double>(col) / static_cast<double>(s.camera_period_px);
    const bool follows = col > 0 && f.run[i - 1] != no_run;
    const double step = follows ? f.turns[i] - f.turns[i - 1] : 0, whole = std::round(step);
    if (follows && std::fabs(step - whole) * turn <= static_cast<double>(s.row_gate_rad)) {
      f.run[i] = f.run[i - 1];
      f.order[i] = f.order[i - 1] - static_cast<std::int32_t>(whole);
    } else {
      f.run[i] = runs->add();
    }
    runs->count(f.run[i]);
  }
  return f;
}

/// Runs of neighbouring rows that lie side by side agree on their whole turns, by nine tenths of their pixels, or are not
/// linked.
void link_rows(const SinglePhase& p, const RegionSettings& s, const Followed& f, LinkedRuns* runs) {
  for (std::size_t i = 0; i + p.width < f.run.size(); ++i) {
    const std::size_t below = i + p.width;
    if (f.run[i] == no_run || f.run[below] == no_run) continue;
    const double step = f.turns[below] - f.turns[i], whole = std::round(step);
    if (std::fabs(step - whole) * turn <= static_cast<double>(s.column_gate_rad))
      runs->vote(f.run[i], f.run[below], f.order[i] - f.order[below] - static_cast<std::int32_t>(whole));
    const bool last = (i + 1) % p.width == 0 || f.run[i + 1] != f.run[i] || f.run[below + 1] != f.run[below];
    if (last) runs->decide();
  }
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void write_height(const HeightModel& model, const fringe::Job& job, std::uint32_t row, std::uint32_t col,
                  std::size_t i, const FringeMaps& maps) {
  fringe::Coefficients<SimdScalar> c;
  float* to[7] = {&c.centre, &c.per_px, &c.height[0], &c.height[1], &c.height[2], &c.height[3], &c.bend};
  for (std::uint32_t k = 0; k < 7; ++k) *to[k] = fringe::coefficient_at(model, row, col, k);
  fringe::Pixel<SimdScalar> pixel{};
  pixel.column = maps.column_px[i];
  pixel.ok = true;
  const fringe::Height<SimdScalar> h = fringe::height_of<SimdScalar>(job, c, pixel, false);
  maps.classes[i] = static_cast<FringeClass>(bits_of(h.kind));
  if (maps.height) maps.height[i] = static_cast<std::int32_t>(bits_of(h.counts));
}

}  // namespace

RegionEvidence unwrap_region(const SinglePhase& phase, const RegionSettings& s, const HeightModel* model,
                             const FringeMaps& maps) {
  check(phase, s, model, maps);
  LinkedRuns runs;
  const Followed f = follow_rows(phase, s, &runs);
  link_rows(phase, s, f, &runs);
  const LinkedRuns::Region region = runs.largest();
  RegionEvidence evidence;
  evidence.contradictory = region.contradictory;
  std::vector<double> column(f.run.size()), apart;
  for (std::size_t i = 0; i < f.run.size(); ++i) {
    const bool kept = f.run[i] != no_run && runs.root(f.run[i]) == region.root;
    maps.classes[i] = kept ? FringeClass::ok : f.run[i] != no_run ? FringeClass::unwrap : phase.classes[i];
    maps.column_px[i] = 0;
    if (maps.height) maps.height[i] = no_count_32;
    evidence.kept += kept;
    evidence.parted += f.run[i] != no_run && !kept;
    if (!kept) continue;
    const auto row = static_cast<std::uint32_t>(i / phase.width),
               col = static_cast<std::uint32_t>(i % phase.width);
    const double level = static_cast<double>(col) / static_cast<double>(s.camera_period_px);
    const double turns = f.turns[i] + f.order[i] + runs.turns(f.run[i]) + level;
    column[i] = static_cast<double>(s.period_px) *
                (static_cast<double>(s.direction) * turns - static_cast<double>(s.zero_turns));
    const double middle = model ? static_cast<double>(fringe::coefficient_at(*model, row, col, 0))
                                : static_cast<double>(s.period_px) / 2;
    if (std::isfinite(middle)) apart.push_back(column[i] - middle);
  }
  if (apart.empty()) return evidence;
  const double shift =
      static_cast<double>(s.period_px) * std::round(median(apart) / static_cast<double>(s.period_px));
  fringe::Job job{};
  job.counts_per_um = model ? 1 / model->lsb_um : 0;
  for (std::size_t i = 0; i < f.run.size(); ++i) {
    if (maps.classes[i] != FringeClass::ok) continue;
    maps.column_px[i] = static_cast<float>(column[i] - shift);
    if (model)
      write_height(*model, job, static_cast<std::uint32_t>(i / phase.width),
                   static_cast<std::uint32_t>(i % phase.width), i, maps);
  }
  return evidence;
}

}  // namespace datum
