// A port whose far end plays a transcript: keeps the reader's output and queues the device's bytes.
#pragma once

#include <algorithm>
#include <string>

#include "drivers/port/port.h"

namespace datum::testing {

class TranscriptPort final : public Port {
 public:
  std::string written, queued;
  bool reachable = true;  // false: the connection is still in progress

  void open() override { open_ = true; }
  void close() noexcept override { open_ = false; }
  bool is_open() const override { return open_; }
  bool connected() const override { return open_ && reachable; }
  int fd() const override { return -1; }
  std::size_t read(std::uint8_t* to, std::size_t room) override {
    const std::size_t size = std::min(room, queued.size());
    std::copy_n(queued.begin(), size, to);
    queued.erase(0, size);
    return size;
  }
  // One byte at a time, like a full buffer.
  std::size_t write(const std::uint8_t* from, std::size_t size) override {
    if (size == 0) return 0;
    written += static_cast<char>(*from);
    return 1;
  }
  std::string describe() const override { return "transcript"; }

 private:
  bool open_ = false;
};

}  // namespace datum::testing
