// HostCommands: what the COMMAND register and the job strobe of one Modbus host make the cell do, and how the last of them
// ended. On the loop's thread.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "daemon/instrument/instrument.h"
#include "daemon/instrument/lock_arbiter.h"
#include "daemon/modbus/registers.h"
#include "daemon/modbus/result_fifo.h"
#include "daemon/system/log_event.h"

namespace datum::modbus {

/// What all hosts of a cell share.
struct CellView {
  Instrument& instrument;
  LockArbiter& control;
  LogSink log;
  std::optional<StoreExtent> store;       // none: it can't be read
  std::array<std::uint32_t, 4> boards{};  // since the start, by Decision
  bool heartbeat = false;                 // level of HEARTBEAT_OUT
};

/// The registers that a host writes, from at_control on.
using ControlWords = std::array<std::uint16_t, control_end - at_control>;
/// UNIT or JOB_NAME.
std::string text_at(const ControlWords& control, Address at);

/// The error number of what the action threw; 0: it threw nothing. What is no refusal of the cell is logged, `name` first.
std::int16_t number_of_refusal(const CellView& cell, const std::string& name,
                               const std::function<void()>& action);

class HostCommands {
 public:
  /// All of it outlives the commands; `name` as lock_arbiter.h has it. A unit that is set is cleared in `control`.
  HostCommands(const std::string& name, CellView& cell, ControlWords& control, ResultFifo& fifo)
      : name_(name), cell_(cell), control_(control), fifo_(fifo) {}

  /// COMMAND was written.
  void run(std::uint16_t command);
  /// The job strobe rose: chooses the job by its name, else by its index, and arms.
  void choose_job_and_arm();

  /// COMMAND_DONE, COMMAND_RESULT and COMMAND_COUNT.
  std::uint16_t done() const { return done_; }
  std::int16_t result() const { return result_; }
  std::uint16_t count() const { return count_; }

 private:
  void execute(std::uint16_t command);
  void choose(const std::string& job);

  const std::string& name_;
  CellView& cell_;
  ControlWords& control_;
  ResultFifo& fifo_;
  std::uint16_t done_ = 0, count_ = 0;
  std::int16_t result_ = 0;
};

}  // namespace datum::modbus
