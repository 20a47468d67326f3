// FdPort: common part of ports on a descriptor. Internal to this folder.
#pragma once

#include <string>

#include "drivers/port/port.h"

namespace datum {

class FdPort : public Port {
 public:
  ~FdPort() override { FdPort::close(); }
  FdPort() = default;
  FdPort(const FdPort&) = delete;
  FdPort& operator=(const FdPort&) = delete;

  void close() noexcept override;
  bool is_open() const override { return fd_ >= 0; }
  int fd() const override { return fd_; }
  std::size_t read(std::uint8_t* to, std::size_t room) override;
  std::size_t write(const std::uint8_t* from, std::size_t size) override;

 protected:
  /// Error of read or write where the port is not open or the call fails; names the port.
  [[noreturn]] void throw_lost(const std::string& what) const;
  [[noreturn]] void throw_lost(const std::string& what, int error_number) const;

  int fd_ = -1;
};

}  // namespace datum
