// Reads a verdict's JSON by the lists of keys in verdict_json.cpp.
//
// Strict: an unknown key or word, a missing key or a wrong type is refused. Lenient: an unknown key is passed over, an unknown reason
// counts as none, an element of a list that can't be read is left out, and each of these is named.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "daemon/inspection/verdict/verdict.h"

namespace datum {

/// Where a value stands; its text is made for a message alone, since verdicts have ten thousands of values.
struct JsonPlace {
  const JsonPlace* above = nullptr;
  std::string_view key{};  // empty: an element
  std::size_t index = 0;

  /// "components[3].checks[0].value_um". `general`: without the numbers of elements.
  std::string text(bool general = false) const {
    const std::string before = above ? above->text(general) : "";
    if (key.empty()) return !above ? "" : before + (general ? "[]" : "[" + std::to_string(index) + "]");
    return before.empty() ? std::string(key) : before + "." + std::string(key);
  }
};

/// Keys: `each(f, v)` calls f for each key of v, `word_of(e)` is an enum's word, `last<E>()` its last value.
template <class Keys>
class VerdictReader {
 public:
  using Json = nlohmann::ordered_json;

  /// `left_out`: lenient, and what was left out, each once.
  explicit VerdictReader(std::vector<std::string>* left_out = nullptr) : left_out_(left_out) {}

  template <class T>
  void read(const Json& json, T& value) {
    decode(json, {}, value);
  }

 private:
  using Members = Json::object_t;

  [[noreturn]] static void refuse(const JsonPlace& place, const std::string& problem) {
    throw std::runtime_error("verdict JSON: " + place.text() + ": " + problem);
  }
  void leave_out(const std::string& what) {
    if (std::find(left_out_->begin(), left_out_->end(), what) == left_out_->end()) left_out_->push_back(what);
  }

  /// The members of an object, which are in the order of the list of keys but for those that are absent.
  struct Object {
    VerdictReader& reader;
    const Members& members;
    const JsonPlace& place;
    std::size_t next = 0, found = 0;

    const Json* find(std::string_view key) {
      for (std::size_t i = 0; i < members.size(); ++i) {
        const std::size_t at = (next + i) % members.size();
        if (members.data()[at].first != key) continue;
        next = at + 1;
        ++found;
        return &members.data()[at].second;
      }
      return nullptr;
    }
    template <class T>
    void operator()(std::string_view key, T& value) {
      const JsonPlace here{&place, key};
      const Json* json = find(key);
      if (!json) refuse(here, "is missing");
      reader.decode(*json, here, value);
    }
    void later(std::string_view key, double& value) {
      value = std::numeric_limits<double>::quiet_NaN();
      if (const Json* json = find(key)) reader.decode(*json, {&place, key}, value);
    }
    template <class T>
    void where_known(std::string_view key, std::optional<T>& value) {
      value.reset();
      if (const Json* json = find(key)) reader.decode(*json, {&place, key}, value.emplace());
    }
    template <class T>
    void where_any(std::string_view key, std::vector<T>& values) {
      values.clear();
      if (const Json* json = find(key)) reader.decode(*json, {&place, key}, values);
    }
  };
  struct KeyList {
    std::vector<std::string> keys;
    template <class T>
    void operator()(std::string_view key, const T&) {
      keys.emplace_back(key);
    }
    void later(std::string_view key, const double&) { keys.emplace_back(key); }
    template <class T>
    void where_known(std::string_view key, const T&) {
      keys.emplace_back(key);
    }
    template <class T>
    void where_any(std::string_view key, const T&) {
      keys.emplace_back(key);
    }
  };

  template <class T>
  void pass_unknown(const Object& object, const T& value) {
    if (object.found == object.members.size()) return;
    KeyList known;
    Keys::each(known, value);
    for (const auto& [key, json] : object.members) {
      if (std::find(known.keys.begin(), known.keys.end(), key) != known.keys.end()) continue;
      const JsonPlace here{&object.place, key};
      if (!left_out_) refuse(here, "is not a key of a verdict");
      leave_out(here.text(true));
    }
  }

