#include "daemon/modbus/image.h"

#include <limits>

#include "daemon/modbus/registers.h"

namespace datum::modbus {
namespace {

std::uint16_t bit(std::uint16_t word, int number) { return word >> number & 1; }

Window without_values() {
  Window words(window_size);
  for (std::size_t row = 0; row < most_rows; ++row) {
    const std::size_t at = in_first_row + row * row_size;
    for (const Of value : {of_value, of_expanded})
      put_f32(words, at + value, std::numeric_limits<float>::quiet_NaN());
    for (const Of value : {of_value_milli, of_expanded_milli}) put_i32(words, at + value, no_integer);
  }
  return words;
}

}  // namespace

std::shared_ptr<const Window> empty_window() {
  static const auto window = std::make_shared<const Window>(without_values());
  return window;
}

std::vector<std::uint16_t> Image::read(const Request& request) const {
  std::vector<std::uint16_t> out;
  out.reserve(request.count);
  constexpr Address inputs[] = {at_status, at_not_ready, at_links};
  for (std::uint32_t at = request.address; at < std::uint32_t{request.address} + request.count; ++at) {
    if (request.table == Table::coils)
      out.push_back(bit(base[at_control], static_cast<int>(at)));
    else if (request.table == Table::discrete_inputs)
      out.push_back(bit(base[inputs[at / 16]], static_cast<int>(at % 16)));
    else if (at < base_end)
      out.push_back(base[at]);
    else
      out.push_back(at < at_fifo ? (*result)[at - at_result] : (*fifo)[at - at_fifo]);
  }
  return out;
}

}  // namespace datum::modbus
