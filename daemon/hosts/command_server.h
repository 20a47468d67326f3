// TCP server of the command protocol. The loop sees one Pollable for all hosts: its descriptor is an epoll set of the
// listener and the connections.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "daemon/hosts/command_link.h"
#include "daemon/hosts/host_places.h"
#include "daemon/hosts/tls_gate.h"
#include "daemon/system/poll_set.h"
#include "daemon/system/token_bucket.h"
#include "drivers/port/allow_list.h"
#include "drivers/port/peer_account.h"
#include "drivers/port/tcp_listener.h"

namespace datum {

struct CommandServerSettings {
  std::string address = "127.0.0.1";  // numeric; every peer that reaches it can command the cell
  std::uint16_t port = 5025;          // 0: a free port, see CommandServer::port()
  int most_connections = 8;           // one more gets a message and is closed; a working host keeps its place
  int most_per_address = 0;           // host_places.h
  int idle_s = 60;            // seconds; an idle host that waits for nothing may lose its place after that
  bool push_results = false;  // at the start of a connection; the host changes it with DATA:PUSH
  int commands_per_second = 10'000;          // per connection; more wait in the peer's buffer
  std::optional<GocatorSettings> gocator{};  // none: SCPI
  AllowList allow{};                         // others are closed without a message
  std::optional<HostTls> tls{};              // none: hosts are not authenticated; each has `role`
  Role role = Role::operate;
  /// Account of a local peer that is connected to the port; none: unknown.
  std::function<std::optional<std::uint32_t>(const std::string& peer, int port)> account_of = account_of_peer;
};

class CommandServer final : public CommandEndpoint {
 public:
  /// Listens, on the inherited socket where one is given (tcp_listener.h). Throws RefusedError where the address is not
  /// numeric, not of this host or in use, and where the inherited socket has another address.
  CommandServer(const CommandServerSettings& settings, Instrument& instrument, LogSink log,
                int inherited = -1);

  /// Applies new certificates and roles to new and existing connections. Connections that would be refused now are
  /// closed. Throws RefusedError and keeps the former ones. Only a restart switches TLS on or off.
  void reload(const std::optional<HostTls>& tls, MonotonicNs now);

  bool speaks_gocator() const { return settings_.gocator.has_value(); }
  std::uint16_t port() const { return listener_.port(); }
  std::size_t connections() const { return links_.size(); }

  int fd() const override { return set_.fd(); }
  void on_ready(MonotonicNs now) override;
  std::optional<MonotonicNs> deadline() const override;
  void on_deadline(MonotonicNs now) override;
  std::string describe() const override;
  /// Reports the listening socket, not the connections.
  std::optional<LinkReport> report(MonotonicNs now) const override;

  void push_result(const BoardVerdict& verdict) override;
  void instrument_changed() override;
  std::optional<std::uint64_t> acknowledged() const override;
  bool awaits_end() const override {
    return std::any_of(links_.begin(), links_.end(), [](const Served& s) { return s.link->awaits_end(); });
  }
  void raise(int number, const std::string& detail) override;

 private:
  struct Served {
    std::string peer;
    HostPlace place;
    std::optional<TlsIdentity> identity;
    std::unique_ptr<CommandLink> link;
  };
  void open_gate();
  void accept(std::unique_ptr<Port> port, const std::string& peer, MonotonicNs now);
  void admit(std::unique_ptr<Port> port, const std::string& peer, const std::optional<TlsIdentity>& identity,
             MonotonicNs now);
  std::string identified(const std::string& peer, const std::optional<TlsIdentity>& identity) const;
  void refused(const std::string& peer, const std::string& why, MonotonicNs now);
  void judge_again(const Served& served, MonotonicNs now);
  bool maintains(const std::string& peer, MonotonicNs now);
  PlaceChoice place_for(const std::string& peer, MonotonicNs now);
  std::string why_full(const std::string& peer, bool address_is_full) const;
  bool make_room(MonotonicNs now, const std::string* of_peer);
  void dismiss(CommandLink& link, MonotonicNs quiet_since, MonotonicNs now);
  /// Name of its table under [host].
  std::string key() const { return settings_.gocator ? "gocator" : "tcp"; }
  void note(int priority, const std::string& text, MonotonicNs now, const LogEvent& event = {});
  void tidy();

  CommandServerSettings settings_;
  Instrument& instrument_;
  LogSink log_;
  TokenBucket lines_{2, 50};  // for log lines about connections
  TokenBucket look_ups_{10, 10};
  std::uint64_t unlisted_ = 0;
  MonotonicNs now_ = 0;  // time of the event in progress
  TcpListener listener_;
  PollSet set_;
  std::unique_ptr<TlsGate> gate_;  // none: without TLS
  std::string stale_;              // why the certificates in use differ from those of the files
  std::uint64_t accepted_ = 0;
  std::vector<Served> links_;  // in the order of their connection
};

}  // namespace datum
