#include "daemon/modbus/tcp_server.h"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "daemon/modbus/session.h"
#include "daemon/system/event_loop.h"

namespace datum::modbus {
namespace {

/// "192.168.0.7:50112" -> "modbus_tcp 192.168.0.7": a reconnected host is the same host.
std::string name_of(const std::string& peer) { return "modbus_tcp " + peer.substr(0, peer.rfind(':')); }

}  // namespace

class TcpLink {
 public:
  TcpLink(std::unique_ptr<Port> port, std::shared_ptr<Mailbox> mailbox, HeldPlace held)
      : port_(std::move(port)),
        mailbox_(std::move(mailbox)),
        held_(std::move(held)),
        session_(port_->fd(), *mailbox_),
        stop_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        thread_([this] { serve(); }) {}
  ~TcpLink() {
    mailbox_->close();
    ::shutdown(port_->fd(), SHUT_RDWR);  // wakes the thread within a frame
    eventfd_write(stop_, 1);
    thread_.join();
    ::close(stop_);
  }
  TcpLink(const TcpLink&) = delete;
  TcpLink& operator=(const TcpLink&) = delete;

  bool ended() const { return ended_; }
  const std::shared_ptr<Mailbox>& mailbox() const { return mailbox_; }
  const std::string& peer() const { return held_.peer; }
  const HeldPlace& held() const { return held_; }
  MonotonicNs heard() const { return session_.heard(); }

 private:
  void serve() {
    mailbox_->present(true);
    session_.run(stop_);
    ended_ = true;
    mailbox_->present(false);  // wakes the loop, which removes ended links
  }

  std::unique_ptr<Port> port_;
  std::shared_ptr<Mailbox> mailbox_;
  HeldPlace held_;
  Session session_;
  int stop_;
  std::atomic<bool> ended_{false};
  std::thread thread_;
};

TcpServer::TcpServer(const TcpSettings& settings, RegisterServer& desk, LogSink log, int inherited)
    : settings_(settings),
      desk_(desk),
      log_(std::move(log)),
      listener_(
          settings.address, settings.port,
          [this](std::unique_ptr<Port> port, const std::string& peer, MonotonicNs now) {
            accept(std::move(port), peer, now);
          },
          inherited) {}

TcpServer::~TcpServer() {
  for (const auto& link : links_) desk_.disconnect(link->mailbox());
}

std::string TcpServer::describe() const {
  return fmt::format("modbus, tcp {}:{}: {} of {} connections", settings_.address, port(), links_.size(),
                     settings_.most_connections);
}

std::optional<LinkReport> TcpServer::report(MonotonicNs) const {
  LinkReport report;
  report.name = "host.modbus_tcp";
  report.kind = "modbus_tcp";
  report.peer = fmt::format("tcp {}:{}, {} of {} connections", settings_.address, port(), links_.size(),
                            settings_.most_connections);
  report.state = LinkState::open;
  report.record.opened = accepted_;
  return report;
}

void TcpServer::accept(std::unique_ptr<Port> port, const std::string& peer, MonotonicNs now) {
  tidy();
  if (!settings_.allow.allows(peer))
    return refuse(fmt::format("{} refused, it is not in host.modbus_tcp.allow", peer));
  PlaceChoice choice = place_for(peer);
  if (choice.place == HostPlace::none && make_room(now, choice.address_is_full ? &peer : nullptr))
    choice.place = HostPlace::common;
  if (choice.place == HostPlace::none)
    return refuse(fmt::format("{} refused, {} hosts are connected: host.modbus_tcp.{}", peer, links_.size(),
                              choice.address_is_full ? "most_per_address" : "most_connections"));
  ++accepted_;
  links_.push_back(std::make_unique<TcpLink>(std::move(port), desk_.connect(name_of(peer)),
                                             HeldPlace{peer, choice.place}));
  log_(6, fmt::format("modbus: {} connected", peer));
}

PlaceChoice TcpServer::place_for(const std::string& peer) const {
  std::vector<HeldPlace> held;
  for (const auto& link : links_) held.push_back(link->held());
  return choose_place({settings_.most_connections, settings_.most_per_address, settings_.address}, held, peer,
                      peer_on("modbus_tcp", desk_.place_kept_for()));
}

/// True: the host that was silent longest, beyond idle_s, was dismissed for another; `of_peer`: only hosts of its
/// address.
bool TcpServer::make_room(MonotonicNs now, const std::string* of_peer) {
  auto longest = links_.end();
  MonotonicNs since = now - MonotonicNs{settings_.idle_s} * 1'000'000'000;
  for (auto link = links_.begin(); link != links_.end(); ++link)
    if ((*link)->held().place == HostPlace::common && (!of_peer || same_origin(*of_peer, (*link)->peer())) &&
        (*link)->heard() <= since && !desk_.has_control(name_of((*link)->peer())))
      longest = link, since = (*link)->heard();
  if (longest == links_.end()) return false;
  log_(5, fmt::format("modbus: {} is closed, silent for {} s, and another host came: host.modbus_tcp.idle_s",
                      (*longest)->peer(), (now - since) / 1'000'000'000));
  desk_.disconnect((*longest)->mailbox());
  links_.erase(longest);
  return true;
}

/// Rate-limited, so that repeated connections do not fill the log.
void TcpServer::refuse(const std::string& why) {
  if (refusals_.take(EventLoop::now())) log_(4, "modbus: " + why);
}

std::optional<MonotonicNs> TcpServer::deadline() const {
  const auto ended = [](const auto& link) { return link->ended(); };
  if (std::any_of(links_.begin(), links_.end(), ended)) return 0;
  return listener_.deadline();
}

void TcpServer::tidy() {
  const auto gone =
      std::stable_partition(links_.begin(), links_.end(), [](const auto& l) { return !l->ended(); });
  for (auto link = gone; link != links_.end(); ++link) {
    desk_.disconnect((*link)->mailbox());
    log_(6, fmt::format("modbus: {} disconnected", (*link)->peer()));
  }
  links_.erase(gone, links_.end());
}

void TcpServer::on_ready(MonotonicNs now) { listener_.on_ready(now); }

void TcpServer::on_deadline(MonotonicNs now) {
  tidy();
  if (listener_.deadline()) listener_.on_deadline(now);
}

}  // namespace datum::modbus
