// The real links and register server on a loop in a thread of its own, with a test cell and libmodbus as host.
#pragma once

#include <modbus.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <functional>
#include <mutex>
#include <thread>

#include "daemon/modbus/tcp_server.h"
#include "daemon/system/event_loop.h"
#include "tests/daemon/modbus/plc_cell.h"

namespace datum::modbus::testing {

/// Runs functions on the loop.
class Post final : public Pollable {
 public:
  Post() : event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  ~Post() override { ::close(event_); }
  void run(std::function<void()> action) {
    const std::lock_guard lock(mutex_);
    actions_.push_back(std::move(action));
    eventfd_write(event_, 1);
  }
  int fd() const override { return event_; }
  void on_ready(MonotonicNs) override {
    eventfd_t count = 0;
    eventfd_read(event_, &count);
    std::vector<std::function<void()>> actions;
    {
      const std::lock_guard lock(mutex_);
      actions.swap(actions_);
    }
    for (const auto& action : actions) action();
  }
  std::optional<MonotonicNs> deadline() const override { return std::nullopt; }
  void on_deadline(MonotonicNs) override {}
  std::string describe() const override { return "post"; }

 private:
  int event_;
  std::mutex mutex_;
  std::vector<std::function<void()>> actions_;
};

/// Cell, register server and TCP server; all members run on the loop's thread except construction and destruction.
class ModbusServer {
 public:
  explicit ModbusServer(int most_connections = 8, int idle_s = 60)
      : control_({}, EventLoop::now, [](int, const std::string&) {}),
        desk_({cell_, control_, [](int, const std::string&) {}, folder_ / "results.db.modbus"}),
        server_({"127.0.0.1", 0, most_connections, 0, {}, Role::operate, idle_s}, desk_,
                [](int, const std::string&) {}) {
    for (Pollable* p : std::initializer_list<Pollable*>{&desk_, &desk_.keeper(), &server_, &post_})
      loop_.add(*p);
    cell_.select_recipe("mainboard", std::nullopt);
    cell_.arm();
    thread_ = std::thread([this] { loop_.run(); });
  }
  ~ModbusServer() {
    post_.run([this] { loop_.stop(); });
    thread_.join();
  }
  int port() const { return server_.port(); }
  RegisterServer& desk() { return desk_; }
  PlcCell& cell() { return cell_; }
  /// Runs `action` on the loop and waits for its end.
  void run(const std::function<void()>& action) {
    std::mutex mutex;
    std::condition_variable done;
    bool is_done = false;
    post_.run([&] {
      action();
      const std::lock_guard lock(mutex);
      is_done = true;
      done.notify_all();
    });
    std::unique_lock lock(mutex);
    done.wait(lock, [&] { return is_done; });
  }
  /// Stores and announces the result of the board in progress; the images follow in the next round of the loop.
  BoardVerdict finish(Decision decision, int n) {
    BoardVerdict v;
    run([&] {
      v = cell_.finish(decision, n);
      desk_.push_result(v);
      desk_.instrument_changed();
    });
    return v;
  }

 private:
  datum::testing::FreshFolder folder_;
  EventLoop loop_;
  Post post_;
  PlcCell cell_{folder_ / "results.db"};
  LockArbiter control_;
  RegisterServer desk_;
  TcpServer server_;
  std::thread thread_;
};

/// A host over TCP.
class TcpHost {
 public:
  explicit TcpHost(int port) : context_(modbus_new_tcp("127.0.0.1", port)) {
    modbus_set_response_timeout(context_, 30, 0);
    connected_ = modbus_connect(context_) == 0;
  }
  ~TcpHost() {
    modbus_close(context_);
    modbus_free(context_);
  }
  TcpHost(const TcpHost&) = delete;
  TcpHost& operator=(const TcpHost&) = delete;

  bool connected() const { return connected_; }
  int socket() const { return modbus_get_socket(context_); }
  /// Empty for a refusal; errno gives the exception (EMBXILADD, ...).
  std::vector<std::uint16_t> read(int address, int count) {
    std::vector<std::uint16_t> words(static_cast<std::size_t>(count));
    if (modbus_read_registers(context_, address, count, words.data()) != count) words.clear();
    return words;
  }
  bool write(int address, std::vector<std::uint16_t> words) {
    const int count = static_cast<int>(words.size());
    return modbus_write_registers(context_, address, count, words.data()) == count;
  }
  modbus_t* context() { return context_; }

 private:
  modbus_t* context_;
  bool connected_ = false;
};

}  // namespace datum::modbus::testing
