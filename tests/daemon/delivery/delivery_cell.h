// Results for lossless delivery from a cell without a file.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "daemon/delivery/result_delivery.h"
#include "tests/daemon/scpi/fixture.h"

namespace datum::testing {

inline constexpr MonotonicNs second = 1'000'000'000;

/// A cell with results in memory: number by the test, the first ones removed by retention.
class Results : public TestCell {
 public:
  Results() : TestCell("/nonexistent") {}
  StoreExtent results() override { return {last - first + 1, first, last, id, given, former}; }
  void position_ahead(const std::string& store_id, const HeldPosition& held) override {
    ahead.push_back(fmt::format("{} {} {}", store_id, held.sequence, held.who));
  }
  std::optional<StoredResult> result(std::optional<std::uint64_t> sequence) override {
    const std::uint64_t n = sequence.value_or(last);
    ++read;
    if (n < first || n > last || results().hole(n) != 0) return std::nullopt;
    StoredResult& stored = made_[n];  // cached, since a line at 5 % requests each of them repeatedly
    if (stored.sequence == n) return stored;
    BoardVerdict v = board(static_cast<int>(n));
    v.components.clear();
    v.sequence = stored.sequence = n;
    v.store_id = stored.store_id = id;
    stored.json = to_json(v);
    return stored;
  }

  std::uint64_t first = 1, last = 0, read = 0;
  std::string id = "00112233aabbccdd";
  std::uint64_t given = 0;
  std::vector<FormerId> former;
  std::vector<std::string> ahead;

 private:
  std::map<std::uint64_t, StoredResult> made_;
};

inline HostLine said(const std::string& text, LineCheck check = LineCheck::crc16) {
  return parse_host_line(with_crc(text, check));
}

inline std::vector<std::uint64_t> sequences(const std::vector<std::string>& lines) {
  std::vector<std::uint64_t> out;
  for (const auto& line : lines)
    if (line[0] == 'R') out.push_back(parse_result_line(line).sequence);
  return out;
}

struct Delivered : ::testing::Test {
  std::vector<std::string> at(MonotonicNs now) {
    auto lines = delivery.due(now);
    if (!lines.empty()) delivery.sent(now);
    return lines;
  }
  Results cell;
  ResultDelivery delivery{cell};
};

}  // namespace datum::testing
