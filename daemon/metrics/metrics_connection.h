// One scraper: its request is read and answered, then the connection is closed. Part of MetricsServer.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "daemon/metrics/http_request.h"
#include "daemon/metrics/listening_socket.h"
#include "drivers/port/pollable.h"

namespace datum {

class MetricsConnection final : public Pollable {
 public:
  using SharedText = std::shared_ptr<const std::string>;
  /// Text of the metrics at `now`.
  using Text = std::function<SharedText(MetricsForm form, MonotonicNs now)>;
  enum class End : std::uint8_t { none, answered, refused, given_up };

  MetricsConnection(Descriptor socket, Text text, MonotonicNs due)
      : socket_(std::move(socket)), text_(std::move(text)), due_(due) {}

  /// None: in progress. Otherwise the connection is to be destroyed.
  End end() const { return end_; }

  int fd() const override { return end_ == End::none ? socket_.get() : -1; }
  bool wants_write() const override { return answering_; }
  void on_ready(MonotonicNs now) override;
  std::optional<MonotonicNs> deadline() const override { return due_; }
  void on_deadline(MonotonicNs now) override {
    if (now >= due_ && end_ == End::none) end_ = End::given_up;
  }
  /// Another connection gets its place.
  void give_up() { end_ = End::given_up; }
  std::string describe() const override { return "metrics: a scraper"; }

 private:
  void read(MonotonicNs now);
  void answer(const HttpRequest& request, MonotonicNs now);
  void write();

  Descriptor socket_;
  const Text text_;
  const MonotonicNs due_;
  std::string request_, head_;
  SharedText body_;
  std::size_t sent_ = 0;  // bytes of head and body
  bool answering_ = false, good_ = false;
  End end_ = End::none;
};

}  // namespace datum
