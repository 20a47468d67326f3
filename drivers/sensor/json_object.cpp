#include "drivers/sensor/json_object.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "drivers/frame/frame_error.h"

namespace datum {
namespace {

using nlohmann::json;

// A key with any bytes, as printable ASCII.
std::string shown(const std::string& key) {
  const std::string quoted = json(key).dump(-1, ' ', true, json::error_handler_t::replace);
  return quoted.substr(1, quoted.size() - 2);
}

// nlohmann keeps the last of two equal keys; here the second is refused, because the intended one is unknown.
class RepeatedKey {
 public:
  explicit RepeatedKey(const std::string& file) : file_(file) {}

  bool operator()(int, json::parse_event_t event, json& parsed) {
    if (event == json::parse_event_t::object_start) open_.emplace_back();
    if (event == json::parse_event_t::object_end) open_.pop_back();
    if (event == json::parse_event_t::key) take(parsed.get<std::string>());
    return true;
  }

 private:
  struct Object {
    std::set<std::string> keys;
    std::string latest;
  };

  void take(const std::string& key) {
    Object& object = open_.back();
    object.latest = key;
    if (object.keys.insert(key).second) return;
    std::string path;
    for (const Object& o : open_) path += (path.empty() ? "" : ".") + shown(o.latest);
    throw FrameError(fmt::format("{}: {}: is given twice; give each key once", file_, path));
  }

  const std::string& file_;
  std::vector<Object> open_;
};

std::string reason_of(const json::exception& e) {
  const std::string text = e.what();  // "[json.exception.parse_error.101] parse error at line ..."
  const std::size_t end = text.find("] ");
  return end == std::string::npos ? text : text.substr(end + 2);
}

}  // namespace

JsonObject::JsonObject(std::shared_ptr<const json> document, const json* here, std::string file,
                       std::string path)
    : document_(std::move(document)), here_(here), file_(std::move(file)), path_(std::move(path)) {}

JsonObject JsonObject::parse(ByteView text, const std::string& file) {
  std::shared_ptr<const json> document;
  try {
    document = std::make_shared<json>(json::parse(text.begin(), text.end(), RepeatedKey(file)));
  } catch (const json::exception& e) {
    throw FrameError(fmt::format("{}: is not JSON: {}", file, reason_of(e)));
  }
  if (!document->is_object())
    throw FrameError(file + ": is not a JSON object; write { \"schema_version\": 1, ... }");
  const json* root = document.get();
  return JsonObject(std::move(document), root, file, "");
}

void JsonObject::refuse(const std::string& key, const std::string& problem,
                        const std::string& allowed) const {
  throw FrameError(fmt::format("{}: {}{}: {}; {}", file_, path_, key, problem, allowed));
}

bool JsonObject::has(const std::string& key) const {
  asked_.insert(key);
  return here_->contains(key);
}

const json& JsonObject::at(const std::string& key) {
  if (!has(key)) refuse(key, "is missing", "it is needed");
  return (*here_)[key];
}

std::string JsonObject::text(const std::string& key) {
  const char* allowed = "a text of 1 to 128 printable ASCII characters is needed";
  const json& value = at(key);
  if (!value.is_string()) refuse(key, fmt::format("is of type {}", value.type_name()), allowed);
  std::string text = value.get<std::string>();
  if (text.empty()) refuse(key, "is empty", allowed);
  if (text.size() > 128) refuse(key, fmt::format("has {} characters", text.size()), allowed);
  const bool printable = std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
  if (!printable) refuse(key, "has another character", allowed);
  return text;
}

std::vector<std::string> JsonObject::texts(const std::string& key) {
  const char* allowed = "texts of at most 128 printable ASCII characters in [ ] are needed";
  const json& value = at(key);
  if (!value.is_array()) refuse(key, fmt::format("is of type {}", value.type_name()), allowed);
  std::vector<std::string> texts;
  for (const json& element : value) {
    const std::string place = fmt::format("{}[{}]", key, texts.size());
    if (!element.is_string()) refuse(place, fmt::format("is of type {}", element.type_name()), allowed);
    const auto& text = element.get_ref<const std::string&>();
    if (text.size() > 128 || std::any_of(text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }))
      refuse(place, "is too long, or has another character", allowed);
    texts.push_back(text);
  }
  return texts;
}

double JsonObject::number(const std::string& key) {
  const json& value = at(key);
  if (!value.is_number()) refuse(key, fmt::format("is of type {}", value.type_name()), "a number is needed");
  const double number = value.get<double>();
  if (!std::isfinite(number)) refuse(key, "is not finite", "a finite number is needed");
  return number;
}

bool JsonObject::is_number(const std::string& key) const { return has(key) && (*here_)[key].is_number(); }

std::int64_t JsonObject::integer(const std::string& key) {
  const json& value = at(key);
  const bool fits = value.is_number_integer() &&
                    !(value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t{INT64_MAX});
  // Only a number is printed: nested arrays could be deeper than the stack.
  const std::string is = value.is_number() ? value.dump() : fmt::format("of type {}", value.type_name());
  if (!fits) refuse(key, "is " + is, "a whole number of at most 63 bits is needed");
  return value.get<std::int64_t>();
}

JsonObject JsonObject::object(const std::string& key) {
  const json& value = at(key);
  if (!value.is_object())
    refuse(key, fmt::format("is of type {}", value.type_name()), "an object { ... } is needed");
  return JsonObject(document_, &value, file_, path_ + key + ".");
}

void JsonObject::finish() const {
  for (const auto& [key, value] : here_->items()) {
    if (asked_.count(key)) continue;
    std::string known;
    for (const std::string& name : asked_) known += (known.empty() ? "" : ", ") + name;
    refuse(shown(key), "is not known", "known here: " + known);
  }
}

}  // namespace datum
