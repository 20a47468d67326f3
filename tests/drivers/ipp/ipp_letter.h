// A second I++ DME server, literally after the specification (1.4.3), with the variations of controllers:
// addition of the radius, end of the retract, demands of AbortE, refusals outside a session, notation. Its
// machine moves within a Solid and records all contacts of its tip. It shares no code with virtual-ipp.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "drivers/frame/probe_point.h"
#include "tests/drivers/ipp/ipp_solid.h"

namespace datum::testing {

struct LetterHabits {
  bool adds_radius = true;            // 6.3.2.13: nominal + Approach + Part.Approach + Tool.Radius
  bool retracts_to_approach = false;  // otherwise by Retract from the contact
  bool tells_part = true, tells_radius = true, tells_ranges = true;
  bool aborts_without_session = true;  // otherwise AbortE outside a session gives 0508
  enum class Aborted {
    before,
    after,
    never
  } aborted = Aborted::after;  // 0006 of the move: before or after AbortE's '%'
  double radius_mm = 0.5;      // the controller's assumed tip radius
};

class LetterServer {
 public:
  struct Parameter {
    double act = 10, min = 1, max = 100;
  };
  struct Crash {
    Solid::Part part;
    std::string during;  // "GoTo", "approach", "search", "retract"
  };

  LetterHabits habits;
  Solid solid;
  double ball_mm = 0.5;  // the true tip
  std::map<std::string, Parameter> parameters{{"Tool.GoToPar.Speed", {20, 1, 500}},
                                              {"Tool.PtMeasPar.Speed", {20, 1, 500}},
                                              {"Tool.PtMeasPar.Approach", {10, 1, 100}},
                                              {"Tool.PtMeasPar.Search", {10, 1, 100}},
                                              {"Tool.PtMeasPar.Retract", {10, 1, 100}}};
  std::map<std::string, double> part{{"Part.Approach", 0}, {"Part.Search", 0}, {"Part.Retract", 0}};
  std::vector<Crash> crashes;
  std::vector<std::string> heard;
  int touches = 0;
  double fastest_mm_s = 0;

  void place(const Eigen::Vector3d& mm) {
    at_ = mm;
    way_.clear();
  }
  Eigen::Vector3d at(MonotonicNs now) const;
  bool moving(MonotonicNs now) const { return !way_.empty() && now < way_.back().arrives_ns; }

  std::string receive(const std::string& bytes, MonotonicNs now);
  std::string advance(MonotonicNs now);
  std::optional<MonotonicNs> deadline() const;
  /// The machine continues.
  void hung_up();

 private:
  struct Leg {
    Eigen::Vector3d from, to;
    MonotonicNs left_ns, arrives_ns;
  };
  struct Line {
    std::string tag, name, arguments;
  };

  void say(const std::string& tag, char mark, const std::string& text = "");
  void error(const Line& line, int severity, const std::string& code, const std::string& text);
  void take(const Line& line, MonotonicNs now);
  void run_queue(MonotonicNs now);
  void execute(const Line& line, MonotonicNs now);
  bool property(const Line& line);
  void abort(const Line& line, MonotonicNs now);
  void begin(const Line& line, MonotonicNs now);
  void touch(const Line& line, const Eigen::Vector3d& nominal, const Eigen::Vector3d& n, MonotonicNs now);
  /// Moves straight to the target, or to the first contact, which is recorded as a crash. False: a contact
  /// occurred.
  bool go(const Eigen::Vector3d& to, double mm_s, const char* during, MonotonicNs now);
  void leg(const Eigen::Vector3d& to, double mm_s, MonotonicNs now);
  double set(const char* name) const { return parameters.at(name).act; }
  double of_part(const char* name) const { return part.count(name) > 0 ? part.at(name) : 0; }

  Eigen::Vector3d at_{0, 0, 0};  // end of the last leg
  std::deque<Leg> way_;
  std::string in_, out_;
  std::deque<Line> queue_;
  std::optional<Line> moving_;
  std::optional<Eigen::Vector3d> touched_;
  std::string failed_;  // "1006": reported at the move's end
  bool session_ = false, aborted_ = false, erred_ = false;
};

}  // namespace datum::testing
