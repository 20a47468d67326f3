#include "calib/hybrid/hybrid_log.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

namespace datum {

namespace {

using Json = nlohmann::ordered_json;

constexpr int schema = 1;

Json json(const Eigen::Vector3d& v) { return {v.x(), v.y(), v.z()}; }

Json json(const HybridSettings& s) {
  return {{"schema", schema},
          {"probe_radius_mm", s.probe.radius_mm},
          {"probe_u_radius_mm", s.probe.u_radius_mm},
          {"probe_u_touch_mm", s.probe.u_touch_mm},
          {"depth_mm", s.depth_mm},
          {"spare_mm", s.spare_mm},
          {"eps_mm", s.eps_mm},
          {"first_touches", s.first_touches},
          {"more_touches", s.more_touches},
          {"max_rounds", s.max_rounds},
          {"timeout_ms", s.timeout_ms}};
}

Json json(const HoleCandidate& h) {
  Json hole = {{"center_mm", json(h.center_mm)},
               {"normal", json(h.normal)},
               {"radius_mm", h.radius_mm},
               {"u_own_mm", json(h.u_own_mm)},
               {"u_shared_mm", json(h.u_shared_mm)}};
  if (!h.rim) return hole;
  hole["rim"] = name_of(*h.rim);
  hole["chamfer_mm"] = h.chamfer_mm;
  return hole;
}

/// Adds the input's result.
void add_outcome(Json& line, const HybridProbe& p) {
  line["state"] = name_of(p.state());
  line["why"] = p.why();
  line["round"] = p.round();
  line["touches"] = p.touches().size();
  Json& moves = line["moves"] = Json::array();
  for (const ProbeMove& move : p.moves())
    moves.push_back({{"until_contact", move.until_contact}, {"to_mm", json(move.to_mm)}});
  if (!p.finished()) return;
  line["expected_mm"] = json(compared(p.expected()));
  line["u_expected_mm"] = json(p.u_expected_mm());
  line["touched_mm"] = json(compared(p.hole()));
  line["u_touched_mm"] = json(p.hole().u_mm);
  line["form_mm"] = p.hole().form_mm;
  line["bias_holes"] = p.bias().holes();
  line["bias_mm"] = json(p.bias().mean_mm());
}

std::string ended(const Json& line) {
  // A device's reason may hold any byte; invalid UTF-8 is replaced and does not throw.
  return line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string ended(const char* input, MonotonicNs now, const Json& line, const HybridProbe& probe) {
  Json whole = {{"in", input}, {"t_ns", now}};
  whole.update(line);
  add_outcome(whole, probe);
  return ended(whole);
}

// JSON has no NaN: null stands for a missing number and remains one.
double number(const Json& j) {
  return j.is_null() ? std::numeric_limits<double>::quiet_NaN() : j.get<double>();
}

Eigen::Vector3d vector(const Json& j) {
  if (!j.is_array() || j.size() != 3) throw HybridLogError(j.dump() + " is no list of three numbers");
  return {number(j[0]), number(j[1]), number(j[2])};
}

HybridSettings settings_of(const Json& j) {
  if (j.at("schema").get<int>() != schema)
    throw HybridLogError("schema " + j.at("schema").dump() + " is not known; allowed: 1");
  HybridSettings s;
  s.probe = {j.at("probe_radius_mm"), j.at("probe_u_radius_mm"), j.at("probe_u_touch_mm")};
  s.depth_mm = j.at("depth_mm");
  s.spare_mm = j.at("spare_mm");
  s.eps_mm = j.at("eps_mm");
  s.first_touches = j.at("first_touches");
  s.more_touches = j.at("more_touches");
  s.max_rounds = j.at("max_rounds");
  s.timeout_ms = j.at("timeout_ms");
  return s;
}

HoleRim rim_of(const Json& j) {
  for (const HoleRim rim : {HoleRim::surface, HoleRim::bore})
    if (j == name_of(rim)) return rim;
  throw HybridLogError("rim = " + j.dump() + " is not known; allowed: SURFACE, BORE");
}

HoleCandidate hole_of(const Json& j) {
  HoleCandidate hole{vector(j.at("center_mm")), vector(j.at("normal")), number(j.at("radius_mm")),
                     vector(j.at("u_own_mm")), vector(j.at("u_shared_mm"))};
  if (!j.contains("rim")) return hole;
  hole.rim = rim_of(j.at("rim"));
  hole.chamfer_mm = number(j.at("chamfer_mm"));
  return hole;
}

/// The limit leaves room for any deadline.
MonotonicNs time_of(const Json& j) {
  constexpr MonotonicNs latest = MonotonicNs{1} << 62;
  if (!j.is_number_integer() || j.get<MonotonicNs>() < 0 || j.get<MonotonicNs>() > latest)
    throw HybridLogError("t_ns = " + j.dump() + " is no time of a clock; allowed: 0 to " +
                         std::to_string(latest));
  return j;
}

void run(HybridRun& run, const Json& line) {
  const std::string input = line.at("in");
  const MonotonicNs now = time_of(line.at("t_ns"));
  if (input == "scan") return run.scan(hole_of(line.at("hole")), now);
  if (input == "entered") return run.entered(vector(line.at("tip_mm")), now);
  if (input == "touched") return run.touched(vector(line.at("tip_mm")), now);
  if (input == "touch_failed") return run.touch_failed(line.at("reason"), now);
  if (input == "abort") return run.abort(now);
  if (input == "deadline") return run.on_deadline(now);
  throw HybridLogError("in = '" + input +
                       "' is not known; allowed: scan, entered, touched, touch_failed, abort, deadline");
}

}  // namespace

HybridRun::HybridRun(const HybridSettings& settings) : probe_(settings), log_(ended(json(settings))) {}

void HybridRun::scan(const HoleCandidate& hole, MonotonicNs now) {
  probe_.scan(hole, now);
  log_ += ended("scan", now, {{"hole", json(hole)}}, probe_);
}

void HybridRun::entered(const Eigen::Vector3d& tip_mm, MonotonicNs now) {
  probe_.entered(tip_mm, now);
  log_ += ended("entered", now, {{"tip_mm", json(tip_mm)}}, probe_);
}

void HybridRun::touched(const Eigen::Vector3d& tip_mm, MonotonicNs now) {
  probe_.touched(tip_mm, now);
  log_ += ended("touched", now, {{"tip_mm", json(tip_mm)}}, probe_);
}

void HybridRun::touch_failed(const std::string& why, MonotonicNs now) {
  probe_.touch_failed(why, now);
  log_ += ended("touch_failed", now, {{"reason", why}}, probe_);
}

void HybridRun::abort(MonotonicNs now) {
  probe_.abort();
  log_ += ended("abort", now, Json::object(), probe_);
}

void HybridRun::on_deadline(MonotonicNs now) {
  if (!probe_.deadline() || now < *probe_.deadline()) return;
  probe_.on_deadline(now);
  log_ += ended("deadline", now, Json::object(), probe_);
}

std::string replay(const std::string& log) {
  std::istringstream lines(log);
  std::string text;
  std::optional<HybridRun> again;
  for (int number = 1; std::getline(lines, text); ++number) {
    try {
      const Json line = Json::parse(text);
      if (again)
        run(*again, line);
      else
        again.emplace(settings_of(line));
    } catch (const std::exception& error) {
      throw HybridLogError("line " + std::to_string(number) + ": " + error.what());
    }
  }
  if (!again) throw HybridLogError("the log is empty; its first line holds the settings");
  return again->log();
}

}  // namespace datum
