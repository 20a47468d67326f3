#include "daemon/collect/plant_message.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <stdexcept>

#include "daemon/sign/entry_hash.h"
#include "daemon/sign/hex.h"

namespace datum {
namespace {

namespace dom = simdjson::dom;

/// Numbers of entries stay within the signed 64 bits of a database.
constexpr std::uint64_t largest_link = 1ULL << 62;
constexpr std::size_t longest_handle = 120, longest_store_id = 64;

struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

bool is_name(std::string_view text, std::size_t longest) {
  const auto allowed = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '.' ||
           c == '-' || c == '_';
  };
  return !text.empty() && text.size() <= longest && std::all_of(text.begin(), text.end(), allowed);
}

std::string_view text_of(const dom::object& object, const char* key) {
  std::string_view text;
  if (object[key].get(text) != simdjson::SUCCESS) throw Refused(fmt::format("has no text '{}'", key));
  return text;
}

std::uint64_t link_of(const dom::object& object, const char* key) {
  std::uint64_t link = 0;
  if (object[key].get(link) != simdjson::SUCCESS || link < 1 || link > largest_link)
    throw Refused(fmt::format("has no number '{}' of an entry", key));
  return link;
}

std::string name_of(const dom::object& object, const char* key, std::size_t longest) {
  const std::string_view text = text_of(object, key);
  if (!is_name(text, longest))
    throw Refused(fmt::format("'{}' is no name of up to {} letters, digits, '.', '-' and '_'", key, longest));
  return std::string(text);
}

std::string hash_of(const dom::object& object, const char* key, bool may_be_empty) {
  const std::string_view text = text_of(object, key);
  if (!(may_be_empty && text.empty()) && !is_hex(text, 64))
    throw Refused(fmt::format("'{}' is no SHA-256", key));
  return std::string(text);
}

std::string body_of(const dom::object& object) {
  if (std::string_view body; object["body"].get(body) == simdjson::SUCCESS) return std::string(body);
  const auto bytes = bytes_of_hex(text_of(object, "body_hex"));
  if (!bytes) throw Refused("'body_hex' is no hex");
  return {bytes->begin(), bytes->end()};
}

std::optional<std::uint64_t> number_of(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number > largest_link) return std::nullopt;
  return number;
}

/// Fields of netstrings.
std::vector<std::string_view> fields_of(std::string_view body) {
  std::vector<std::string_view> fields;
  while (!body.empty()) {
    const std::size_t colon = body.substr(0, 20).find(':');
    const auto length = colon == body.npos ? std::nullopt : number_of(body.substr(0, colon));
    if (!length || body.size() - colon < *length + 2 || body[colon + 1 + *length] != ',')
      throw Refused("its body is no list of netstrings");
    fields.push_back(body.substr(colon + 1, *length));
    body.remove_prefix(colon + *length + 2);
    if (fields.size() > 10) break;
  }
  return fields;
}

void read_body(PlantEntry& entry) {
  entry.fields = fields_of(entry.body);
  const bool is_statement = entry.fields.size() == 3 && entry.fields[1] == "statement";
  if (!is_statement && entry.fields.size() != 10)
    throw Refused("its body is neither a result nor a statement");
  if (!is_name(entry.fields[0], longest_store_id)) throw Refused("its body has no store's id");
  entry.store_id = entry.fields[0];
  entry.fields.erase(entry.fields.begin());
  if (is_statement) return;
  const auto sequence = number_of(entry.fields[0]);
  if (!sequence || *sequence == 0) throw Refused("its body has no sequence number");
  entry.sequence = *sequence;
  if (entry.decision().size() != 1 || entry.decision()[0] < '0' || entry.decision()[0] > '3')
    throw Refused("its body has no decision");
}

PlantMessageContent read(const dom::object& object) {
  if (dom::object gap; object["gap"].get(gap) == simdjson::SUCCESS) {
    PlantGap read{name_of(object, "cell", longest_handle), name_of(object, "store_id", longest_store_id),
                  link_of(gap, "first"), link_of(gap, "last")};
    if (read.first > read.last) throw Refused("its gap ends before it begins");
    return read;
  }
  PlantEntry entry;
  entry.cell = name_of(object, "cell", longest_handle);
  entry.link = link_of(object, "link");
  entry.before = hash_of(object, "before", true);
  entry.sha256 = hash_of(object, "sha256", false);
  entry.body = body_of(object);
  if (object["head"].error() == simdjson::SUCCESS) entry.head = link_of(object, "head");
  read_body(entry);
  return entry;
}

}  // namespace

PlantMessageContent decode_plant_message(std::string_view bytes, std::size_t largest) {
  if (bytes.size() > largest)
    return Refusal{
        fmt::format("has {} bytes; the setting largest_message_mib allows {}", bytes.size(), largest)};
  thread_local dom::parser parser;
  dom::object object;
  if (const auto error = parser.parse(bytes.data(), bytes.size()).get(object); error != simdjson::SUCCESS)
    return Refusal{fmt::format("is no JSON object in UTF-8: {}", simdjson::error_message(error))};
  try {
    return read(object);
  } catch (const Refused& refused) {
    return Refusal{refused.what()};
  }
}

std::string entry_hash(std::string_view before, std::string_view body) {
  return EntryHash(before).add(body).hex();
}

}  // namespace datum
