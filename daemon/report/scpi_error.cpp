#include "daemon/report/scpi_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace datum::scpi {
namespace {

struct Text {
  int number;
  const char* text;
};

constexpr Text texts[] = {
    {0, "No error"},
    {-100, "Command error"},
    {-101, "Invalid character"},
    {-102, "Syntax error"},
    {-103, "Invalid separator"},
    {-104, "Data type error"},
    {-105, "GET not allowed"},
    {-108, "Parameter not allowed"},
    {-109, "Missing parameter"},
    {-110, "Command header error"},
    {-111, "Header separator error"},
    {-112, "Program mnemonic too long"},
    {-113, "Undefined header"},
    {-114, "Header suffix out of range"},
    {-115, "Unexpected number of parameters"},
    {-120, "Numeric data error"},
    {-121, "Invalid character in number"},
    {-123, "Exponent too large"},
    {-124, "Too many digits"},
    {-128, "Numeric data not allowed"},
    {-130, "Suffix error"},
    {-131, "Invalid suffix"},
    {-134, "Suffix too long"},
    {-138, "Suffix not allowed"},
    {-140, "Character data error"},
    {-141, "Invalid character data"},
    {-144, "Character data too long"},
    {-148, "Character data not allowed"},
    {-150, "String data error"},
    {-151, "Invalid string data"},
    {-158, "String data not allowed"},
    {-160, "Block data error"},
    {-161, "Invalid block data"},
    {-168, "Block data not allowed"},
    {-170, "Expression error"},
    {-171, "Invalid expression"},
    {-178, "Expression data not allowed"},
    {-200, "Execution error"},
    {-203, "Command protected"},
    {-210, "Trigger error"},
    {-211, "Trigger ignored"},
    {-212, "Arm ignored"},
    {-213, "Init ignored"},
    {-214, "Trigger deadlock"},
    {-220, "Parameter error"},
    {-221, "Settings conflict"},
    {-222, "Data out of range"},
    {-223, "Too much data"},
    {-224, "Illegal parameter value"},
    {-225, "Out of memory"},
    {-230, "Data corrupt or stale"},
    {-231, "Data questionable"},
    {-233, "Invalid version"},
    {-240, "Hardware error"},
    {-241, "Hardware missing"},
    {-250, "Mass storage error"},
    {-251, "Missing mass storage"},
    {-252, "Missing media"},
    {-253, "Corrupt media"},
    {-254, "Media full"},
    {-256, "File name not found"},
    {-257, "File name error"},
    {-258, "Media protected"},
    {-300, "Device-specific error"},
    {-310, "System error"},
    {-311, "Memory error"},
    {-313, "Calibration memory lost"},
    {-314, "Save/recall memory lost"},
    {-315, "Configuration memory lost"},
    {-320, "Storage fault"},
    {-321, "Out of memory"},
    {-330, "Self-test failed"},
    {-340, "Calibration failed"},
    {-350, "Queue overflow"},
    {-360, "Communication error"},
    {-361, "Parity error in program message"},
    {-362, "Framing error in program message"},
    {-363, "Input buffer overrun"},
    {-365, "Time out error"},
    {-400, "Query error"},
    {-410, "Query INTERRUPTED"},
    {-420, "Query UNTERMINATED"},
    {-430, "Query DEADLOCKED"},
    {-440, "Query UNTERMINATED after indefinite response"},
    {-500, "Power on"},
    {-600, "User request"},
    {-700, "Request control"},
    {-800, "Operation complete"},
};

constexpr std::size_t longest_text = 255;  // SCPI-99, 21.8.1

}  // namespace

const char* text_of(int number) {
  const auto* found =
      std::find_if(std::begin(texts), std::end(texts), [&](const Text& t) { return t.number == number; });
  return found == std::end(texts) ? "Device-specific error" : found->text;
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

std::string quote(const std::string& text) {
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
  entries_.push_back(fmt::format("{},{}", number, quote(text)));
}

std::string ErrorQueue::pop() {
  if (entries_.empty()) return "0,\"No error\"";
  std::string first = std::move(entries_.front());
  entries_.pop_front();
  return first;
}

}  // namespace datum::scpi
