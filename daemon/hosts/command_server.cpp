#include "daemon/hosts/command_server.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "drivers/port/allow_list.h"

namespace datum {

namespace {

/// Sends without waiting. Received bytes are discarded first: with unread bytes, close() would reset the connection (RST)
/// and the line would be lost.
void refuse(Port& port, const std::string& line) {
  try {
    std::uint8_t thrown_away[4096];
    port.read(thrown_away, sizeof thrown_away);
    port.write(reinterpret_cast<const std::uint8_t*>(line.data()), line.size());
  } catch (const LostError&) {
  }
}

}  // namespace

CommandServer::CommandServer(const CommandServerSettings& settings, Instrument& instrument, LogSink log,
                             int inherited)
    : settings_(settings),
      instrument_(instrument),
      log_(std::move(log)),
      listener_(
          settings.address, settings.port,
          [this](std::unique_ptr<Port> port, const std::string& peer, MonotonicNs now) {
            accept(std::move(port), peer, now);
          },
          inherited) {
  set_.add(listener_);
  if (settings_.tls) open_gate();
}

void CommandServer::open_gate() {
  gate_ = std::make_unique<TlsGate>(
      settings_.tls->files,
      TlsGate::Parts{[this] { return instrument_.utc_s(); }, [this] { return instrument_.monotonic_ns(); },
                     [this](std::unique_ptr<Port> port, const std::string& peer, const TlsIdentity& identity,
                            MonotonicNs now) { admit(std::move(port), peer, identity, now); },
                     [this](const std::string& peer, const std::string& why, MonotonicNs now) {
                       refused(peer, why, now);
                     },
                     "REFUSED,host." + key() + " takes TLS alone\r\n",
                     [this](const std::string& peer, MonotonicNs now) { return maintains(peer, now); }});
  set_.add(*gate_);
}

/// Limits log lines about connections; errors are always logged.
void CommandServer::note(int priority, const std::string& text, MonotonicNs now, const LogEvent& event) {
  if (priority > 3 && !lines_.take(now)) {
    ++unlisted_;
    return;
  }
  if (const auto n = std::exchange(unlisted_, 0))
    log_(5, fmt::format("commands: {} lines about hosts are left out", n));
  log_(priority, text, event);
}

std::string CommandServer::describe() const {
  std::string text = fmt::format("commands, {} {}:{}: {} of {} connections{}", key(), settings_.address,
                                 port(), links_.size(), settings_.most_connections, gate_ ? ", TLS" : "");
  if (gate_ && !gate_->expiry().empty()) text += ", " + gate_->expiry();
  std::uint64_t lost = 0;
  for (const Served& s : links_) lost += s.link->lost_results();
  return lost == 0 ? text : text + fmt::format(", {} result lines not sent", lost);
}

std::optional<LinkReport> CommandServer::report(MonotonicNs) const {
  LinkReport report;
  report.name = "host." + key();
  report.kind = settings_.gocator ? "gocator" : "scpi";
  report.peer = fmt::format("tcp {}:{}, {} of {} connections", settings_.address, port(), links_.size(),
                            settings_.most_connections);
  report.state = LinkState::open;
  report.record.opened = accepted_;
  if (!gate_) return report;
  report.peer += ", TLS";
  for (const std::string& notice : {gate_->expiry(), stale_})
    if (!notice.empty()) report.peer += ", " + notice;
  if (gate_->has_expired()) report.trouble = gate_->expiry() + ": no host gets in";
  return report;
}

/// Rate-limited: look-ups for endless connections would occupy the loop.
bool CommandServer::maintains(const std::string& peer, MonotonicNs now) {
  if (from_reserved_port(peer)) return true;
  if (!look_ups_.take(now)) return false;
  const auto account = settings_.account_of(peer, port());
  return account && (*account == 0 || *account == ::geteuid());
}

PlaceChoice CommandServer::place_for(const std::string& peer, MonotonicNs now) {
  std::vector<HeldPlace> held;
  for (const Served& s : links_)
    if (!s.link->finished()) held.push_back({s.peer, s.place});
  // Control held by another kind of link reserves no place here.
  return choose_place({settings_.most_connections, settings_.most_per_address, settings_.address}, held, peer,
                      peer_on(key(), instrument_.control().place_kept_for()),
                      [&] { return maintains(peer, now); });
}

std::string CommandServer::why_full(const std::string& peer, bool address_is_full) const {
  if (!address_is_full)
    return fmt::format("{} hosts are connected: host.{}.most_connections", links_.size(), key());
  return fmt::format(
      "{} hosts of {} are connected: host.{}.most_per_address",
      most_per_address({settings_.most_connections, settings_.most_per_address, settings_.address}),
      address_of(peer), key());
}

void CommandServer::refused(const std::string& peer, const std::string& why, MonotonicNs now) {
  LogEvent event{Event::host_refused, of_host(key() + " " + peer)};
  event.fields.emplace_back("DATUM_REASON", why);
  note(4, fmt::format("commands: {} refused, {}", peer, why), now, event);
}

void CommandServer::accept(std::unique_ptr<Port> port, const std::string& peer, MonotonicNs now) {
  if (!settings_.allow.allows(peer))
    return refused(peer, fmt::format("it is not in host.{}.allow", key()), now);
  if (gate_) return gate_->enter(std::move(port), peer, now);
  admit(std::move(port), peer, std::nullopt, now);
}

/// The identity and the role, for the log.
std::string CommandServer::identified(const std::string& peer,
                                      const std::optional<TlsIdentity>& identity) const {
  if (!identity) return peer;
  const auto role = role_of(*identity, settings_.tls->clients);
  return fmt::format("{} ({}, {})", peer, text_of(*identity), role ? name_of(*role) : "no role");
}

void CommandServer::admit(std::unique_ptr<Port> port, const std::string& peer,
                          const std::optional<TlsIdentity>& identity, MonotonicNs now) {
  const std::optional<Role> role = identity ? role_of(*identity, settings_.tls->clients) : std::nullopt;
  if (identity && !role) {
    refuse(*port, fmt::format("REFUSED,no [[host.{}.tls.client]] names this certificate: {}\r\n", key(),
                              text_of(*identity)));
    return refused(identified(peer, identity),
                   fmt::format("no [[host.{}.tls.client]] names its certificate", key()), now);
  }
  PlaceChoice choice = place_for(peer, now);
  if (choice.place == HostPlace::none && make_room(now, choice.address_is_full ? &peer : nullptr))
    choice.place = HostPlace::common;
  if (choice.place == HostPlace::none) {
    const std::string why = why_full(peer, choice.address_is_full);
    refuse(*port, fmt::format("{},{}\r\n", settings_.gocator ? "ERROR" : "REFUSED", why));
    return refused(identified(peer, identity), why, now);
  }
  ++accepted_;
  CommandLinkSettings link;
  link.push_results = settings_.push_results;
  link.host = key() + " " + peer;
  link.gocator = settings_.gocator;
  link.commands_per_second = settings_.commands_per_second;
  link.since = now;
  link.tells_of_tls = !gate_;
  if (identity) instrument_.control().identify(link.host, {text_of(*identity), *role});
  const auto log = [this](int priority, const std::string& text, const LogEvent& event) {
    note(priority, text, now_, event);
  };
  links_.push_back(
      {peer, choice.place, identity, std::make_unique<CommandLink>(std::move(port), instrument_, link, log)});
  set_.add(*links_.back().link);
  note(6, fmt::format("commands: {} connected", identified(peer, identity)), now);
}

void CommandServer::reload(const std::optional<HostTls>& tls, MonotonicNs now) {
  if (settings_.tls.has_value() != tls.has_value())
    throw RefusedError(fmt::format("host.{}.tls came or went; that takes a restart", key()));
  if (!gate_) return;
  now_ = now;
  try {
    gate_->reload(tls->files);
  } catch (const RefusedError&) {
    stale_ = "its certificates could not be read again";
    throw;
  }
  stale_.clear();
  settings_.tls = tls;
  for (const Served& served : links_) judge_again(served, now);
  set_.sync();
}

void CommandServer::judge_again(const Served& served, MonotonicNs now) {
  if (!served.identity || served.link->finished()) return;
  const std::optional<Role> role = role_of(*served.identity, settings_.tls->clients);
  std::string why = gate_->context().objection(*served.identity);
  if (why.empty() && !role)
    why = fmt::format("no [[host.{}.tls.client]] names its certificate any more", key());
  if (why.empty())
    return instrument_.control().identify(key() + " " + served.peer, {text_of(*served.identity), *role});
  note(4, fmt::format("commands: {} closed, {}", identified(served.peer, served.identity), why), now);
  served.link->dismiss(fmt::format("CLOSED,{}\r\n", why), fmt::format("{}: {}", served.link->describe(), why),
                       now);
}

/// Dismisses one host that was idle for idle_s to admit another; true: done. The longest idle one goes. Hosts that only
/// receive results go, the newest first, where they hold more than half of the places. `of_peer`: hosts of its address.
bool CommandServer::make_room(MonotonicNs now, const std::string* of_peer) {
  const MonotonicNs latest = now - MonotonicNs{settings_.idle_s} * 1'000'000'000;
  const Served *longest = nullptr, *newest_listener = nullptr;
  int listeners = 0;
  for (const Served& s : links_) {
    if (s.place != HostPlace::common || (of_peer && !same_origin(*of_peer, s.peer))) continue;
    const auto quiet = s.link->quiet_since();
    const bool listens = s.link->listens();
    listeners += listens;
    if (!quiet || *quiet > latest) continue;
    if (listens)
      newest_listener = &s;
    else if (!longest || *quiet < *longest->link->quiet_since())
      longest = &s;
  }
  if (!longest && 2 * listeners > settings_.most_connections) longest = newest_listener;
  if (!longest) return false;
  dismiss(*longest->link, *longest->link->quiet_since(), now);
  return true;
}

void CommandServer::dismiss(CommandLink& link, MonotonicNs quiet_since, MonotonicNs now) {
  const std::string why = fmt::format("silent for {} s, and another host came: host.{}.idle_s",
                                      (now - quiet_since) / 1'000'000'000, key());
  link.dismiss(fmt::format("{},{}\r\n", settings_.gocator ? "ERROR" : "CLOSED", why),
               fmt::format("{}: {}", link.describe(), why), now);
}

std::optional<MonotonicNs> CommandServer::deadline() const {
  const auto finished = [](const Served& s) { return s.link->finished(); };
  if (std::any_of(links_.begin(), links_.end(), finished)) return 0;
  return set_.deadline();
}

/// Removes closed connections and updates the event masks of the others.
void CommandServer::tidy() {
  const auto finished = [](const Served& s) { return s.link->finished(); };
  for (const Served& s : links_)
    if (finished(s)) set_.remove(*s.link);
  links_.erase(std::remove_if(links_.begin(), links_.end(), finished), links_.end());
  set_.sync();
}

void CommandServer::on_ready(MonotonicNs now) {
  now_ = now;
  set_.on_ready(now);
  tidy();
}

void CommandServer::on_deadline(MonotonicNs now) {
  now_ = now;
  set_.on_deadline(now);
  tidy();
}

// Closed links are removed at the next event (a hang-up is one): a link may be calling the instrument at this moment, so
// it must not be destroyed here.
void CommandServer::push_result(const BoardVerdict& verdict) {
  for (const Served& s : links_) s.link->push_result(verdict);
  set_.sync();
}

void CommandServer::instrument_changed() {
  for (const Served& s : links_) s.link->instrument_changed();
  set_.sync();
}

std::optional<std::uint64_t> CommandServer::acknowledged() const {
  std::optional<std::uint64_t> least;
  for (const Served& s : links_)
    if (const auto one = s.link->acknowledged(); one && (!least || *one < *least)) least = one;
  return least;
}

void CommandServer::raise(int number, const std::string& detail) {
  for (const Served& s : links_) s.link->raise(number, detail);
}

}  // namespace datum
