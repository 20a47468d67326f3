// A port whose other end is the test.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>

#include "drivers/port/port.h"

namespace datum::testing {

class MemoryPort final : public Port {
 public:
  /// State shared by the test and the port; it outlives the port.
  struct Wire {
    std::string to_daemon, from_daemon;
    std::size_t room = 1 << 20;  // capacity of from_daemon in bytes; a full one stalls the link
    bool broken = false;
  };

  explicit MemoryPort(Wire& wire) : wire_(wire) {}

  void open() override {
    if (wire_.broken) throw LostError("wire: unplugged");
    wire_.to_daemon.clear();  // earlier bytes belong to another connection
    open_ = true;
  }
  void close() noexcept override { open_ = false; }
  bool is_open() const override { return open_; }
  int fd() const override { return -1; }
  std::size_t read(std::uint8_t* to, std::size_t room) override {
    check();
    const std::size_t n = std::min(room, wire_.to_daemon.size());
    std::memcpy(to, wire_.to_daemon.data(), n);
    wire_.to_daemon.erase(0, n);
    return n;
  }
  std::size_t write(const std::uint8_t* from, std::size_t size) override {
    check();
    const std::size_t n = std::min(size, wire_.room - std::min(wire_.room, wire_.from_daemon.size()));
    wire_.from_daemon.append(reinterpret_cast<const char*>(from), n);
    return n;
  }
  std::string describe() const override { return "wire"; }

 private:
  void check() const {
    if (wire_.broken) throw LostError("wire: hung up");
  }

  Wire& wire_;
  bool open_ = false;
};

}  // namespace datum::testing
