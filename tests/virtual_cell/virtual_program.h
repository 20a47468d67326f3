// The programs of virtual devices: the signals that end them, and the FIFOs that command them.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace datum {

/// A descriptor that is readable after SIGINT or SIGTERM, which are blocked from now on, in threads started later too. SIGPIPE is
/// ignored: a closed peer is an error of the call. Throws std::system_error.
int stop_signals();

/// Prints "PROGRAM: TEXT" without delay.
void say(const char* program, const std::string& text);

/// Lines from a FIFO, which is made if absent and opened for both directions, so that it never reaches its end.
class OrderPipe {
 public:
  /// An empty path: no FIFO. Throws std::system_error.
  explicit OrderPipe(const std::filesystem::path& path);
  ~OrderPipe();
  OrderPipe(const OrderPipe&) = delete;
  OrderPipe& operator=(const OrderPipe&) = delete;

  /// -1 without a FIFO: poll() ignores it.
  int fd() const { return fd_; }
  using Obey = std::function<void(const std::string& line)>;
  /// Calls `obey` for each complete line that has arrived.
  void serve(const Obey& obey);
  /// The same, and says for each line that it is done, or why it was refused.
  void serve(const char* program, const Obey& obey);
  /// Waits for one line and returns it; returns at once without a FIFO.
  std::string wait();

 private:
  bool read_some();

  std::filesystem::path path_;
  int fd_ = -1;
  std::string received_;
};

}  // namespace datum
