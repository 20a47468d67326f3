// The handshake of a PLC with an inspection: which board's result the PLC may read, and when. No clock, no descriptor.
//
//   READY -> TRIGGER rises -> RESULT_ID given, TRIGGER_ACK, BUSY -> TRIGGER falls -> TRIGGER_ACK falls
//         -> the result is stored -> RESULTS_VALID -> RESULTS_ACK rises -> RESULTS_VALID falls -> RESULTS_ACK falls -> READY
//
// Untimely signals are ignored and named by a fault: TRIGGER while READY is 0, RESULTS_ACK without a result. A level that
// stays high starts nothing: TRIGGER and RESULTS_ACK must fall before READY. RESULTS_ACK must rise after RESULTS_VALID to
// accept a result. A result is shown only under the id of its own trigger.
#pragma once

#include <cstdint>

#include "daemon/modbus/codes.h"

namespace datum::modbus {

class Handshake {
 public:
  struct Signals {  // the PLC's last written signals
    bool trigger = false, results_ack = false, reset = false;
  };
  /// `last_id`: the id before the first one.
  explicit Handshake(std::uint16_t last_id) : id_(last_id) {}

  /// The PLC wrote its signals. `ready`: the conditions of READY outside of the handshake. True: TRIGGER is accepted;
  /// trigger the cell, then call triggered() or refused().
  bool plc(const Signals& now, bool ready);
  /// The cell accepted the trigger for this board number.
  void triggered(std::uint64_t board);
  void refused(Fault why);
  /// The result of a board was stored. True: it belongs to this handshake's trigger.
  bool stored(std::uint64_t board);
  /// The number of the board in progress, 0: none. The awaited board ended without a result where the number differs.
  void in_work(std::uint64_t board);
  /// Sets a fault that the daemon detected.
  void fault(Fault fault) { fault_ = fault; }

  bool ready(bool all_else) const {
    return all_else && step_ == Step::idle && !signals_.trigger && !signals_.results_ack;
  }
  bool trigger_ack() const { return ack_; }
  bool busy() const { return step_ == Step::measuring || step_ == Step::held; }
  bool results_valid() const { return step_ == Step::shown; }
  bool taking() const { return step_ == Step::taken; }
  std::uint16_t id() const { return id_; }
  Fault fault() const { return fault_; }
  const Signals& signals() const { return signals_; }
  std::uint32_t taken() const { return taken_; }
  std::uint32_t ignored() const { return ignored_; }

 private:
  enum class Step : std::uint8_t {
    idle,
    measuring,  // triggered, the result is outstanding
    held,       // stored, TRIGGER is still high
    shown,      // RESULTS_VALID
    taken,      // RESULTS_ACK is high
  };
  void show_when_fallen();

  Step step_ = Step::idle;
  Signals signals_;
  bool ack_ = false;
  std::uint16_t id_;
  std::uint64_t board_ = 0;
  Fault fault_ = Fault::none;
  std::uint32_t taken_ = 0, ignored_ = 0;
};

}  // namespace datum::modbus
