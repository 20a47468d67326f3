// A pseudo-terminal that appears as a plugged-in serial line to the process that opens its far end.
#pragma once

#include <string>

namespace datum {

class VirtualLine {
 public:
  /// `link`: a symbolic link to maintain to the terminal; empty: none. Throws std::system_error.
  explicit VirtualLine(std::string link) : link_(std::move(link)) {}
  ~VirtualLine();
  VirtualLine(const VirtualLine&) = delete;
  VirtualLine& operator=(const VirtualLine&) = delete;

  void plug_in();
  void unplug() noexcept;
  bool plugged() const { return fd_ >= 0; }
  int fd() const { return fd_; }
  const std::string& path() const { return path_; }

 private:
  std::string link_, path_;
  int fd_ = -1;
  int far_end_ = -1;  // kept open: otherwise the line would hang up whenever no process has it open
};

}  // namespace datum
