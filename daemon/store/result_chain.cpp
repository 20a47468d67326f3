#include "daemon/store/result_chain.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "daemon/sign/entry_hash.h"
#include "daemon/store/act_records.h"
#include "daemon/store/chart_records.h"
#include "daemon/store/check_records.h"
#include "daemon/store/result_store.h"

namespace datum {
namespace {

using Json = nlohmann::ordered_json;

/// Appends the fields that the hash covers after the hash before.
template <class To>
To& put_body(To& to, const StoredResult& r) {
  to.field(r.store_id)
      .field(std::to_string(r.sequence))
      .field(r.measured_at)
      .field(r.unit_id)
      .field(r.recipe);
  to.field(std::to_string(static_cast<int>(r.decision))).field(r.reason).field(r.frame_id);
  to.field(r.frame_sha256).field(r.json);
  return to;
}
template <class To>
To& put_body(To& to, const std::string& store_id, const std::string& statement) {
  to.field(store_id).field("statement").field(statement);
  return to;
}

struct Netstrings {
  std::string text;
  Netstrings& field(std::string_view bytes) {
    text.append(std::to_string(bytes.size())).append(":").append(bytes).append(",");
    return *this;
  }
};

}  // namespace

std::string chain_hash(std::string_view before, const StoredResult& r) {
  EntryHash hash(before);
  return put_body(hash, r).hex();
}

std::string chain_hash(std::string_view before, const std::string& store_id, const std::string& statement) {
  EntryHash hash(before);
  return put_body(hash, store_id, statement).hex();
}

std::string chain_body(const StoredResult& r) {
  Netstrings to;
  return std::move(put_body(to, r).text);
}

std::string chain_body(const std::string& store_id, const std::string& statement) {
  Netstrings to;
  return std::move(put_body(to, store_id, statement).text);
}

std::string to_statement(const Removal& r) {
  Json json{{"what", "removed"},        {"results", r.results},         {"first", r.first}, {"last", r.last},
            {"last_link", r.last_link}, {"last_sha256", r.last_sha256}, {"rule", r.rule},   {"utc", r.utc}};
  if (!r.altered.empty()) json["altered"] = r.altered;
  return json.dump();
}

bool from_statement(const std::string& statement, Removal& r) {
  try {
    const Json json = Json::parse(statement);
    if (json.at("what") != "removed") return false;
    r = {json.at("results"),     json.at("first"),          json.at("last"), json.at("last_link"),
         json.at("last_sha256"), json.value("altered", ""), json.at("rule"), json.at("utc")};
    return true;
  } catch (const Json::exception& error) {
    throw std::runtime_error(fmt::format("the statement '{}' can't be read: {}", statement, error.what()));
  }
}

std::string to_statement(const Renewal& r) {
  return Json{{"what", "renewed"}, {"former_id", r.former_id}, {"id", r.id},
              {"last", r.last},    {"given", r.given},         {"why", r.why},
              {"utc", r.utc}}
      .dump();
}

bool from_statement(const std::string& statement, Renewal& r) {
  try {
    const Json json = Json::parse(statement);
    if (json.at("what") != "renewed") return false;
    r = {json.at("former_id"), json.at("id"),  json.at("last"),
         json.at("given"),     json.at("why"), json.at("utc")};
    return true;
  } catch (const Json::exception& error) {
    throw std::runtime_error(fmt::format("the statement '{}' can't be read: {}", statement, error.what()));
  }
}

std::string words_of(const Renewal& r) {
  return fmt::format("store {} goes on as {} behind result {}, next number {}: {}", r.former_id, r.id, r.last,
                     r.given + 1, r.why);
}

std::string to_statement(const Deed& d) {
  Json json{{"what", "deed"}, {"host", d.host}, {"role", d.role}, {"deed", d.deed}, {"utc", d.utc}};
  if (d.left_out > 0) json["left_out"] = d.left_out;
  if (!d.certificate.empty()) json["certificate"] = d.certificate;
  if (!d.person.empty()) json["person"] = d.person;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);  // a host may send invalid UTF-8
}

std::string made_statement(const std::string& utc) { return Json{{"what", "made"}, {"utc", utc}}.dump(); }

std::string migrated_statement(std::int64_t from_schema, std::uint64_t results, const std::string& utc) {
  return Json{{"what", "migrated"}, {"from_schema", from_schema}, {"results", results}, {"utc", utc}}.dump();
}

std::string words_of(const std::string& statement) {
  try {
    Removal r;
    const Json json = Json::parse(statement);
    if (from_statement(statement, r))
      return fmt::format("{}: {} results, {} to {}, removed: {}{}", r.utc, r.results, r.first, r.last, r.rule,
                         r.altered.empty() ? "" : "; " + r.altered);
    if (Renewal renewal; from_statement(statement, renewal))
      return fmt::format("{}: {}", renewal.utc, words_of(renewal));
    const std::string utc = json.value("utc", "");
    if (json.at("what") == "deed") {
      const auto left_out = json.value("left_out", std::uint64_t{0});
      const std::string certificate = json.value("certificate", "");
      const std::string person = json.value("person", "");
      return fmt::format("{}: {}{} ({}{}): {}{}", utc, person.empty() ? "" : person + " at ",
                         json.value("host", ""), json.value("role", ""),
                         certificate.empty() ? "" : ", " + certificate, json.value("deed", ""),
                         left_out == 0 ? "" : fmt::format(" ({} before it are not listed)", left_out));
    }
    if (json.at("what") == "check") return fmt::format("{}: {}", utc, words_of(check_record_from(statement)));
    if (json.at("what") == "chart") return fmt::format("{}: {}", utc, words_of(chart_record_from(statement)));
    if (const auto act = act_from(statement)) return fmt::format("{}: {}", utc, words_of(*act));
    if (json.at("what") == "migrated")
      return fmt::format("{}: brought from schema {} with {} results", utc, json.at("from_schema").get<int>(),
                         json.at("results").get<std::uint64_t>());
    return fmt::format("{}: {}", utc, json.at("what").get<std::string>());
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace datum
