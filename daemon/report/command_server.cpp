#include "daemon/report/command_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace datum {

namespace {

/// What fits goes out; the peer is not waited for.
void refuse(Port& port, const std::string& line) {
  try {
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
}

/// Hosts that come and go without end don't fill the journal; errors are always listed.
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
  std::string text = fmt::format("commands, {} {}:{}: {} of {} connections", key(), settings_.address, port(),
                                 links_.size(), settings_.most_connections);
  std::uint64_t lost = 0;
  for (const auto& link : links_) lost += link->lost_results();
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
  return report;
}

void CommandServer::accept(std::unique_ptr<Port> port, const std::string& peer, MonotonicNs now) {
  const auto refused = [&](const std::string& why) {
    LogEvent event{Event::host_refused, of_host(key() + " " + peer)};
    event.fields.emplace_back("DATUM_REASON", why);
    note(4, fmt::format("commands: {} refused, {}", peer, why), now, event);
  };
  if (!settings_.allow.allows(peer)) return refused(fmt::format("it is not in host.{}.allow", key()));
  const auto open = std::count_if(links_.begin(), links_.end(), [](const auto& l) { return !l->finished(); });
  if (open >= settings_.most_connections && !make_room(now)) {
    refuse(*port, fmt::format("{},{} hosts are connected: host.{}.most_connections\r\n",
                              settings_.gocator ? "ERROR" : "REFUSED", links_.size(), key()));
    return refused(fmt::format("{} hosts are connected", links_.size()));
  }
  ++accepted_;
  CommandLinkSettings link;
  link.push_results = settings_.push_results;
  link.host = key() + " " + peer;
  link.gocator = settings_.gocator;
  link.commands_per_second = settings_.commands_per_second;
  link.since = now;
  links_.push_back(
      std::make_unique<CommandLink>(std::move(port), instrument_, link,
                                    [this](int priority, const std::string& text, const LogEvent& event) {
                                      note(priority, text, now_, event);
                                    }));
  set_.add(*links_.back());
  note(6, fmt::format("commands: {} connected", peer), now);
}

/// True: the host that was idle longest, and long enough, has gone for another one.
bool CommandServer::make_room(MonotonicNs now) {
  CommandLink* longest = nullptr;
  MonotonicNs since = now - MonotonicNs{settings_.idle_s} * 1'000'000'000;
  for (const auto& link : links_)
    if (const auto idle = link->idle_since(); idle && *idle <= since) longest = link.get(), since = *idle;
  if (!longest) return false;
  const std::string why = fmt::format("silent for {} s, and another host came: host.{}.idle_s",
                                      (now - since) / 1'000'000'000, key());
  longest->dismiss(fmt::format("{},{}\r\n", settings_.gocator ? "ERROR" : "CLOSED", why),
                   fmt::format("{}: {}", longest->describe(), why), now);
  return true;
}

std::optional<MonotonicNs> CommandServer::deadline() const {
  const auto finished = [](const auto& link) { return link->finished(); };
  if (std::any_of(links_.begin(), links_.end(), finished)) return 0;
  return set_.deadline();
}

/// Forgets closed connections and looks again at what each waits for.
void CommandServer::tidy() {
  for (const auto& link : links_)
    if (link->finished()) set_.remove(*link);
  links_.erase(std::remove_if(links_.begin(), links_.end(), [](const auto& l) { return l->finished(); }),
               links_.end());
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

// Reaping is left to the next event (a closed link asks for none but its hang-up is one): a link may be
// telling the instrument something in this very moment, and must not vanish under its feet.
void CommandServer::push_result(const BoardVerdict& verdict) {
  for (const auto& link : links_) link->push_result(verdict);
  set_.sync();
}

void CommandServer::instrument_changed() {
  for (const auto& link : links_) link->instrument_changed();
  set_.sync();
}

std::optional<std::uint64_t> CommandServer::acknowledged() const {
  std::optional<std::uint64_t> least;
  for (const auto& link : links_)
    if (const auto one = link->acknowledged(); one && (!least || *one < *least)) least = one;
  return least;
}

void CommandServer::raise(int number, const std::string& detail) {
  for (const auto& link : links_) link->raise(number, detail);
}

}  // namespace datum
