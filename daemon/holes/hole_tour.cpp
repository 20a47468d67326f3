#include "daemon/holes/hole_tour.h"

#include <fmt/format.h>

#include <utility>

namespace datum {
namespace {

std::array<double, 3> array_of(const Eigen::Vector3d& v) { return {v.x(), v.y(), v.z()}; }

void record(HoleEvidence& e, const TourHole& hole) {
  e.frame_id = hole.identity.frame_id;
  e.frame_sha256 = hole.identity.content_sha256;
}

void record(HoleEvidence& e, const HoleCandidate& scan) {
  e.scan_center_mm = array_of(scan.center_mm);
  e.scan_radius_mm = scan.radius_mm;
  e.scan_u_mm = array_of(scan.u_mm());
}

void record(HoleEvidence& e, const HoleResult& result) {
  e.state = result.state;
  e.log = result.log;
  e.touches = static_cast<std::uint32_t>(result.touches);
  if (result.touches == 0) return;
  e.center_mm = array_of(result.center_mm);
  e.u_mm = array_of(result.u_mm);
  e.radius_mm = result.radius_mm;
  e.form_mm = result.form_mm;
}

}  // namespace

struct HoleTour::Sought {
  std::vector<std::function<HoleCandidate(const HeightFrame&)>> searches;
  std::vector<HoleCandidate> found;
  std::vector<std::string> why;  // of one that was not found; empty: found
};

HoleTour::HoleTour(HoleProcedure& procedure, ProcedureDependencies parts,
                   const std::optional<HoleSettings>& holes)
    : procedure_(procedure), parts_(std::move(parts)), settings_(holes) {}

std::string HoleTour::detail() const {
  if (!active()) return "";
  if (seeking_) return fmt::format("{} holes are sought", demand_->holes.size());
  return fmt::format("hole {} of {} ({}): {}", at_ + 1, demand_->holes.size(), demand_->holes[at_].name,
                     procedure_.step());
}

void HoleTour::start(TourDemand demand, Ended ended) {
  demand_ = std::make_shared<const TourDemand>(std::move(demand));
  ended_ = std::move(ended);
  touched_.assign(demand_->holes.size(), {});
  at_ = 0;
  seeking_ = true;
  begun_ = false;
  sought_ = std::make_shared<Sought>();
  for (const TourHole& hole : demand_->holes) {
    const HolePlace place{hole.order, *demand_->calibration, parts_.sensor, *settings_};
    sought_->searches.push_back(search_at(place, hole.q_mm));
  }
  const auto seek = [s = sought_, demand = demand_] {
    for (std::size_t k = 0; k < s->searches.size(); ++k) {
      s->found.emplace_back();
      s->why.emplace_back();
      try {
        s->found.back() = s->searches[k](*demand->holes[k].frame);
      } catch (const std::exception& refused) {
        s->why.back() = refused.what();
      }
    }
  };
  parts_.worker.submit(seek, [this, s = sought_] {
    if (s == sought_) holes_sought(s);  // else aborted
  });
  parts_.log(5, fmt::format("holes: {} are sought, then touched above {:g} mm", demand_->holes.size(),
                            demand_->travel_z_mm));
}

void HoleTour::abort() {
  if (!active()) return;
  procedure_.abort();
  sought_.reset();
  demand_.reset();
}

void HoleTour::holes_sought(const std::shared_ptr<Sought>& s) {
  seeking_ = false;
  for (std::size_t k = 0; k < s->found.size(); ++k) {
    HoleEvidence& e = touched_[k];
    record(e, demand_->holes[k]);
    if (s->why[k].empty()) {
      record(e, s->found[k]);
      continue;
    }
    e.state = "NOT FOUND";
    e.reason = Reason::hole_scan;
    e.detail = s->why[k];
    parts_.log(4, fmt::format("holes: {} is not found: {}", demand_->holes[k].name, e.detail));
  }
  begin_next();
}

/// The first hole from at_ on that was found begins; without one the list ends.
void HoleTour::begin_next() {
  begun_ = false;
  while (at_ < touched_.size() && touched_[at_].reason != Reason::none) ++at_;
  if (at_ == touched_.size()) return end();
  const TourHole& hole = demand_->holes[at_];
  try {
    procedure_.begin(hole.order, {sought_->found[at_], hole.identity, hole.q_mm}, demand_->travel_z_mm);
    begun_ = true;
    parts_.changed();
  } catch (const scpi::Error& error) {
    fail(Reason::hole_touch, "NOT TOUCHED", error.what());
  }
}

void HoleTour::after_round() {
  if (!active() || seeking_ || !begun_ || procedure_.pending()) return;
  if (!procedure_.active()) return end_hole();
  if (!procedure_.drives()) return;  // an operator leads the probe
  try {
    step_on();
  } catch (const scpi::Error& error) {
    procedure_.abort();
    fail(Reason::hole_touch, "GUARD", error.what());
  }
}

void HoleTour::step_on() {
  procedure_.probe().state() == HybridProbe::State::approach ? procedure_.enter() : procedure_.touch();
}

/// The procedure rests: DONE and out of the hole, or stopped.
void HoleTour::end_hole() {
  const auto result = procedure_.result();
  if (!result) return fail(Reason::hole_touch, "GUARD", "the hole in progress was aborted");
  HoleEvidence& e = touched_[at_];
  record(e, *result);
  const HybridProbe& probe = procedure_.probe();
  if (probe.state() == HybridProbe::State::done) {  // its circle holds, whatever the way out came to
    if (const std::string& why = procedure_.way_back_fault(); !why.empty())
      return end_list("the way out of it failed: " + why);
    ++at_;
    return begin_next();
  }
  if (probe.round() == 0) {  // the probe does not fit; nothing moved
    e.reason = Reason::hole_scan;
    e.detail = result->why;
    return begin_next();
  }
  const bool contradicts =
      probe.state() == HybridProbe::State::mismatch || probe.state() == HybridProbe::State::no_convergence;
  fail(contradicts ? Reason::hole_mismatch : Reason::hole_touch, result->state, result->why);
}

/// The hole in work has no circle: the list ends here.
void HoleTour::fail(Reason reason, const std::string& state, const std::string& why) {
  HoleEvidence& e = touched_[at_];
  e.state = state;
  e.reason = reason;
  e.detail = why + procedure_.standing();
  end_list(why);
}

/// None is touched behind the hole in work: somebody must look at the machine first.
void HoleTour::end_list(const std::string& why) {
  const std::string text =
      fmt::format("the list ended at {}: {}{}", demand_->holes[at_].name, why, procedure_.standing());
  parts_.log(4, "holes: " + text);
  for (std::size_t k = at_ + 1; k < touched_.size(); ++k) {
    HoleEvidence& e = touched_[k];
    if (e.reason != Reason::none) continue;
    e.state = "NOT TOUCHED";
    e.reason = Reason::hole_touch;
    e.detail = "not touched: " + text;
  }
  end();
}

void HoleTour::end() {
  const Ended ended = std::exchange(ended_, nullptr);
  const std::vector<HoleEvidence> touched = std::exchange(touched_, {});
  demand_.reset();
  sought_.reset();
  begun_ = false;
  ended(touched);
}

}  // namespace datum
