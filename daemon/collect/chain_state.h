// Where a store's chain stands in the plant's database: which entries are known to exist and are not here, and whether an entry follows
// the ones beside it. Entries may arrive in any order, and more than once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "daemon/collect/plant_message.h"

namespace datum {

/// Entries `first` to `last`.
struct LinkRange {
  std::uint64_t first = 0, last = 0;
  bool operator==(const LinkRange&) const = default;
};

class ChainState {
 public:
  ChainState() = default;
  /// `newest`: highest entry that is known to exist; `gaps`: those that are missing up to it, in order.
  ChainState(std::uint64_t newest, std::vector<LinkRange> gaps) : newest_(newest), gaps_(std::move(gaps)) {}

  std::uint64_t newest() const { return newest_; }
  const std::vector<LinkRange>& gaps() const { return gaps_; }
  bool has(std::uint64_t link) const;
  std::uint64_t missing() const;

  /// The entry is here. What lies between the newest and it is missing.
  void add(std::uint64_t link);
  /// Entries up to `last` exist.
  void expect(std::uint64_t last);
  /// The chain of this store's id begins with entry `first`: it goes on from another id's.
  void begin_at(std::uint64_t first);

 private:
  std::uint64_t newest_ = 0;
  std::vector<LinkRange> gaps_;
};

/// What is known beside an entry.
struct Neighbours {
  std::optional<std::string> before;          // hash of the entry before it
  std::optional<std::string> after_before{};  // hash that the entry after it names as its predecessor's
  /// Of an entry after it whose predecessor was unknown so far.
  std::optional<std::string> after_body{}, after_sha256{};
};

struct Proof {
  enum class Kind : std::uint8_t {
    proven,    // its hash covers its bytes and a hash before, and contradicts no neighbour
    unproven,  // the hash before is unknown: nothing can be said yet
    altered,   // its hash is not that of its bytes
    broken,    // it does not follow the entry before it, or the entry after it does not follow it
  };
  Kind kind = Kind::unproven;
  std::string before;  // hash before it, where known
  std::string why;     // of altered and broken
};

Proof prove(const PlantEntry& entry, const Neighbours& beside);

}  // namespace datum
