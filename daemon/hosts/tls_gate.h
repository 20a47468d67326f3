// TlsGate: connections before authentication. They hold no host place, and their time, bytes, handshakes per address and
// share of each turn of the loop are limited. An authenticated peer is passed on as an open port.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "daemon/hosts/tls_clients.h"
#include "daemon/system/poll_set.h"
#include "daemon/system/token_bucket.h"
#include "drivers/tls/tls_port.h"

namespace datum {

class TlsGate final : public Pollable {
 public:
  static constexpr MonotonicNs handshake_ns = 5'000'000'000;  // from the accept
  // At a time; one more replaces the oldest of all, or of its address.
  static constexpr std::size_t most_handshakes = 32, most_per_address = 8;
  static constexpr int per_second = 20, burst = 40;  // handshakes of one address
  // Budget per turn of the loop; a step that has begun is completed.
  static constexpr MonotonicNs turn_ns = 1'000'000;

  struct Parts {
    TlsContext::Clock utc_s;
    std::function<MonotonicNs()> monotonic_ns;
    /// The handshake succeeded; `identity` is unabridged.
    std::function<void(std::unique_ptr<Port>, const std::string& peer, const TlsIdentity& identity,
                       MonotonicNs now)>
        admit;
    std::function<void(const std::string& peer, const std::string& why, MonotonicNs now)> refused;
    std::string plain_answer;  // text for a peer that speaks without TLS
    /// True: a maintenance account, whose handshakes are not limited. Empty: there is none.
    std::function<bool(const std::string& peer, MonotonicNs now)> maintains{};
  };

  /// Throws RefusedError as TlsContext does.
  TlsGate(const TlsServerSettings& files, Parts parts);

  /// Adds an accepted connection. `peer` as TcpListener names it.
  void enter(std::unique_ptr<Port> port, const std::string& peer, MonotonicNs now);
  /// Applies these files from now on. Throws RefusedError and keeps the former ones.
  void reload(const TlsServerSettings& files);
  const TlsContext& context() const { return *context_; }
  std::size_t handshakes() const { return handshakes_.size(); }
  /// A fault or a near expiry of the server's own certificates; empty: none.
  std::string expiry() const;
  /// The certificate or the revocation list has expired: every handshake fails.
  bool has_expired() const;

  int fd() const override { return set_.fd(); }
  void on_ready(MonotonicNs now) override;
  std::optional<MonotonicNs> deadline() const override;
  void on_deadline(MonotonicNs now) override;
  std::string describe() const override { return "tls handshakes"; }

 private:
  /// One handshake in progress.
  class Handshake final : public Pollable {
   public:
    Handshake(TlsGate& gate, std::unique_ptr<TlsPort> port, std::string peer, MonotonicNs now)
        : port(std::move(port)), peer(std::move(peer)), gate_(gate), due_(now + handshake_ns) {}
    int fd() const override { return ended() ? -1 : port->fd(); }
    bool wants_write() const override { return !ended() && port->wants_write(); }
    void on_ready(MonotonicNs) override;
    std::optional<MonotonicNs> deadline() const override { return due_; }
    void on_deadline(MonotonicNs now) override;
    std::string describe() const override { return peer; }
    bool ended() const { return proved || !why.empty(); }

    std::unique_ptr<TlsPort> port;
    std::string peer, why;  // why: reason of a refusal
    bool proved = false;

   private:
    TlsGate& gate_;
    MonotonicNs due_;
  };

  TokenBucket& account_of(const std::string& peer);
  bool in_pace(const std::string& peer, MonotonicNs now);
  void make_room(const std::string& peer, MonotonicNs now);
  void settle(MonotonicNs now);
  void hand_on(Handshake& handshake, MonotonicNs now);

  Parts parts_;
  std::shared_ptr<const TlsContext> context_;
  PollSet set_;
  std::vector<std::unique_ptr<Handshake>> handshakes_;  // in the order of their connection
  std::map<std::string, TokenBucket> accounts_;         // by address
  MonotonicNs turn_ends_ = 0;
};

}  // namespace datum
