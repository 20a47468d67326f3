#include "daemon/hosts/tls_gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "daemon/hosts/host_places.h"
#include "drivers/port/allow_list.h"

namespace datum {
namespace {

constexpr std::size_t most_accounts = 256;

}  // namespace

void TlsGate::Handshake::on_ready(MonotonicNs) {
  // The turn is used up; the bytes remain for the next turn.
  if (ended() || gate_.parts_.monotonic_ns() >= gate_.turn_ends_) return;
  try {
    proved = port->shake();
  } catch (const std::runtime_error& error) {
    why = error.what();
    port->part(gate_.parts_.plain_answer);
  }
}

void TlsGate::Handshake::on_deadline(MonotonicNs now) {
  if (!ended() && now >= due_)
    why = fmt::format("no TLS handshake within {} s", handshake_ns / 1'000'000'000);
}

TlsGate::TlsGate(const TlsServerSettings& files, Parts parts)
    : parts_(std::move(parts)), context_(TlsContext::of_server(files, parts_.utc_s)) {}

void TlsGate::reload(const TlsServerSettings& files) {
  context_ = TlsContext::of_server(files, parts_.utc_s);
}

TokenBucket& TlsGate::account_of(const std::string& peer) {
  const std::string key = address_of(peer);
  if (accounts_.size() >= most_accounts && accounts_.count(key) == 0) accounts_.erase(accounts_.begin());
  return accounts_.try_emplace(key, TokenBucket(per_second, burst)).first->second;
}

bool TlsGate::in_pace(const std::string& peer, MonotonicNs now) {
  return from_reserved_port(peer) || account_of(peer).take(now) ||
         (parts_.maintains && parts_.maintains(peer, now));
}

/// A working peer completes the handshake in a few milliseconds, long before it is the oldest. Other accounts of this computer
/// do not compete with root's connections, which come from reserved ports.
void TlsGate::make_room(const std::string& peer, MonotonicNs now) {
  const bool reserved = from_reserved_port(peer);
  const auto of_peer = [&](const auto& h) {
    return from_reserved_port(h->peer) == reserved && same_origin(h->peer, peer);
  };
  const auto count = std::count_if(handshakes_.begin(), handshakes_.end(), of_peer);
  if (count >= static_cast<std::ptrdiff_t>(most_per_address))
    (*std::find_if(handshakes_.begin(), handshakes_.end(), of_peer))->why = fmt::format(
        "its TLS handshake is the oldest of {} of its address, and another one came", most_per_address);
  else if (handshakes_.size() >= most_handshakes)
    (*std::find_if(handshakes_.begin(), handshakes_.end(), [](const auto& h) {
      return !from_reserved_port(h->peer);
    }))->why = fmt::format("its TLS handshake is the oldest of {}, and another host came", most_handshakes);
  settle(now);
}

void TlsGate::enter(std::unique_ptr<Port> port, const std::string& peer, MonotonicNs now) {
  if (!in_pace(peer, now))
    return parts_.refused(
        peer, fmt::format("more than {} TLS handshakes a second of its address", per_second), now);
  make_room(peer, now);
  handshakes_.push_back(
      std::make_unique<Handshake>(*this, std::make_unique<TlsPort>(std::move(port), context_), peer, now));
  set_.add(*handshakes_.back());
}

void TlsGate::hand_on(Handshake& handshake, MonotonicNs now) {
  try {
    const TlsIdentity identity = handshake.port->peer();
    parts_.admit(std::move(handshake.port), handshake.peer, identity, now);
  } catch (const LostError& error) {
    parts_.refused(handshake.peer, error.what(), now);
  }
}

/// Removes completed handshakes. It may run while the poll set is iterated, so they leave the set first.
void TlsGate::settle(MonotonicNs now) {
  const auto first = std::stable_partition(handshakes_.begin(), handshakes_.end(),
                                           [](const auto& h) { return !h->ended(); });
  std::vector<std::unique_ptr<Handshake>> ended;
  std::move(first, handshakes_.end(), std::back_inserter(ended));
  handshakes_.erase(first, handshakes_.end());
  for (const auto& handshake : ended) {
    set_.remove(*handshake);
    if (handshake->proved)
      hand_on(*handshake, now);
    else
      parts_.refused(handshake->peer, handshake->why, now);
  }
}

void TlsGate::on_ready(MonotonicNs now) {
  turn_ends_ = parts_.monotonic_ns() + turn_ns;
  set_.on_ready(now);
  settle(now);
}

std::optional<MonotonicNs> TlsGate::deadline() const { return set_.deadline(); }

void TlsGate::on_deadline(MonotonicNs now) {
  set_.on_deadline(now);
  settle(now);
}

std::string TlsGate::expiry() const {
  const std::int64_t now_s = parts_.utc_s();
  std::string text;
  if (const std::string words = expiry_text(context_->certificate_ends_s(), now_s); !words.empty())
    text = "its certificate " + words;
  if (context_->crl_ends_s() == 0) return text;
  if (const std::string words = expiry_text(context_->crl_ends_s(), now_s, 3); !words.empty())
    text += (text.empty() ? "" : "; ") + ("its list of revoked certificates " + words);
  return text;
}

bool TlsGate::has_expired() const {
  const std::int64_t now_s = parts_.utc_s();
  return now_s >= context_->certificate_ends_s() ||
         (context_->crl_ends_s() != 0 && now_s >= context_->crl_ends_s());
}

}  // namespace datum
