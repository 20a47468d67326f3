// Values as flat bytes, in the order of this machine: both ends are one build.
#pragma once

#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace datum {

/// Bytes of the other process that are not what they should be.
class FlatError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class FlatWriter {
 public:
  template <class T>
  void put(const T& value) {
    static_assert(std::is_arithmetic_v<T>);
    const auto* from = reinterpret_cast<const std::uint8_t*>(&value);
    bytes_.insert(bytes_.end(), from, from + sizeof value);
  }
  void put_text(std::string_view text) {
    put(static_cast<std::uint32_t>(text.size()));
    bytes_.insert(bytes_.end(), text.begin(), text.end());
  }
  const std::vector<std::uint8_t>& bytes() const { return bytes_; }

 private:
  std::vector<std::uint8_t> bytes_;
};

/// Reads nothing beyond the end: throws FlatError there.
class FlatReader {
 public:
  explicit FlatReader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  template <class T>
  T get() {
    static_assert(std::is_arithmetic_v<T>);
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::string get_text(std::size_t most) {
    const auto size = get<std::uint32_t>();
    if (size > most) throw FlatError("a text of " + std::to_string(size) + " bytes");
    const auto bytes = take(size);
    return {bytes.begin(), bytes.end()};
  }
  std::size_t left() const { return bytes_.size(); }
  void finish() const {
    if (!bytes_.empty()) throw FlatError(std::to_string(bytes_.size()) + " bytes beyond the end");
  }

 private:
  std::span<const std::uint8_t> take(std::size_t size) {
    if (size > bytes_.size()) throw FlatError("it ends too early");
    const auto taken = bytes_.first(size);
    bytes_ = bytes_.subspan(size);
    return taken;
  }

  std::span<const std::uint8_t> bytes_;
};

}  // namespace datum
