#include "daemon/metrics/metrics_connection.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>

namespace datum {
namespace {

constexpr int reads_at_once = 4;

bool later() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

}  // namespace

void MetricsConnection::on_ready(MonotonicNs now) {
  if (end_ != End::none) return;
  read(now);
  if (answering_ && end_ == End::none) write();
}

void MetricsConnection::read(MonotonicNs now) {
  std::array<char, 4096> bytes{};
  for (int i = 0; i < reads_at_once; ++i) {
    const ssize_t got = ::recv(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (got < 0 && later()) return;
    if (got <= 0) {  // during the answer: a peer that stopped sending may still read
      if (answering_) write();
      if (end_ == End::none) end_ = End::given_up;
      return;
    }
    if (answering_) continue;  // bytes after a request are discarded
    request_.append(bytes.data(), static_cast<std::size_t>(got));
    const HttpRequest request = parse_request(request_);
    if (request.state != HttpRequest::State::incomplete) answer(request, now);
  }
}

void MetricsConnection::answer(const HttpRequest& request, MonotonicNs now) {
  good_ = request.state == HttpRequest::State::good;
  body_ = good_ ? text_(request.form, now)
                : std::make_shared<const std::string>(http_words(request.status) + "\n");
  head_ = http_head(request.status, good_ ? content_type(request.form) : "text/plain; charset=utf-8",
                    body_->size());
  if (request.head) body_ = std::make_shared<const std::string>();
  std::string().swap(request_);
  answering_ = true;
}

void MetricsConnection::write() {
  while (sent_ < head_.size() + body_->size()) {
    const bool in_head = sent_ < head_.size();
    const std::string& part = in_head ? head_ : *body_;
    const std::size_t from = in_head ? sent_ : sent_ - head_.size();
    const ssize_t put =
        ::send(socket_.get(), part.data() + from, part.size() - from, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (put < 0 && later()) return;
    if (put < 0) {
      end_ = End::given_up;
      return;
    }
    sent_ += static_cast<std::size_t>(put);
  }
  end_ = good_ ? End::answered : End::refused;
}

}  // namespace datum
