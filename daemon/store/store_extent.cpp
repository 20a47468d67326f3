// Arithmetic of sequence numbers with the gaps that renewals leave.
#include <algorithm>

#include "daemon/store/result_store.h"

namespace datum {

std::uint64_t StoreExtent::hole(std::uint64_t sequence) const {
  for (const FormerId& f : former)
    if (sequence > f.last && sequence <= f.given) return f.given;
  return 0;
}

std::uint64_t StoreExtent::next(std::uint64_t after) const {
  if (count == 0 || after >= last) return 0;
  std::uint64_t n = std::max(after + 1, first);
  while (const std::uint64_t end = hole(n)) n = end + 1;
  return n <= last ? n : 0;
}

std::uint64_t StoreExtent::count_above(std::uint64_t sequence) const {
  const std::uint64_t from = next(sequence);
  if (from == 0) return 0;
  std::uint64_t results = last - from + 1;
  for (const FormerId& f : former)
    if (f.last >= from && f.given < last) results -= f.given - f.last;
  return results;
}

std::uint64_t StoreExtent::below_newest(std::uint64_t results) const {
  std::uint64_t end = last;
  for (auto f = former.rbegin(); f != former.rend(); ++f) {
    if (f->given >= end) continue;  // no result after it
    if (results <= end - f->given) break;
    results -= end - f->given;
    end = f->last;
  }
  return end > results ? end - results : 0;
}

std::optional<std::uint64_t> StoreExtent::position_of(const std::string& id, std::uint64_t sequence) const {
  if (id == store_id) return sequence;
  for (const FormerId& f : former)
    if (f.id == id) return sequence > f.last ? f.given : sequence;
  return std::nullopt;
}

}  // namespace datum
