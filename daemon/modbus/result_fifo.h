// ResultFifo: which stored result a host has next. It goes on by an acknowledgement that the host writes, never by a read:
// reads are repeated.
#pragma once

#include <algorithm>
#include <cstdint>

#include "daemon/store/result_store.h"

namespace datum::modbus {

class ResultFifo {
 public:
  /// `acknowledged`: all up to this sequence.
  explicit ResultFifo(std::uint64_t acknowledged) : acknowledged_(acknowledged) {}

  std::uint64_t acknowledged() const { return acknowledged_; }
  /// The oldest that is not acknowledged and still stored; 0: there is none.
  std::uint64_t oldest(const StoreExtent& have) const { return have.next(acknowledged_); }
  std::uint64_t count(const StoreExtent& have) const { return have.count_above(acknowledged_); }
  /// Taken out of the store before they were acknowledged.
  std::uint64_t lost(const StoreExtent& have) const {
    return have.first > acknowledged_ + 1 ? have.first - acknowledged_ - 1 : 0;
  }
  /// Cumulative; what is acknowledged already changes nothing. False: there is no such result, nothing was changed.
  bool acknowledge(std::uint64_t sequence, const StoreExtent& have) {
    if (sequence > have.highest()) return false;
    acknowledged_ = std::max(acknowledged_, sequence);
    return true;
  }
  /// Goes on behind it, even backwards.
  bool resume(std::uint64_t sequence, const StoreExtent& have) {
    if (sequence > have.highest()) return false;
    acknowledged_ = sequence;
    return true;
  }

 private:
  std::uint64_t acknowledged_;
};

}  // namespace datum::modbus
