#include "daemon/collect/chain_state.h"

#include <fmt/format.h>

#include <algorithm>

#include "daemon/store/result_chain.h"

namespace datum {
namespace {

std::string start_of(const std::string& sha256) { return sha256.substr(0, 12); }

}  // namespace

bool ChainState::has(std::uint64_t link) const {
  return link >= 1 && link <= newest_ && std::none_of(gaps_.begin(), gaps_.end(), [&](const LinkRange& gap) {
           return gap.first <= link && link <= gap.last;
         });
}

std::uint64_t ChainState::missing() const {
  std::uint64_t n = 0;
  for (const LinkRange& gap : gaps_) n += gap.last - gap.first + 1;
  return n;
}

void ChainState::expect(std::uint64_t last) {
  if (last <= newest_) return;
  if (!gaps_.empty() && gaps_.back().last == newest_)
    gaps_.back().last = last;
  else
    gaps_.push_back({newest_ + 1, last});
  newest_ = last;
}

void ChainState::add(std::uint64_t link) {
  if (link > newest_ + 1) expect(link - 1);
  if (link > newest_) {
    newest_ = link;
    return;
  }
  const auto gap = std::find_if(gaps_.begin(), gaps_.end(),
                                [&](const LinkRange& g) { return g.first <= link && link <= g.last; });
  if (gap == gaps_.end()) return;
  const LinkRange below{gap->first, link - 1}, above{link + 1, gap->last};
  auto at = gaps_.erase(gap);
  if (above.first <= above.last) at = gaps_.insert(at, above);
  if (below.first <= below.last) gaps_.insert(at, below);
}

void ChainState::begin_at(std::uint64_t first) {
  if (newest_ == 0) newest_ = first - 1;
  std::erase_if(gaps_, [&](const LinkRange& gap) { return gap.last < first; });
  if (!gaps_.empty()) gaps_.front().first = std::max(gaps_.front().first, first);
}

Proof prove(const PlantEntry& entry, const Neighbours& beside) {
  using Kind = Proof::Kind;
  std::optional<std::string> before = beside.before;
  if (entry.link == 1) before = std::string(chain_begin);
  if (!entry.before.empty()) {
    if (entry_hash(entry.before, entry.body) != entry.sha256)
      return {Kind::altered, "", "its SHA-256 is not that of its bytes"};
    if (before && *before != entry.before)
      return {Kind::broken, "",
              fmt::format("it follows {}..., and the entry before it is {}...", start_of(entry.before),
                          start_of(*before))};
    before = entry.before;
  } else if (before && entry_hash(*before, entry.body) != entry.sha256) {
    return {Kind::broken, "", fmt::format("it does not follow {}...", start_of(*before))};
  }
  const bool breaks_next =
      (beside.after_before && *beside.after_before != entry.sha256) ||
      (beside.after_body && entry_hash(entry.sha256, *beside.after_body) != beside.after_sha256);
  if (breaks_next) return {Kind::broken, "", "the entry after it does not follow it"};
  return {before ? Kind::proven : Kind::unproven, before.value_or(""), ""};
}

}  // namespace datum
