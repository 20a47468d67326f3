#include "daemon/retention/retention.h"

#include <utility>

namespace datum {

bool Retention::keeps_frame(Decision decision) const {
  if (settings_.keep_frames == KeepFrames::all) return true;
  return settings_.keep_frames == KeepFrames::failures && decision != Decision::pass;
}

KeepOutcome Retention::slice(ResultStore& store, const KeepMoment& moment) const {
  try {
    return results_.slice(store, moment);
  } catch (const std::exception& error) {  // boards go on; the store says the same to them where it must
    KeepOutcome outcome;
    outcome.notes.push_back(std::string("retention: ") + error.what());
    outcome.doubt = doubt_;
    return outcome;
  }
}

void Retention::end(const KeepOutcome& outcome, MonotonicNs now) {
  running_ = false;
  next_ = now + (outcome.more ? pause_ns : period_ns);
  notes_.insert(notes_.end(), outcome.notes.begin(), outcome.notes.end());
  if (!outcome.doubt.empty() && doubt_.empty()) notes_.push_back("retention: " + outcome.doubt);
  doubt_ = outcome.doubt;
  files_.trust_clock(doubt_.empty());
}

std::vector<std::string> Retention::take_notes() {
  std::vector<std::string> notes = std::exchange(notes_, {});
  for (std::string& note : files_.take_notes()) notes.push_back(std::move(note));
  return notes;
}

}  // namespace datum