  void decode(const Json& json, const JsonPlace& place, double& value) {
    if (json.is_null()) {
      value = std::numeric_limits<double>::quiet_NaN();
    } else if (json.is_number()) {
      value = json.get<double>();
    } else {
      refuse(place, "must be a number or null");
    }
  }
  void decode(const Json& json, const JsonPlace& place, std::string& value) {
    if (!json.is_string()) refuse(place, "must be a text");
    value = json.get_ref<const std::string&>();
  }
  void decode(const Json& json, const JsonPlace& place, bool& value) {
    if (!json.is_boolean()) refuse(place, "must be true or false");
    value = json.get<bool>();
  }
  void decode(const Json& json, const JsonPlace& place, std::optional<double>& value) {
    value.reset();
    if (!json.is_null()) decode(json, place, value.emplace());
  }
  void decode(const Json& json, const JsonPlace& place, std::vector<UncertaintyTerm>& terms) {
    if (!json.is_object()) refuse(place, "must be an object");
    terms.clear();
    for (const auto& [key, u] : json.get_ref<const Members&>()) {
      terms.push_back({key, 0});
      decode(u, {&place, key}, terms.back().u);
    }
  }
  template <class T>
  void decode(const Json& json, const JsonPlace& place, std::vector<std::pair<std::string, T>>& named) {
    if (!json.is_object()) refuse(place, "must be an object");
    named.clear();
    for (const auto& [key, value] : json.get_ref<const Members&>()) {
      named.emplace_back(key, T{});
      decode(value, {&place, key}, named.back().second);
    }
  }
  template <class T, std::size_t n>
  void decode(const Json& json, const JsonPlace& place, std::array<T, n>& values) {
    if (!json.is_array() || json.size() != n) refuse(place, "must be an array of " + std::to_string(n));
    for (std::size_t i = 0; i < n; ++i) decode(json[i], {&place, "", i}, values[i]);
  }
  template <class T>
  void decode(const Json& json, const JsonPlace& place, std::vector<T>& values) {
    if (!json.is_array()) refuse(place, "must be an array");
    values.clear();
    values.reserve(json.size());
    for (std::size_t i = 0; i < json.size(); ++i) {
      const JsonPlace here{&place, "", i};
      if (!left_out_) {
        decode(json[i], here, values.emplace_back());
        continue;
      }
      try {
        decode(json[i], here, values.emplace_back());
      } catch (const std::runtime_error& error) {
        values.pop_back();
        leave_out(error.what());
      }
    }
  }
  template <class T>
  static void decode_integer(const Json& json, const JsonPlace& place, T& value) {
    const bool fits = json.is_number_unsigned()
                          ? json.get<std::uint64_t>() <= std::uint64_t(std::numeric_limits<T>::max())
                          : json.is_number_integer() && std::is_signed_v<T>;
    if (!fits) refuse(place, "must be an integer within its range");
    value = json.get<T>();
  }
  template <class E>
  void decode_word(const Json& json, const JsonPlace& place, E& value) {
    if (!json.is_string()) refuse(place, "must be a text");
    const auto& text = json.get_ref<const std::string&>();
    for (int i = 0; i <= Keys::template last<E>(); ++i) {
      if (text == Keys::word_of(static_cast<E>(i))) {
        value = static_cast<E>(i);
        return;
      }
    }
    const std::string problem = "'" + text + "' is not known";
    if (!left_out_ || !std::is_same_v<E, Reason>) refuse(place, problem);
    value = E{};
    leave_out(place.text(true) + ": " + problem);
  }
  template <class T>
  void decode(const Json& json, const JsonPlace& place, T& value) {
    if constexpr (std::is_enum_v<T>) {
      decode_word(json, place, value);
    } else if constexpr (std::is_integral_v<T>) {
      decode_integer(json, place, value);
    } else {
      if (!json.is_object()) refuse(place, "must be an object");
      Object object{*this, json.get_ref<const Members&>(), place};
      Keys::each(object, value);
      pass_unknown(object, std::as_const(value));
    }
  }

  std::vector<std::string>* left_out_;
};

}  // namespace datum
