// One list of keys per structure for writing and reading, so that they remain consistent.
#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <utility>

#include "daemon/inspection/verdict/json_element.h"
#include "daemon/inspection/verdict/known_verdict.h"
#include "daemon/inspection/verdict/verdict.h"
#include "daemon/inspection/verdict/verdict_json_parts.h"
#include "daemon/inspection/verdict/verdict_json_reader.h"
#include "daemon/inspection/verdict/verdict_json_text.h"

namespace datum {
namespace {

using Json = nlohmann::ordered_json;

const char* rule_name(DecisionRule r) { return r == DecisionRule::simple ? "simple" : "iso14253"; }

template <class E>
constexpr int last_value() {
  if constexpr (std::is_same_v<E, Decision>) return static_cast<int>(Decision::invalid);
  if constexpr (std::is_same_v<E, Reason>) return static_cast<int>(Reason::internal);
  if constexpr (std::is_same_v<E, Defect>) return static_cast<int>(Defect::bridged);
  if constexpr (std::is_same_v<E, ProbeState>) return static_cast<int>(ProbeState::link_down);
  if constexpr (std::is_same_v<E, ClockDomain>) return static_cast<int>(ClockDomain::utc);
  if constexpr (std::is_same_v<E, PairingClass>) return static_cast<int>(PairingClass::stare);
  if constexpr (std::is_same_v<E, ExposureBy>) return static_cast<int>(ExposureBy::clock);
  if constexpr (std::is_same_v<E, Characteristic>) return static_cast<int>(last_characteristic);
  if constexpr (std::is_same_v<E, DecisionRule>) return static_cast<int>(DecisionRule::iso14253);
}

template <class E>
const char* word(E e) {
  if constexpr (std::is_same_v<E, DecisionRule>)
    return rule_name(e);
  else
    return name_of(e);
}

// ---- the lists of keys ----

template <class F, class V>
void visit(F& f, V& v, const FloorEvidence&) {
  f("a_um_per_um", v.a);
  f("b_um_per_um", v.b);
  f("c_um", v.c_um);
  f("centre_x_mm", v.centre_x_mm);
  f("centre_y_mm", v.centre_y_mm);
  f("sigma_um", v.sigma_um);
  f("rms_um", v.rms_um);
  f("inlier_ratio", v.inlier_ratio);
  f("second_floor_ratio", v.second_floor);
  f("side_inliers", v.side_inliers);
  f("pixels", v.pixels);
  f("valid", v.valid);
  f("inliers", v.inliers);
  f("hypotheses", v.hypotheses);
  f("refits", v.refits);
  f("effective_n", v.effective_n);
  f("tilt_deg", v.tilt_deg);
  f.later("form_um", v.form_um);
  f.later("u_form_um", v.u_form_um);
  f.later("noise_um", v.noise_um);
  f.later("between_um", v.between_um);
  f.where_known("tiles", v.tiles);
  f.where_known("tiles_off", v.tiles_off);
}

template <class F, class V>
void visit(F& f, V& v, const CheckVerdict&) {
  f("characteristic", v.check.characteristic);
  const std::string unit = std::string("_") + unit_of(v.check.characteristic);
  f("parameter", v.check.parameter);
  f("nominal" + unit, v.check.nominal);
  f("lower" + unit, v.check.lower);
  f("upper" + unit, v.check.upper);
  f("decision", v.decision);
  f("decision_simple", v.decision_simple);
  f("reason", v.reason);
  f("detail", v.detail);
  f("value" + unit, v.value);
  f("u" + unit, v.u);
  f("p_conform", v.p_conform);
  f("capability", v.capability);
  f("budget" + unit, v.budget);
  f.where_known("overlap" + unit, v.overlap);
}

template <class F, class V>
void visit(F& f, V& v, const ComponentVerdict&) {
  f("reference", v.reference);
  f("package", v.package);
  f("decision", v.decision);
  f.where_known("defect", v.defect);
  f.where_known("region", v.region);
  f.where_known("hole", v.hole);
  f.where_known("warp", v.warp);
  f.where_known("warp_floor", v.warp_floor);
  if (!v.region && !v.hole && !v.warp && v.package != foreign_package) {
    f("floor", v.floor);
    f("body_pixels", v.body_pixels);
    f("body_valid", v.body_valid);
  }
  f.where_known("shown", v.shown);
  f("checks", v.checks);
}

template <class F, class V>
void visit(F& f, V& v, const PanelBoard&) {
  f("name", v.name);
  f("unit_id", v.unit_id);
  f.where_known("decision", v.decision);
  f("reason", v.reason);
  f("detail", v.detail);
  f.where_any("stages", v.stages);
  f.where_known("mark", v.mark);
  f.where_known("attempt", v.attempt);
}

template <class F, class V>
void visit(F& f, V& v, const BoardVerdict&) {
  f("sequence", v.sequence);
  f("store_id", v.store_id);
  f("decision", v.decision);
  f("reason", v.reason);
  f("detail", v.detail);
  f("measured_at", v.measured_at);
  f("unit_id", v.unit_id);
  f.where_known("serial", v.serial);
  f("recipe", v.recipe);
  f("recipe_sha256", v.recipe_sha256);
  f("rule", v.rule);
  f("rule_confidence", v.rule_confidence);
  f("calibration", v.calibration);
  f("calibration_sha256", v.calibration_sha256);
  f.where_known("calibration_head", v.calibration_head);
  f("sensor_serial", v.sensor_serial);
  f("sensor_profile_sha256", v.sensor_profile_sha256);
  f("frame_id", v.frame_id);
  f("frame_source", v.frame_source);
  f("frame_sha256", v.frame_sha256);
  f("captured", v.captured);
  f.where_known("frame_age", v.frame_age);
  f.where_known("stamp", v.stamp);
  f("code", v.code);
  f("backend", v.backend);
  f.where_known("controller", v.controller);
  f.where_known("reference", v.reference);
  f("pose", v.pose);
  f.where_any("stages", v.stages);
  f.where_any("snapshots", v.snapshots);
  f.where_known("surface", v.surface);
  f.where_any("boards", v.boards);
  f("components", v.components);
}

// ---- writing ----

// All overloads are declared first: a template sees only those declared before it.
void encode(std::string& to, const double& v);
void encode(std::string& to, const std::string& v);
void encode(std::string& to, const std::optional<double>& v);
void encode(std::string& to, const std::vector<UncertaintyTerm>& terms);
template <class T>
void encode(std::string& to, const std::vector<std::pair<std::string, T>>& named);
template <class T, std::size_t n>
void encode(std::string& to, const std::array<T, n>& values);
template <class T>
void encode(std::string& to, const std::vector<T>& values);
template <class T>
void encode(std::string& to, const T& value);

/// An object's members, each key once.
class Writer {
 public:
  explicit Writer(std::string& to) : to_(to) { to_ += '{'; }
  template <class T>
  void operator()(std::string_view key, const T& value) {
    if (to_.back() != '{') to_ += ',';
    to_.append(1, '"').append(key).append("\":");
    encode(to_, value);
  }
  /// A number that verdicts of early versions lack.
  void later(std::string_view key, const double& value) { (*this)(key, value); }
  template <class T>
  void where_known(std::string_view key, const std::optional<T>& value) {
    if (value) (*this)(key, *value);
  }
  template <class T>
  void where_any(std::string_view key, const std::vector<T>& values) {
    if (!values.empty()) (*this)(key, values);
  }
  void end() { to_ += '}'; }

