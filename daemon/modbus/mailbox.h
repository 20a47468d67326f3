// Mailbox between a link's thread and the daemon's loop. Reads are answered from the last published image, without the
// loop. A write waits until the loop has executed it and published the new image, so that the next read shows its effect.
// The loop never waits for the thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>

#include "daemon/modbus/image.h"
#include "daemon/modbus/request.h"

namespace datum::modbus {

class Mailbox {
 public:
  /// `wake`: an eventfd of the loop, written on a new request.
  Mailbox(int wake, std::shared_ptr<const Image> first) : wake_(wake), image_(std::move(first)) {}

  // Called by the link's thread.
  std::shared_ptr<const Image> image() const;
  /// busy: the loop did not accept it within `timeout`, and nothing was changed. device_failure: the daemon is ending.
  Exception write(Request request, std::chrono::milliseconds timeout);
  /// Sets whether the peer is connected.
  void present(bool is);

  // Called by the loop's thread.
  std::optional<Request> take();
  void done(Exception answer);
  void publish(std::shared_ptr<const Image> image);
  bool is_present() const;
  /// Accepts no further writes; a waiting one is answered.
  void close();

 private:
  enum class Step : std::uint8_t { none, waiting, taken, done };
  void wake() const;

  const int wake_;
  mutable std::mutex mutex_;
  std::condition_variable answered_;
  std::shared_ptr<const Image> image_;
  Request request_;
  Step step_ = Step::none;
  Exception answer_ = Exception::none;
  bool present_ = false, closed_ = false;
};

}  // namespace datum::modbus
