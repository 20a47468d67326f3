#include "daemon/instrument/scpi_error.h"

#include <fmt/format.h>

#include <algorithm>

#include "drivers/frame/bounded_text.h"

namespace datum::scpi {
namespace {

constexpr std::size_t longest_text = 255;  // SCPI-99 volume 2, 21.8.1

}  // namespace

const char* text_of(int number) {
  const auto& all = all_errors();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const ErrorText& t) { return t.number == number; });
  return found == all.end() ? "Device-specific error" : found->text;
}

std::uint8_t event_bit_of(int number) {
  if (number > 0) return device_dependent_error;
  switch (number / 100) {
    case -1:
      return command_error;
    case -2:
      return execution_error_bit;
    case -3:
      return device_dependent_error;
    case -4:
      return query_error;
    case -5:
      return power_on;
    case -6:
      return user_request;
    case -7:
      return 2;  // request control
    case -8:
      return operation_complete;
    default:
      return 0;
  }
}

std::string quote(const std::string& text) { return quote_whole(bounded_text(text)); }

std::string quote_whole(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += static_cast<unsigned char>(c) < 32 || c == 127 ? ' ' : c;
  }
  return out + '"';
}

void ErrorQueue::push(int number, const std::string& detail) {
  if (entries_.size() == capacity) {
    entries_.back() = fmt::format("{},\"{}\"", int{queue_overflow}, text_of(queue_overflow));
    return;
  }
  std::string text = detail.empty() ? text_of(number) : fmt::format("{};{}", text_of(number), detail);
  if (text.size() > longest_text) text.resize(longest_text);
  entries_.push_back(fmt::format("{},{}", number, quote_whole(text)));
}

std::string ErrorQueue::pop() {
  if (entries_.empty()) return "0,\"No error\"";
  std::string first = std::move(entries_.front());
  entries_.pop_front();
  return first;
}

}  // namespace datum::scpi
