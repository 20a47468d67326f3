// A cell for a PLC, and one Modbus host of it without a link; time is injected.
#pragma once

#include <string>
#include <vector>

#include "daemon/modbus/host.h"
#include "daemon/modbus/registers.h"
#include "tests/daemon/scpi/fixture.h"

namespace datum::modbus::testing {

/// A cell with a connected sensor that stays armed.
class PlcCell : public datum::testing::TestCell {
 public:
  explicit PlcCell(const std::filesystem::path& store) : TestCell(store), store_file_(store) {}
  /// Includes results of an earlier run.
  StoreExtent results() override {
    return std::filesystem::exists(store_file_) ? ResultStore::read_only(store_file_).extent()
                                                : StoreExtent{};
  }
  std::optional<StoredResult> result(std::optional<std::uint64_t> sequence) override {
    auto store = ResultStore::read_only(store_file_);
    return sequence ? store.get(*sequence) : store.latest();
  }
  std::uint16_t operation_condition() const override {
    return static_cast<std::uint16_t>(TestCell::operation_condition() |
                                      (sensor_up ? operation_sensor_link : 0));
  }
  void trigger() override {
    if (refuse_trigger) throw scpi::Error(scpi::trigger_ignored, "as the test wants it");
    TestCell::trigger();
  }
  CalibrationStatus calibration() const override { return {"", "", "", 0, calibration_refusal}; }
  void set_unit(const std::string& serial) override {
    TestCell::set_unit(serial);
    units.push_back(serial);
  }
  BoardVerdict finish(Decision decision, int n = 1) {
    BoardVerdict v = datum::testing::board(n);
    v.decision = decision;
    if (decision != Decision::invalid) v.reason = Reason::none;
    v = finish_board(v);
    arm();
    return v;
  }

  bool sensor_up = true, refuse_trigger = false;
  std::string calibration_refusal;
  std::vector<std::string> units;

 private:
  std::filesystem::path store_file_;
};

struct OneHost {
  explicit OneHost(std::uint64_t acknowledged = 0)
      : cell(folder / "results.db"),
        desk(
            {}, [] { return MonotonicNs{0}; }, [this](int, const std::string& text) { log.push_back(text); }),
        view{cell,          desk, [this](int, const std::string& text) { log.push_back(text); },
             StoreExtent{}, {},   false},
        host("modbus_tcp 10.0.0.2", acknowledged, 0, view) {}

  void ready() {
    cell.select_recipe("mainboard", std::nullopt);
    cell.arm();
  }
  /// Writes registers by function code 16; returns the exception.
  Exception write(Address at, std::vector<std::uint16_t> values) {
    Request r;
    r.writes = true;
    r.address = at;
    r.count = static_cast<std::uint16_t>(values.size());
    r.values = std::move(values);
    if (const Exception refused = check_write(r); refused != Exception::none) return refused;
    return host.write(r, now);
  }
  Exception control(unsigned bits) { return write(at_control, {static_cast<std::uint16_t>(bits)}); }
  Exception command(std::uint16_t number) {
    write(at_command, {0});
    return write(at_command, {number});
  }
  Exception acknowledge(std::uint64_t sequence) {
    return write(at_ack_sequence,
                 {0, 0, static_cast<std::uint16_t>(sequence >> 16), static_cast<std::uint16_t>(sequence)});
  }
  Exception write_text(Address at, const std::string& text) {
    std::vector<std::uint16_t> words(text.begin(), text.end());
    words.push_back(0);
    return write(at, words);
  }
  Image image() { return host.image(now); }
  std::uint16_t at(Address address) { return image().base[address]; }
  std::uint64_t at64(Address address) { return get_u64(image().base, address); }
  unsigned status() {
    return at(at_status) & ~(status_heartbeat | status_armed | status_in_progress | status_in_control |
                             status_exposing | status_fifo_waiting);
  }
  std::int16_t command_result() { return static_cast<std::int16_t>(at(at_command_result)); }
  /// Stores the result of the board in progress, and announces it as the register server does.
  BoardVerdict finish(Decision decision, int n = 1) {
    const std::uint64_t board = cell.board_in_work();
    const BoardVerdict v = cell.finish(decision, n);
    view.store = cell.results();
    host.announced(v, board);
    return v;
  }
  bool logged(const std::string& part) const {
    for (const std::string& line : log)
      if (line.find(part) != std::string::npos) return true;
    return false;
  }

  datum::testing::FreshFolder folder;
  PlcCell cell;
  std::vector<std::string> log;
  LockArbiter desk;
  CellView view;
  Host host;
  MonotonicNs now = 1'000'000'000;
};

}  // namespace datum::modbus::testing
