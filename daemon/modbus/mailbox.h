// Mailbox: what a link's thread and the daemon's loop hand each other. Reads are answered from the image that the loop
// published last, without the loop; a write waits until the loop has done it and published what came of it, so that the
// next read shows it. The loop never waits for the thread.
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
  /// `wake`: an eventfd of the loop's, written when something is to be taken.
  Mailbox(int wake, std::shared_ptr<const Image> first) : wake_(wake), image_(std::move(first)) {}

  // For the link's thread.
  std::shared_ptr<const Image> image() const;
  /// busy: the loop did not take it within `timeout`, nothing was changed. device_failure: the daemon is ending.
  Exception write(Request request, std::chrono::milliseconds timeout);
  /// The peer is there, or has gone.
  void present(bool is);

  // For the loop.
  std::optional<Request> take();
  void done(Exception answer);
  void publish(std::shared_ptr<const Image> image);
  bool is_present() const;
  /// No write is taken any more; one that waits is answered.
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
