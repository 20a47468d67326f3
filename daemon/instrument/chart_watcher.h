// ChartWatcher: the interface of the host protocols to the control charts of the cell: frozen limits, the rules that watch them, and what
// was hit. The daemon implements it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace datum {

/// In the order of precedence.
enum class ChartState : std::uint8_t {
  none,        // the recipe has no charts
  in_control,  // its limits hold, and no rule is hit since the last acknowledgement
  no_limits,   // its rules have no limits, or their file can't be used: nothing is watched
  stale,     // results come from another recipe text, calibration or code than the limits: nothing is watched
  hit,       // a rule is hit
  disarmed,  // a rule is hit that disarms: not armed with this recipe until a person acknowledges it
};
const char* name_of(ChartState s);  // "NONE", "IN_CONTROL", "NO_LIMITS", "STALE", "HIT", "DISARMED"

struct ChartStatus {
  std::string recipe;
  ChartState state = ChartState::none;
  std::string why;             // cause of the state as text
  std::string limits, at, by;  // id of the limits, when and by whom they were frozen; empty: there are none
  std::string rules, disarm;
  std::uint64_t series = 0;
  std::uint64_t hit_results = 0;  // since the last acknowledgement
  std::uint64_t last_hit = 0;     // the newest of them; 0: none
};

class ChartWatcher {
 public:
  virtual ~ChartWatcher() = default;

  /// Recipes with rules, limits, or hits that nobody acknowledged; in the order of names.
  virtual std::vector<ChartStatus> charts() const = 0;
  /// Of a recipe; state none where it has no charts.
  virtual ChartStatus chart(const std::string& recipe) const = 0;
  /// A person has looked into what was hit: the cell may be armed again, and the series begin anew. -221 nothing is hit; -224 the name or the
  /// reason is missing.
  virtual void acknowledge(const std::string& recipe, const std::string& by, const std::string& why) = 0;
};

}  // namespace datum
