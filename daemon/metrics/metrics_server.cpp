#include "daemon/metrics/metrics_server.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace datum {
namespace {

constexpr int error = 3, info = 6;

}  // namespace

/// Accepts one connection per turn, at most at `per_second`.
class MetricsServer::Listener final : public Pollable {
 public:
  Listener(Descriptor socket, MetricsServer& server) : socket_(std::move(socket)), server_(server) {}
  std::uint16_t port() const { return port_of(socket_); }

  int fd() const override { return server_.has_turn(server_.now_) ? socket_.get() : -1; }
  void on_ready(MonotonicNs now) override {
    if (!server_.has_turn(now)) return;
    const int taken = ::accept4(socket_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (taken >= 0) return server_.take(taken, now);
    server_.allowance_.take(
        now);  // no descriptors left: a waiting connection must not wake the loop endlessly
  }
  std::optional<MonotonicNs> deadline() const override { return std::nullopt; }
  void on_deadline(MonotonicNs) override {}
  std::string describe() const override { return "metrics: listening"; }

 private:
  Descriptor socket_;
  MetricsServer& server_;
};

MetricsServer::MetricsServer(MetricsSettings settings, Text text, LogSink log)
    : settings_(std::move(settings)), make_(std::move(text)), log_(std::move(log)) {}

MetricsServer::~MetricsServer() {
  if (!listeners_.empty() && !settings_.socket.empty()) ::unlink(settings_.socket.c_str());
}

std::uint16_t MetricsServer::port() const {
  return listeners_.empty() || settings_.port == 0 ? std::uint16_t{0} : listeners_.back()->port();
}

/// Opens both listeners or none: a scraper finds no half-working service, and the log gives the cause.
void MetricsServer::listen(MonotonicNs now) {
  try {
    std::list<Descriptor> sockets;
    if (!settings_.socket.empty()) sockets.push_back(listen_at(settings_.socket));
    if (settings_.port != 0) sockets.push_back(listen_at(settings_.address, settings_.port));
    for (Descriptor& socket : sockets)
      listeners_.push_back(std::make_unique<Listener>(std::move(socket), *this));
    for (const auto& listener : listeners_) set_.add(*listener);
    listen_at_.reset();
    trouble_.clear();
    log_(info, describe());
  } catch (const std::exception& failed) {
    listen_at_ = now + listen_again_ms * ns_per_ms;
    if (trouble_ != failed.what())
      log_(error,
           fmt::format("metrics can't be read: {}; tried again all {} s", failed.what(),
                       listen_again_ms / 1000),
           {Event::metrics_trouble, {{"DATUM_REASON", failed.what()}}});
    trouble_ = failed.what();
  }
}

/// Marks the oldest connection; tidy() destroys it, since the poll set may be about to serve it.
void MetricsServer::make_room() {
  std::size_t open = 0;
  MetricsConnection* oldest = nullptr;
  for (const auto& c : connections_) {
    if (c->end() != MetricsConnection::End::none) continue;
    if (open++ == 0) oldest = c.get();
  }
  if (open >= most_connections) oldest->give_up();
}

void MetricsServer::take(int socket, MonotonicNs now) {
  allowance_.take(now);
  make_room();
  connections_.push_back(std::make_unique<MetricsConnection>(
      Descriptor(socket), [this](MetricsForm form, MonotonicNs at) { return text(form, at); },
      now + timeout_ms * ns_per_ms));
  set_.add(*connections_.back());
}

MetricsServer::SharedText MetricsServer::text(MetricsForm form, MonotonicNs now) {
  Made& made = made_[static_cast<std::size_t>(form)];
  if (!made.text || now - made.at_ns >= fresh_ms * ns_per_ms)
    made = {std::make_shared<const std::string>(make_(form)), now};
  return made.text;
}

void MetricsServer::tidy() {
  for (auto c = connections_.begin(); c != connections_.end();) {
    const auto end = (*c)->end();
    if (end == MetricsConnection::End::none) {
      ++c;
      continue;
    }
    ++(end == MetricsConnection::End::answered  ? counts_.answered
       : end == MetricsConnection::End::refused ? counts_.refused
                                                : counts_.given_up);
    set_.remove(**c);
    c = connections_.erase(c);
  }
  set_.sync();
}

void MetricsServer::on_ready(MonotonicNs now) {
  now_ = now;
  set_.on_ready(now);
  tidy();
}

std::optional<MonotonicNs> MetricsServer::deadline() const {
  auto due = set_.deadline();
  const auto also = [&](MonotonicNs at) { due = std::min(due.value_or(at), at); };
  if (listen_at_) also(*listen_at_);
  if (!listeners_.empty() && !allowance_.ready(now_)) also(allowance_.ready_at());
  return due;
}

void MetricsServer::on_deadline(MonotonicNs now) {
  now_ = now;
  if (listen_at_ && now >= *listen_at_) listen(now);
  set_.on_deadline(now);
  tidy();
}

std::string MetricsServer::describe() const {
  if (!trouble_.empty()) return "metrics: " + trouble_;
  std::string where = settings_.socket.string();
  if (settings_.port != 0)
    where += fmt::format(
        "{}http://{}:{}/metrics", where.empty() ? "" : ", ",
        settings_.address.find(':') == std::string::npos ? settings_.address : "[" + settings_.address + "]",
        settings_.port);
  return "metrics: " + where;
}

}  // namespace datum
