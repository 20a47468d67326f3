#include "daemon/store/retention/retention.h"

#include <array>
#include <utility>

namespace datum {
namespace {

// Seconds, around most_reading_ns; beyond the last bound a board was delayed.
constexpr std::array<double, 8> slice_bounds_s{0.5e-3, 1e-3, 2e-3, 5e-3, 10e-3, 20e-3, 50e-3, 0.1};

}  // namespace

Retention::Retention(const FileRetentionDependencies& parts)
    : settings_(parts.settings),
      results_(settings_),
      files_(parts),
      facts_{0, {}, Histogram(slice_bounds_s), false, false, settings_.reserve_bytes, {}},
      looking_(files_) {}

bool Retention::keeps_frame(Decision decision) const {
  if (settings_.keep_frames == KeepFrames::all) return true;
  return settings_.keep_frames == KeepFrames::failures && decision != Decision::pass;
}

KeepOutcome Retention::slice(ResultStore& store, const KeepMoment& moment) const {
  try {
    return results_.slice(store, moment);
    // Boards continue; the store reports the same fault to them where it must.
  } catch (const std::exception& error) {
    KeepOutcome outcome;
    outcome.notes.push_back(std::string("retention: ") + error.what());
    outcome.doubt = doubt_;
    return outcome;
  }
}

void Retention::end(const KeepOutcome& outcome, MonotonicNs now) {
  running_ = false;
  next_ = now + (outcome.more ? pause_ns : period_ns);
  facts_.looked_ns = now;
  facts_.results_removed += outcome.removed.results;
  facts_.slices_s.observe(static_cast<double>(outcome.took_ns) * 1e-9);
  notes_.insert(notes_.end(), outcome.notes.begin(), outcome.notes.end());
  if (outcome.removed.results > 0 && std::exchange(unseen_, outcome.unseen) != outcome.unseen &&
      !outcome.unseen.empty())
    notes_.push_back("retention: " + outcome.unseen);
  if (!outcome.doubt.empty() && doubt_.empty()) notes_.push_back("retention: " + outcome.doubt);
  doubt_ = outcome.doubt;
  files_.trust_clock(doubt_.empty());
}

RetentionSnapshot Retention::facts() const {
  RetentionSnapshot facts = facts_;
  facts.clock_doubted = !doubt_.empty();
  facts.room_short = !shortage().empty();
  facts.kept = files_.kept();
  return facts;
}

std::vector<std::string> Retention::take_notes() {
  std::vector<std::string> notes = std::exchange(notes_, {});
  for (std::string& note : files_.take_notes()) notes.push_back(std::move(note));
  return notes;
}

}  // namespace datum