 private:
  std::string& to_;
};

void encode(std::string& to, const double& v) { append_json(to, v); }
void encode(std::string& to, const std::string& v) { append_json(to, v); }
void encode(std::string& to, const std::optional<double>& v) {
  append_json(to, v.value_or(std::numeric_limits<double>::quiet_NaN()));
}
void encode(std::string& to, const std::vector<UncertaintyTerm>& terms) {
  append_members(to, terms, &UncertaintyTerm::name,
                 [](std::string& t, const UncertaintyTerm& term) { encode(t, term.u); });
}
template <class T>
void encode(std::string& to, const std::vector<std::pair<std::string, T>>& named) {
  append_members(to, named, &std::pair<std::string, T>::first,
                 [](std::string& t, const auto& member) { encode(t, member.second); });
}
template <class T, std::size_t n>
void encode(std::string& to, const std::array<T, n>& values) {
  append_elements(to, values, [](std::string& t, const T& v) { encode(t, v); });
}
template <class T>
void encode(std::string& to, const std::vector<T>& values) {
  append_elements(to, values, [](std::string& t, const T& v) { encode(t, v); });
}
template <class T>
void encode(std::string& to, const T& value) {
  if constexpr (std::is_enum_v<T>) {
    append_json(to, std::string(word(value)));
  } else if constexpr (std::is_arithmetic_v<T>) {
    append_json(to, value);
  } else {
    Writer writer(to);
    visit(writer, value, value);
    writer.end();
  }
}

// ---- reading ----

struct VerdictKeys {
  template <class F, class V>
  static void each(F& f, V& v) {
    visit(f, v, v);
  }
  template <class E>
  static const char* word_of(E e) {
    return word(e);
  }
  template <class E>
  static constexpr int last() {
    return last_value<E>();
  }
};

Json object_of(const std::string& text) {
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) throw std::runtime_error("verdict JSON: the text is not JSON");
  if (!json.is_object()) throw std::runtime_error("verdict JSON: must be an object");
  return json;
}

}  // namespace

std::string to_json(const BoardVerdict& verdict) {
  std::string text;
  encode(text, verdict);
  return text;
}

BoardVerdict verdict_from_json(const std::string& text) {
  BoardVerdict verdict;
  VerdictReader<VerdictKeys>().read(object_of(text), verdict);
  return verdict;
}

BoardVerdict known_verdict(const std::string& text, std::vector<std::string>& left_out) {
  BoardVerdict verdict;
  VerdictReader<VerdictKeys>(&left_out).read(object_of(text), verdict);
  return verdict;
}

std::optional<ComponentVerdict> known_component(std::string_view text, const std::string& reference) {
  std::string wanted;
  append_json(wanted, reference);
  const std::string_view part = element_with(text, "components", "reference", wanted);
  if (part.empty()) return std::nullopt;
  try {
    std::vector<std::string> left_out;
    ComponentVerdict component;
    VerdictReader<VerdictKeys>(&left_out).read(object_of(std::string(part)), component);
    return component;
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
}

}  // namespace datum
