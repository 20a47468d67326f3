// What datumd-parse makes of an order, on its way to datumd: a head of single values, and arrays.
#pragma once

#include <any>
#include <span>
#include <vector>

#include "daemon/parse/flat_bytes.h"
#include "daemon/parse/parse_block.h"
#include "daemon/parse/parse_wire.h"

namespace datum {

struct ParseOutput {
  FlatWriter head;
  std::array<std::span<const std::uint8_t>, most_parse_arrays> arrays{};  // borrowed until the answer is sent

  template <class T>
  void put_array(std::size_t which, const std::vector<T>& values) {
    arrays[which] = {reinterpret_cast<const std::uint8_t*>(values.data()), values.size() * sizeof(T)};
  }
};

/// Arrays as the last answer had them, made while the other process works: frames of a sensor are of one size, and the
/// pages of a new array take as long as the copy into it.
class ArrayStock {
 public:
  /// Makes the arrays.
  void prepare() {
    for (Kind& k : kinds_)
      if (k.make) k.made = k.make(k.count);
  }
  /// Forgets the arrays that were not taken.
  void clear() {
    for (Kind& k : kinds_) k.made.reset();
  }
  /// An array of so many elements, whatever they are.
  template <class T>
  std::vector<T> take(std::size_t which, std::size_t count) {
    Kind& k = kinds_[which];
    auto* const made = std::any_cast<std::vector<T>>(&k.made);
    std::vector<T> taken = made && made->size() == count ? std::move(*made) : std::vector<T>(count);
    k.made.reset();
    k.count = count;
    k.make = [](std::size_t n) { return std::any(std::vector<T>(n)); };
    return taken;
  }

 private:
  struct Kind {
    std::any made;
    std::size_t count = 0;
    std::any (*make)(std::size_t) = nullptr;
  };
  std::array<Kind, most_parse_arrays> kinds_;
};

/// The same in datumd, which trusts none of it: the head is a copy, arrays are copied as they are asked for.
class ParsedOutput {
 public:
  ParsedOutput(const ParseAnswer& answer, std::span<const std::uint8_t> head, const ParseBlock& block,
               ArrayStock* stock = nullptr)
      : head(head), answer_(answer), block_(block), stock_(stock) {}

  FlatReader head;

  /// Throws FlatError where the array has not just so many elements.
  template <class T>
  std::vector<T> array(std::size_t which, std::uint64_t count) const {
    if (answer_.array_bytes[which] % sizeof(T) != 0 || answer_.array_bytes[which] / sizeof(T) != count)
      throw FlatError("an array of " + std::to_string(answer_.array_bytes[which]) + " bytes");
    std::uint64_t at = parse_output_at + answer_.head_bytes;
    for (std::size_t i = 0; i < which; ++i) at += answer_.array_bytes[i];
    std::vector<T> values = stock_ ? stock_->take<T>(which, count) : std::vector<T>(count);
    if (!block_.read(at, values.data(), values.size() * sizeof(T))) throw FlatError("a block cut short");
    return values;
  }

 private:
  const ParseAnswer& answer_;
  const ParseBlock& block_;
  ArrayStock* const stock_;
};

}  // namespace datum
