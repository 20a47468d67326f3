// Strict reader of a JSON object: every key is requested by name; an unknown, repeated or ill-typed one is
// refused with its path.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <vector>

#include "drivers/sensor/file_bytes.h"

namespace datum {

/// All readers throw FrameError: "FILE: key.path: what is wrong; what is allowed".
class JsonObject {
 public:
  /// The whole text is one JSON object (UTF-8, no repeated key); `file` is its name in messages.
  static JsonObject parse(ByteView text, const std::string& file);

  bool has(const std::string& key) const;
  /// 1..128 characters of printable ASCII.
  std::string text(const std::string& key);
  /// An array of such texts, of which each may be empty.
  std::vector<std::string> texts(const std::string& key);
  /// A finite number.
  double number(const std::string& key);
  std::int64_t integer(const std::string& key);
  bool is_number(const std::string& key) const;
  JsonObject object(const std::string& key);

  /// Refuses keys that were not requested; does not descend.
  void finish() const;
  [[noreturn]] void refuse(const std::string& key, const std::string& problem,
                           const std::string& allowed) const;

 private:
  JsonObject(std::shared_ptr<const nlohmann::json> document, const nlohmann::json* here, std::string file,
             std::string path);
  const nlohmann::json& at(const std::string& key);

  std::shared_ptr<const nlohmann::json> document_;
  const nlohmann::json* here_;
  std::string file_, path_;
  mutable std::set<std::string> asked_;
};

}  // namespace datum
