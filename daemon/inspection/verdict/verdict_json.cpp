// One list of keys per structure for writing and reading, so that they remain consistent.
#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <utility>

#include "daemon/inspection/verdict/verdict.h"
#include "daemon/inspection/verdict/verdict_json_parts.h"
#include "daemon/inspection/verdict/verdict_json_text.h"

namespace datum {
namespace {

using Json = nlohmann::ordered_json;

const char* rule_name(DecisionRule r) { return r == DecisionRule::simple ? "simple" : "iso14253"; }

template <class E>
constexpr int last_value() {
  if constexpr (std::is_same_v<E, Decision>) return static_cast<int>(Decision::invalid);
  if constexpr (std::is_same_v<E, Reason>) return static_cast<int>(Reason::internal);
  if constexpr (std::is_same_v<E, Defect>) return static_cast<int>(Defect::foreign_object);
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

[[noreturn]] void refuse(const std::string& key, const std::string& problem) {
  throw std::runtime_error("verdict JSON: " + key + ": " + problem);
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
  f("recipe", v.recipe);
  f("recipe_sha256", v.recipe_sha256);
  f("rule", v.rule);
  f("rule_confidence", v.rule_confidence);
  f("calibration", v.calibration);
  f("calibration_sha256", v.calibration_sha256);
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

void decode(const Json& json, const std::string& path, double& value);
void decode(const Json& json, const std::string& path, std::string& value);
void decode(const Json& json, const std::string& path, bool& value);
void decode(const Json& json, const std::string& path, std::optional<double>& value);
void decode(const Json& json, const std::string& path, std::vector<UncertaintyTerm>& terms);
template <class T>
void decode(const Json& json, const std::string& path, std::vector<std::pair<std::string, T>>& named);
template <class T, std::size_t n>
void decode(const Json& json, const std::string& path, std::array<T, n>& values);
template <class T>
void decode(const Json& json, const std::string& path, std::vector<T>& values);
template <class T>
void decode(const Json& json, const std::string& path, T& value);

struct Reader {
  const Json& object;
  std::string path;
  std::vector<std::string> known;

  template <class T>
  void operator()(const std::string& key, T& value) {
    known.push_back(key);
    const std::string name = path.empty() ? key : path + "." + key;
    const auto found = object.find(key);
    if (found == object.end()) refuse(name, "is missing");
    decode(*found, name, value);
  }
  void later(const std::string& key, double& value) {
    value = std::numeric_limits<double>::quiet_NaN();
    if (object.contains(key))
      (*this)(key, value);
    else
      known.push_back(key);
  }
  template <class T>
  void where_known(const std::string& key, std::optional<T>& value) {
    value.reset();
    known.push_back(key);
    if (object.contains(key)) (*this)(key, value.emplace());
  }
  template <class T>
  void where_any(const std::string& key, std::vector<T>& values) {
    values.clear();
    known.push_back(key);
    if (object.contains(key)) (*this)(key, values);
  }
  void refuse_unknown() const {
    for (const auto& item : object.items()) {
      if (std::find(known.begin(), known.end(), item.key()) == known.end()) {
        refuse(path.empty() ? item.key() : path + "." + item.key(), "is not a key of a verdict");
      }
    }
  }
};

void decode(const Json& json, const std::string& path, double& value) {
  if (json.is_null()) {
    value = std::numeric_limits<double>::quiet_NaN();
  } else if (json.is_number()) {
    value = json.get<double>();
  } else {
    refuse(path, "must be a number or null");
  }
}
void decode(const Json& json, const std::string& path, std::string& value) {
  if (!json.is_string()) refuse(path, "must be a text");
  value = json.get<std::string>();
}
void decode(const Json& json, const std::string& path, bool& value) {
  if (!json.is_boolean()) refuse(path, "must be true or false");
  value = json.get<bool>();
}
void decode(const Json& json, const std::string& path, std::optional<double>& value) {
  value.reset();
  if (!json.is_null()) decode(json, path, value.emplace());
}
void decode(const Json& json, const std::string& path, std::vector<UncertaintyTerm>& terms) {
  if (!json.is_object()) refuse(path, "must be an object");
  terms.clear();
  for (const auto& item : json.items()) {
    terms.push_back({item.key(), 0});
    decode(item.value(), path + "." + item.key(), terms.back().u);
  }
}
template <class T>
void decode(const Json& json, const std::string& path, std::vector<std::pair<std::string, T>>& named) {
  if (!json.is_object()) refuse(path, "must be an object");
  named.clear();
  for (const auto& item : json.items()) {
    named.emplace_back(item.key(), T{});
    decode(item.value(), path + "." + item.key(), named.back().second);
  }
}
template <class T, std::size_t n>
void decode(const Json& json, const std::string& path, std::array<T, n>& values) {
  if (!json.is_array() || json.size() != n) refuse(path, "must be an array of " + std::to_string(n));
  for (std::size_t i = 0; i < n; ++i) decode(json[i], path + "[" + std::to_string(i) + "]", values[i]);
}
template <class T>
void decode(const Json& json, const std::string& path, std::vector<T>& values) {
  if (!json.is_array()) refuse(path, "must be an array");
  values.clear();
  for (const Json& element : json) {
    const std::string place = path + "[" + std::to_string(values.size()) + "]";
    decode(element, place, values.emplace_back());
  }
}

template <class T>
void decode_integer(const Json& json, const std::string& path, T& value) {
  const bool fits = json.is_number_unsigned()
                        ? json.get<std::uint64_t>() <= std::uint64_t(std::numeric_limits<T>::max())
                        : json.is_number_integer() && std::is_signed_v<T>;
  if (!fits) refuse(path, "must be an integer within its range");
  value = json.get<T>();
}
template <class E>
void decode_word(const Json& json, const std::string& path, E& value) {
  std::string text;
  decode(json, path, text);
  for (int i = 0; i <= last_value<E>(); ++i) {
    if (text == word(static_cast<E>(i))) {
      value = static_cast<E>(i);
      return;
    }
  }
  refuse(path, "'" + text + "' is not known");
}
template <class T>
void decode(const Json& json, const std::string& path, T& value) {
  if constexpr (std::is_enum_v<T>) {
    decode_word(json, path, value);
  } else if constexpr (std::is_integral_v<T>) {
    decode_integer(json, path, value);
  } else {
    if (!json.is_object()) refuse(path, "must be an object");
    Reader reader{json, path, {}};
    visit(reader, value, value);
    reader.refuse_unknown();
  }
}

}  // namespace

std::string to_json(const BoardVerdict& verdict) {
  std::string text;
  encode(text, verdict);
  return text;
}

BoardVerdict verdict_from_json(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) throw std::runtime_error("verdict JSON: the text is not JSON");
  if (!json.is_object()) throw std::runtime_error("verdict JSON: must be an object");
  BoardVerdict verdict;
  decode(json, "", verdict);
  return verdict;
}

}  // namespace datum
