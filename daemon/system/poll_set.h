// PollSet: several Pollables as one.
#pragma once

#include <optional>
#include <vector>

#include "drivers/port/pollable.h"

namespace datum {

class PollSet {
 public:
  /// Throws std::system_error where the kernel gives no epoll descriptor.
  PollSet();
  ~PollSet();
  PollSet(const PollSet&) = delete;
  PollSet& operator=(const PollSet&) = delete;

  void add(Pollable& pollable);
  void remove(Pollable& pollable);
  /// Updates descriptors and wants_write(); to be called after any possible change of them.
  void sync();

  int fd() const { return epoll_; }
  void on_ready(MonotonicNs now);
  /// Earliest deadline; none where no member has one.
  std::optional<MonotonicNs> deadline() const;
  void on_deadline(MonotonicNs now);

 private:
  struct Watch {
    Pollable* pollable = nullptr;
    int fd = -1;  // as registered
    bool write = false;
  };
  void sync(Watch& watch);

  int epoll_ = -1;
  std::vector<Watch> watches_;
};

}  // namespace datum
