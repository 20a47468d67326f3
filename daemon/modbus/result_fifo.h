// ResultFifo: the next stored result of a host. It advances by an acknowledgement that the host writes, never by a read,
// since reads are repeated.
#pragma once

#include <algorithm>
#include <cstdint>

#include "daemon/store/result_store.h"

namespace datum::modbus {

class ResultFifo {
 public:
  /// `acknowledged`: all results up to this sequence number.
  explicit ResultFifo(std::uint64_t acknowledged) : acknowledged_(acknowledged) {}

  std::uint64_t acknowledged() const { return acknowledged_; }
  /// The oldest stored result without acknowledgement; 0: none.
  std::uint64_t oldest(const StoreExtent& have) const { return have.next(acknowledged_); }
  std::uint64_t count(const StoreExtent& have) const { return have.count_above(acknowledged_); }
  /// Results that were removed before they were acknowledged.
  std::uint64_t lost(const StoreExtent& have) const {
    return have.first > acknowledged_ + 1 ? have.first - acknowledged_ - 1 : 0;
  }
  /// Cumulative; a repeated acknowledgement has no effect. False: no such result, and nothing was changed.
  bool acknowledge(std::uint64_t sequence, const StoreExtent& have) {
    if (sequence > have.highest()) return false;
    acknowledged_ = std::max(acknowledged_, sequence);
    return true;
  }
  /// Continues after this sequence number, also backwards.
  bool resume(std::uint64_t sequence, const StoreExtent& have) {
    if (sequence > have.highest()) return false;
    acknowledged_ = sequence;
    return true;
  }

 private:
  std::uint64_t acknowledged_;
};

}  // namespace datum::modbus
