// SCPI-99 errors: numbers, exact texts, their class in the event status register, and the error queue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <stdexcept>
#include <string>
#include <vector>

namespace datum::scpi {

/// Numbers of SCPI-99 volume 2, 21.8 that datumd raises.
enum ErrorNumber : int {
  no_error = 0,
  invalid_character = -101,
  syntax_error = -102,
  invalid_separator = -103,
  parameter_not_allowed = -108,
  missing_parameter = -109,
  command_header_error = -110,
  header_separator_error = -111,
  mnemonic_too_long = -112,
  undefined_header = -113,
  header_suffix_out_of_range = -114,
  invalid_character_in_number = -121,
  exponent_too_large = -123,
  too_many_digits = -124,
  numeric_data_not_allowed = -128,
  invalid_suffix = -131,
  suffix_too_long = -134,
  suffix_not_allowed = -138,
  character_data_too_long = -144,
  character_data_not_allowed = -148,
  invalid_string_data = -151,
  string_data_not_allowed = -158,
  invalid_block_data = -161,
  block_data_not_allowed = -168,
  invalid_expression = -171,
  expression_data_not_allowed = -178,
  execution_error = -200,
  command_protected = -203,
  trigger_ignored = -211,
  init_ignored = -213,
  settings_conflict = -221,
  data_out_of_range = -222,
  too_much_data = -223,
  illegal_parameter_value = -224,
  data_corrupt_or_stale = -230,
  hardware_missing = -241,
  mass_storage_error = -250,
  media_full = -254,
  file_name_not_found = -256,
  file_name_error = -257,
  media_protected = -258,
  system_error = -310,
  configuration_memory_lost = -315,
  storage_fault = -320,
  self_test_failed = -330,
  calibration_failed = -340,
  queue_overflow = -350,
  input_buffer_overrun = -363,
  query_deadlocked = -430,
};

/// One number of the standard, for the manual and for the test that raises each.
struct ErrorText {
  int number;
  const char* text;        // text of the standard
  const char* cause;       // cause in datumd; null: never raised
  const char* never;       // why it is never raised
  bool by_a_link = false;  // a link raises it, independent of a message
};
const std::vector<ErrorText>& all_errors();

/// Text of the standard; "Device-specific error" for other numbers.
const char* text_of(int number);

/// Bits of the standard event status register (IEEE 488.2, 11.5.1).
enum EventBit : std::uint8_t {
  operation_complete = 1,
  query_error = 4,
  device_dependent_error = 8,
  execution_error_bit = 16,
  command_error = 32,
  user_request = 64,
  power_on = 128,
};
/// The event bit for an error number.
std::uint8_t event_bit_of(int number);

/// A refusal of a command; `detail` states the fault and the allowed values.
class Error : public std::runtime_error {
 public:
  explicit Error(int number, const std::string& detail = "") : std::runtime_error(detail), number_(number) {}
  int number() const { return number_; }

 private:
  int number_;
};

/// First in, first out. When it is full, its last entry becomes -350 and further errors are lost until an entry is read.
class ErrorQueue {
 public:
  static constexpr std::size_t capacity = 32;
  void push(int number, const std::string& detail);
  /// Removes and returns the oldest entry, `-113,"Undefined header;FOO:BAR"`, at most 255 characters between the quotes.
  /// Empty queue: `0,"No error"`.
  std::string pop();
  std::size_t size() const { return entries_.size(); }
  void clear() { entries_.clear(); }

 private:
  std::deque<std::string> entries_;
};

/// bounded_text of `text` as a quoted answer; double quotes are doubled, line ends and controls become blanks.
std::string quote(const std::string& text);
/// The same without a limit, for text that its command bounds.
std::string quote_whole(const std::string& text);

}  // namespace datum::scpi
