// Host: one Modbus peer: its written registers, its handshake, its position in the results. Reconnections and parallel
// connections of a peer are the same host. Only the loop's thread calls it; time is a parameter.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "daemon/hosts/command_link.h"
#include "daemon/instrument/instrument.h"
#include "daemon/instrument/lock_arbiter.h"
#include "daemon/modbus/handshake.h"
#include "daemon/modbus/heartbeat.h"
#include "daemon/modbus/host_commands.h"
#include "daemon/modbus/image.h"
#include "daemon/modbus/result_fifo.h"

namespace datum::modbus {

class Host {
 public:
  /// `acknowledged`: position from the last run. `name` as in lock_arbiter.h.
  Host(std::string name, std::uint64_t acknowledged, std::uint16_t last_id, CellView& cell);
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  const std::string& name() const { return name_; }
  std::uint64_t acknowledged() const { return fifo_.acknowledged(); }

  /// Executes a write that check_write() accepted. illegal_value: nothing was changed.
  Exception write(const Request& request, MonotonicNs now);
  /// A result was stored; `board` is its board number.
  void announced(const BoardVerdict& verdict, std::uint64_t board);
  /// All registers at this moment.
  Image image(MonotonicNs now);
  /// Next time at which image() changes by time alone.
  std::optional<MonotonicNs> due() const;

 private:
  struct Triggered {
    std::uint64_t board = 0, sequence = 0;
    std::uint16_t id = 0;
  };

  ControlWords merged(const Request& request) const;
  Exception check_values(const Request& request) const;
  void follow_control(MonotonicNs now);
  void trigger();
  void watch_plc(MonotonicNs now);
  unsigned not_ready(MonotonicNs now) const;
  unsigned status(unsigned not_ready) const;
  unsigned links() const;
  void put_identity(Image& image) const;
  void put_jobs(Image& image) const;
  void put_status(Image& image, MonotonicNs now) const;
  void put_store(Image& image);
  void load_fifo();
  std::uint16_t id_of(std::uint64_t sequence) const;

  std::string name_;
  CellView& cell_;
  ControlWords control_{};
  Handshake handshake_;
  PlcBeat plc_beat_;
  bool plc_stale_ = false;
  ResultFifo fifo_;
  HostCommands commands_;
  std::deque<Triggered> triggered_;  // the last ones
  std::shared_ptr<const Window> result_, fifo_window_;
  Decision result_decision_ = Decision::invalid;
  std::uint64_t result_sequence_ = 0, fifo_sequence_ = 0;
  std::uint16_t result_code_ = 0;
};

}  // namespace datum::modbus
