// What datumd-parse makes of an order, on its way to datumd: a head of single values, and arrays.
#pragma once

#include <span>

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

/// The same in datumd, which trusts none of it: the head is a copy, arrays are copied as they are asked for.
class ParsedOutput {
 public:
  ParsedOutput(const ParseAnswer& answer, std::span<const std::uint8_t> head, const ParseBlock& block)
      : head(head), answer_(answer), block_(block) {}

  FlatReader head;

  /// Throws FlatError where the array has not just so many elements.
  template <class T>
  std::vector<T> array(std::size_t which, std::uint64_t count) const {
    if (answer_.array_bytes[which] % sizeof(T) != 0 || answer_.array_bytes[which] / sizeof(T) != count)
      throw FlatError("an array of " + std::to_string(answer_.array_bytes[which]) + " bytes");
    std::uint64_t at = parse_output_at + answer_.head_bytes;
    for (std::size_t i = 0; i < which; ++i) at += answer_.array_bytes[i];
    std::vector<T> values(count);
    if (!block_.read(at, values.data(), values.size() * sizeof(T))) throw FlatError("a block cut short");
    return values;
  }

 private:
  const ParseAnswer& answer_;
  const ParseBlock& block_;
};

}  // namespace datum
