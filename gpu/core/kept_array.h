// Memory that is taken once and kept for the next work of its size. C++17.
#pragma once

#include <cstddef>
#include <memory>

namespace datum {

/// Elements mean nothing until they are written.
template <class T>
class KeptArray {
 public:
  /// Room for `count` elements; what it held before is lost where it must grow.
  T* of(std::size_t count) {
    if (count > room_) {
      elements_.reset(new T[count]);
      room_ = count;
    }
    return elements_.get();
  }
  T* get() { return elements_.get(); }
  const T* get() const { return elements_.get(); }

 private:
  std::unique_ptr<T[]> elements_;
  std::size_t room_ = 0;
};

}  // namespace datum
