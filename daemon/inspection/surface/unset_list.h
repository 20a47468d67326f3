// Long lists that are written before they are read.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace datum {

/// Leaves new elements of a std::vector as memory has them: millions of them need not be set twice.
template <class T>
struct UnsetAllocator : std::allocator<T> {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
  template <class U>
  struct rebind {
    using other = UnsetAllocator<U>;
  };
  template <class U, class... Args>
  void construct(U* at, Args&&... args) {
    if constexpr (sizeof...(Args) > 0) std::construct_at(at, std::forward<Args>(args)...);
  }
};

/// resize() leaves new elements unset: whoever resizes it writes each of them.
template <class T>
using UnsetList = std::vector<T, UnsetAllocator<T>>;

}  // namespace datum
