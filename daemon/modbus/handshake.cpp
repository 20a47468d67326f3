#include "daemon/modbus/handshake.h"

#include <utility>

namespace datum::modbus {

bool Handshake::plc(const Signals& now, bool all_else) {
  const bool was_ready = ready(all_else);
  const Signals before = std::exchange(signals_, now);
  if (now.reset && !before.reset) {
    fault_ = Fault::none;
    step_ = Step::idle;
    board_ = 0;
    ack_ = false;
  }
  if (now.results_ack && !before.results_ack) {
    if (step_ == Step::shown)
      step_ = Step::taken;
    else
      fault_ = Fault::ack_without_result;
  }
  if (!now.results_ack && step_ == Step::taken) step_ = Step::idle;
  if (!now.trigger) ack_ = false;
  show_when_fallen();
  if (!now.trigger || before.trigger) return false;
  if (was_ready && !now.results_ack && !now.reset) return true;
  ++ignored_;
  fault_ = Fault::trigger_not_ready;
  return false;
}

void Handshake::triggered(std::uint64_t board) {
  id_ = id_ == 65535 ? std::uint16_t{1} : static_cast<std::uint16_t>(id_ + 1);
  board_ = board;
  step_ = Step::measuring;
  ack_ = true;
  fault_ = Fault::none;
  ++taken_;
}

void Handshake::refused(Fault why) {
  ++ignored_;
  fault_ = why;
}

bool Handshake::stored(std::uint64_t board) {
  if (step_ != Step::measuring || board != board_) return false;
  step_ = Step::held;
  show_when_fallen();
  return true;
}

void Handshake::in_work(std::uint64_t board) {
  if (step_ != Step::measuring || board == board_) return;
  step_ = Step::idle;
  ack_ = false;
  fault_ = Fault::board_lost;
}

void Handshake::show_when_fallen() {
  if (step_ == Step::held && !signals_.trigger) step_ = Step::shown;
}

}  // namespace datum::modbus
