#include "tests/faults/load.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <stdexcept>
#include <system_error>

#include "tests/virtual_cell/virtual_plc_answers.h"

namespace datum::faults {

namespace {

constexpr int acknowledging_hosts = 2;

std::string line_with_crc(const std::string& text) {
  return fmt::format("{}*{:04X}\n", text, plc::crc16(text));
}

}  // namespace

void Load::launch(const std::map<std::string, std::string>& environment) {
  hosts_.clear();
  cell_.launch(environment);
}

void Load::start(const std::map<std::string, std::string>& environment) {
  launch(environment);
  const Moment deadline = scenario::timeout();
  while (!ready() && !cell_.daemon().has_ended() && now() < deadline) turn(deadline);
  if (!ready()) throw std::runtime_error("datumd is not ready:\n" + cell_.daemon().output());
}

/// Does not wait: the daemon may end at any moment.
void Load::connect() {
  if (cell_.tcp_port() == 0) return;  // READY of the former, killed daemon
  try {
    for (int i = 0; i <= acknowledging_hosts; ++i) {
      hosts_.push_back({cell_.connect(), i > 0});
      if (i > 0) hosts_.back().host->send("DATA:PUSH OFF\n" + line_with_crc("RESUME,-,0"));
    }
  } catch (const std::system_error&) {
    if (!scenario::readable({cell_.daemon().ended()}, scenario::timeout())) throw;
  }
}  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks): hosts_ owns them

void Load::take_notices() {
  for (std::string message; !(message = cell_.notify().next()).empty();)
    if (message == "READY=1") {
      was_armed_ = true;
      connect();
    }
}

void Load::take_lines(Client& client) {
  client.host->receive();
  while (const auto line = client.host->pushed()) {
    ledger_.announced(*line);
    try {
      if (client.acknowledges) client.host->send(line_with_crc(fmt::format("ACK,{}", sequence_of(*line))));
    } catch (const std::system_error&) {  // the daemon ended; its sent lines are still readable
      continue;
    }
  }
}

int Load::waiting() const {
  const std::vector<std::string> there = cell_.list("drop");
  // Without work, done and failed.
  return static_cast<int>(there.size() + cell_.list("drop/work").size()) - 3;
}

void Load::deliver() {
  if (!was_armed_) return;  // a frame from before the first arming belongs to another board
  for (int n = waiting(); n < ahead && ledger_.boards() < most; ++n)
    ledger_.deliver(cell_, ledger_.boards() + 1);
}

void Load::turn(Moment until) {
  deliver();
  std::vector<int> watched{cell_.notify().fd(), cell_.daemon().ended()};
  for (const Client& client : hosts_) watched.push_back(client.host->fd());
  if (!scenario::readable(watched, until)) return;
  take_notices();
  for (Client& client : hosts_) take_lines(client);
}

void Load::turn_until(Moment moment) {
  while (now() < moment && !cell_.daemon().has_ended()) turn(moment);
}

void Load::arm_if_idle() {
  try {
    const auto host = cell_.connect();
    if (scenario::fields(host->ask("SYST:STAT?")).at(0) != "IDLE") return;
    host->command("INIT");
    ++armed_again;
  } catch (const std::exception&) {  // no memory for this host, or the daemon ended
    return;
  }
}

bool Load::measure(int boards) {
  const Moment deadline = scenario::timeout();
  most = boards;
  while (ledger_.boards() < boards || waiting() > 0) {
    if (cell_.daemon().has_ended() || now() > deadline) return false;
    turn(std::min(deadline, now() + std::chrono::milliseconds(20)));  // a frame may be handled without a line
    if (arms_again) arm_if_idle();
  }
  for (Client& client : hosts_) take_lines(client);
  return true;
}

int Load::end(int signal) {
  cell_.daemon().signal(signal);
  return ended();
}

int Load::ended() {
  const int status = cell_.daemon().wait();
  if (status == -SIGKILL) ledger_.killed(cell_);
  for (Client& client : hosts_) take_lines(client);
  hosts_.clear();
  return status;
}

void replace(const scenario::Cell& cell, const std::string& name, const std::string& text) {
  cell.write(name + "~", text);
  std::filesystem::rename(cell.path() / (name + "~"), cell.path() / name);
}

}  // namespace datum::faults
