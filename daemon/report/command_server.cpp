#include "daemon/report/command_server.h"

#include <fmt/format.h>

#include <algorithm>

namespace datum {

CommandServer::CommandServer(const CommandServerSettings& settings, Instrument& instrument, LogSink log)
    : settings_(settings),
      instrument_(instrument),
      log_(std::move(log)),
      listener_(settings.address, settings.port,
                [this](std::unique_ptr<Port> port, const std::string& peer, MonotonicNs) {
                  accept(std::move(port), peer);
                }) {
  set_.add(listener_);
}

std::string CommandServer::describe() const {
  std::string text = fmt::format("commands, tcp {}:{}: {} of {} connections", settings_.address, port(),
                                 links_.size(), settings_.most_connections);
  std::uint64_t lost = 0;
  for (const auto& link : links_) lost += link->lost_results();
  return lost == 0 ? text : text + fmt::format(", {} result lines not sent", lost);
}

void CommandServer::accept(std::unique_ptr<Port> port, const std::string& peer) {
  if (links_.size() >= static_cast<std::size_t>(settings_.most_connections)) {
    log_(4, fmt::format("commands: {} refused, {} hosts are connected", peer, links_.size()));
    return;
  }
  links_.push_back(std::make_unique<CommandLink>(std::move(port), instrument_,
                                                 CommandLinkSettings{settings_.push_results, false}, log_));
  set_.add(*links_.back());
  log_(6, fmt::format("commands: {} connected", peer));
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
  set_.on_ready(now);
  tidy();
}

void CommandServer::on_deadline(MonotonicNs now) {
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

void CommandServer::raise(int number, const std::string& detail) {
  for (const auto& link : links_) link->raise(number, detail);
}

}  // namespace datum
