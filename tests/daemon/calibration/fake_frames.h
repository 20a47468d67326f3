// A source of the frames that a test puts into it.
#pragma once

#include <string>
#include <vector>

#include "drivers/sensor/frame_source.h"

namespace datum::testing {

class FakeFrames final : public FrameSource {
 public:
  std::vector<Pollable*> pollables() override { return {}; }
  std::string describe() const override { return "frames"; }
  std::string refusal() const override { return ""; }
  std::string place() const override { return "the folder"; }
  std::size_t begin(MonotonicNs) override { return 0; }
  void expose(MonotonicNs) override { ++exposures; }
  std::optional<ClaimedFrame> next() override {
    if (waiting.empty()) return std::nullopt;
    ClaimedFrame claim = waiting.front();
    waiting.erase(waiting.begin());
    return claim;
  }
  bool is_duplicate(const FrameIdentity& identity) const override { return identity.frame_id == "old"; }
  void measured(const ClaimedFrame& claim, const FrameIdentity&) override {
    ends.push_back(claim.name() + " measured");
  }
  void duplicate(const ClaimedFrame& claim, const FrameIdentity&) override {
    ends.push_back(claim.name() + " duplicate");
  }
  void failed(const ClaimedFrame& claim, const std::string& why) override {
    ends.push_back(claim.name() + " failed: " + why);
  }
  std::vector<std::string> take_warnings() override { return {}; }

  std::vector<ClaimedFrame> waiting;
  std::vector<std::string> ends;
  int exposures = 0;
};

}  // namespace datum::testing
