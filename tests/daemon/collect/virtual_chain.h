// A cell's chain in memory, as datumd's store keeps it and datumd-plant sends it, for tests and benchmarks of the collector.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "daemon/sign/entry_hash.h"
#include "daemon/sign/hex.h"
#include "daemon/store/result_chain.h"
#include "daemon/store/result_store.h"

namespace datum::testing {

class VirtualChain {
 public:
  explicit VirtualChain(std::string cell, std::string store_id = "store-a")
      : cell_(std::move(cell)), store_id_(std::move(store_id)) {}

  /// The message of the next entry.
  std::string board(BoardVerdict verdict) {
    verdict.sequence = ++sequence_;
    verdict.store_id = store_id_;
    return result(row_of(verdict, to_json(verdict)));
  }
  std::string result(StoredResult row) {
    row.sequence = sequence_ = std::max(sequence_, row.sequence);
    row.store_id = store_id_;
    return entry(chain_body(row));
  }
  std::string statement(const std::string& json) { return entry(chain_body(store_id_, json)); }
  /// The store goes on under another id.
  std::string renew(const std::string& id, const std::string& utc = "2026-11-22T00:00:00Z") {
    const Renewal renewal{store_id_, id, sequence_, sequence_ + 100, "it was restored from a copy", utc};
    std::string message = statement(to_statement(renewal));
    store_id_ = id;
    sequence_ = renewal.given;
    return message;
  }
  std::string entry(const std::string& body) {
    const std::string sha256 = EntryHash(before_).add(body).hex();
    ++link_;
    std::string message = text(body, sha256, before_);
    before_ = sha256;
    return message;
  }
  std::string text(const std::string& body, const std::string& sha256, const std::string& before) const {
    nlohmann::ordered_json json{{"cell", cell_}, {"store_id", store_id_}, {"link", link_},
                                {"head", link_}, {"before", before},      {"sha256", sha256}};
    json["body"] = body;
    try {
      return json.dump();
    } catch (const nlohmann::json::type_error&) {  // no UTF-8
      json.erase("body");
      json["body_hex"] = hex_of(reinterpret_cast<const unsigned char*>(body.data()), body.size());
      return json.dump();
    }
  }
  std::uint64_t link() const { return link_; }
  const std::string& head_sha256() const { return before_; }

 private:
  std::string cell_, store_id_;
  std::uint64_t link_ = 0, sequence_ = 0;
  std::string before_{chain_begin};
};

}  // namespace datum::testing
