// The handshake of a PLC with an inspection: which board's result the PLC may read, and when. No clock, no descriptor.
//
//   READY -> TRIGGER rises -> RESULT_ID given, TRIGGER_ACK, BUSY -> TRIGGER falls -> TRIGGER_ACK falls
//         -> the result is stored -> RESULTS_VALID -> RESULTS_ACK rises -> RESULTS_VALID falls -> RESULTS_ACK falls -> READY
//
// What comes at another time is ignored and named by a fault: TRIGGER while READY is 0, RESULTS_ACK while there is no
// result. A level that stayed high starts nothing: TRIGGER and RESULTS_ACK must have fallen before READY, and a result is
// taken by RESULTS_ACK rising after RESULTS_VALID. A result is shown under the id of its own trigger or not at all.
#pragma once

#include <cstdint>

#include "daemon/modbus/codes.h"

namespace datum::modbus {

class Handshake {
 public:
  struct Signals {  // of the PLC, as it wrote them last
    bool trigger = false, results_ack = false, reset = false;
  };
  /// `last_id`: the id before the first one.
  explicit Handshake(std::uint16_t last_id) : id_(last_id) {}

  /// The PLC wrote its signals. `ready`: all else that READY needs. True: TRIGGER is taken; trigger the cell and say
  /// triggered() or refused().
  bool plc(const Signals& now, bool ready);
  /// The cell took it: this is its board's number.
  void triggered(std::uint64_t board);
  void refused(Fault why);
  /// A board's result is in the store. True: it is the result of this handshake's trigger.
  bool stored(std::uint64_t board);
  /// The board that the cell has in work, 0 for none: the one that is waited for is gone without a result.
  void in_work(std::uint64_t board);
  /// What the daemon noticed itself.
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
    measuring,  // triggered, the result is to come
    held,       // stored, TRIGGER has not fallen yet
    shown,      // RESULTS_VALID
    taken,      // RESULTS_ACK rose and has not fallen yet
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
