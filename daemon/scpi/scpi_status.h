// Status registers of one host (IEEE 488.2, chapter 11; SCPI-99 volume 1, chapter 9).
#pragma once

#include <cstdint>

namespace datum::scpi {

/// Condition, transition filters, event and enable register of STATus:OPERation or :QUEStionable. A rising bit (with
/// `rises`) or a falling bit (with `falls`) sets its event until the event register is read.
struct ConditionRegister {
  std::uint16_t condition = 0, event = 0, enable = 0;
  std::uint16_t rises = 0x7FFF, falls = 0;

  void update(std::uint16_t now) {
    event = static_cast<std::uint16_t>(event | (now & ~condition & rises) | (condition & ~now & falls));
    condition = now;
  }
  std::uint16_t read_event() {
    const auto was = event;
    event = 0;
    return was;
  }
  bool summary() const { return (event & enable) != 0; }
};

/// Bits of the status byte (IEEE 488.2, 11.2).
enum StatusBit : std::uint8_t {
  status_error_queue = 4,
  status_questionable = 8,
  status_message_available = 16,
  status_event = 32,
  status_master_summary = 64,
  status_operation = 128,
};

struct Status {
  std::uint8_t event = 0;           // *ESR?
  std::uint8_t event_enable = 0;    // *ESE
  std::uint8_t service_enable = 0;  // *SRE; bit 6 is ignored
  ConditionRegister operation, questionable;

  std::uint8_t read_event() {
    const auto was = event;
    event = 0;
    return was;
  }
  /// *CLS: clears events, keeps enables.
  void clear_events() { event = 0, operation.event = 0, questionable.event = 0; }
  std::uint8_t byte(bool errors, bool message_available) const;
};

}  // namespace datum::scpi
