#include "daemon/ctl/remote_results.h"

#include <fmt/format.h>

#include <utility>

#include "daemon/ctl/dialogue.h"
#include "daemon/instrument/scpi_error.h"

namespace datum {
namespace {

StoredResult fetch(ScpiClient& host, std::uint64_t sequence) {
  std::string json = ask_block(host, fmt::format("FETCh:JSON? {}", sequence));
  const BoardVerdict verdict = verdict_from_json(json);
  return row_of(verdict, std::move(json));
}

/// None: not stored.
std::optional<StoredResult> fetch_if_there(ScpiClient& host, std::uint64_t sequence) {
  try {
    return fetch(host, sequence);
  } catch (const RefusedCommand& refused) {
    const auto errors = queued_errors(refused.what());
    if (errors.size() == 1 && errors.front().number == scpi::data_out_of_range) return std::nullopt;
    throw;
  }
}

/// For a sequence number in a gap of a renewal: the newest result below.
std::optional<std::uint64_t> below_hole(ScpiClient& host, std::uint64_t sequence) {
  const auto former = ask(host, "DATA:STORe:FORMer?", 3);
  const std::uint64_t last = std::stoull(former[1]), given = std::stoull(former[2]);
  return sequence > last && sequence <= given ? std::optional(last) : std::nullopt;
}

bool matches(const StoredResult& r, const ResultFilter& filter) {
  return (!filter.decision || *filter.decision == r.decision) &&
         (!filter.recipe || *filter.recipe == r.recipe) &&
         (!filter.unit_id || *filter.unit_id == r.unit_id) &&
         (!filter.board_serial || r.json.find(serial_in_json(*filter.board_serial)) != std::string::npos);
}

}  // namespace

std::vector<StoredResult> remote_results(const LinkOptions& link, const ResultFilter& filter,
                                         std::uint64_t limit) {
  auto host = connect(link);
  std::vector<StoredResult> found;
  auto left = static_cast<std::uint64_t>(number_of(ask(host, "DATA:COUNt?")[0]).value_or(0));
  if (left == 0) return found;
  // Sequence numbers have no gaps except those of renewals.
  for (std::uint64_t n = std::stoull(ask(host, "FETCh:BOARd?")[0]); left > 0 && n > 0 && found.size() < limit;
       --n) {
    auto r = fetch_if_there(host, n);
    if (!r) {
      if (const auto last = below_hole(host, n)) n = *last + 1;
      continue;
    }
    --left;
    if (matches(*r, filter)) found.push_back(*std::move(r));
  }
  return found;
}

std::optional<StoredResult> remote_result(const LinkOptions& link, std::uint64_t sequence) {
  auto host = connect(link);
  return fetch_if_there(host, sequence);
}

}  // namespace datum
