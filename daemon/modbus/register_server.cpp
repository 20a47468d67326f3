#include "daemon/modbus/register_server.h"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "daemon/system/event_loop.h"

namespace datum::modbus {
namespace {

constexpr std::size_t most_hosts = 64;        // more than there are links: hosts may come and go
constexpr std::size_t most_positions = 1024;  // further hosts receive results again after a restart

}  // namespace

RegisterServer::RegisterServer(ServerDependencies parts)
    : parts_(std::move(parts)),
      cell_{parts_.instrument, parts_.control, parts_.log, {}, {}, false},
      store_(parts_.positions),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (wake_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
  cell_.store = parts_.instrument.results();
  positions_ = store_.load(cell_.store->store_id);
  for (const FormerId& former : cell_.store->former)
    for (const auto& [host, acknowledged] : store_.load(former.id)) {
      positions_.emplace(host, cell_.store->position_of(former.id, acknowledged).value_or(0));
      positions_changed_ = true;
    }
  keeper_.emplace();
}

RegisterServer::~RegisterServer() {
  close();
  positions_changed_ |= keeper_->busy();  // pending positions are lost
  keeper_.reset();
  try {
    if (note_positions()) store_.save(cell_.store->store_id, positions_);
  } catch (const std::exception& failed) {
    parts_.log(3, fmt::format("modbus: positions are not kept: {}", failed.what()));
  }
  ::close(wake_);
}

void RegisterServer::close() {
  for (const Link& link : links_) link.mailbox->close();
}

/// Positions stay valid where the store got another id at run time: none is beyond its former end.
void RegisterServer::read_store() {
  try {
    cell_.store = parts_.instrument.results();
    store_problem_.clear();
  } catch (const std::exception& failed) {
    cell_.store.reset();
    if (store_problem_.empty()) parts_.log(3, fmt::format("modbus: {}", failed.what()));
    store_problem_ = failed.what();
  }
}

Host& RegisterServer::host_named(const std::string& name) {
  if (const auto known = hosts_.find(name); known != hosts_.end()) return *known->second;
  // Disconnected hosts may be removed: their positions are kept.
  for (auto it = hosts_.begin(); hosts_.size() >= most_hosts && it != hosts_.end();) {
    const Host* host = it->second.get();
    const bool idle =
        std::none_of(links_.begin(), links_.end(), [&](const Link& l) { return l.host == host; });
    it = idle ? hosts_.erase(it) : std::next(it);
  }
  const auto last_id = static_cast<std::uint16_t>(cell_.store ? cell_.store->last : 0);
  const auto kept = positions_.find(name);
  const std::uint64_t acknowledged = kept == positions_.end() ? 0 : kept->second;
  return *(hosts_[name] = std::make_unique<Host>(name, acknowledged, last_id, cell_));
}

std::shared_ptr<Mailbox> RegisterServer::connect(const std::string& name) {
  Host& host = host_named(name);
  auto first = std::make_shared<const Image>(host.image(EventLoop::now()));
  links_.push_back({std::make_shared<Mailbox>(wake_, std::move(first)), &host, false});
  return links_.back().mailbox;
}

void RegisterServer::disconnect(const std::shared_ptr<Mailbox>& mailbox) {
  mailbox->present(false);
  mailbox->close();
  follow_presence();
  links_.erase(
      std::remove_if(links_.begin(), links_.end(), [&](const Link& l) { return l.mailbox == mailbox; }),
      links_.end());
}

/// A host is absent when its last link is.
void RegisterServer::follow_presence() {
  for (Link& link : links_) {
    const bool is = link.mailbox->is_present();
    if (std::exchange(link.present, is) == is || is) continue;
    if (!is_present(link.host->name())) parts_.control.left(link.host->name());
  }
}

bool RegisterServer::is_present(const std::string& host) const {
  return std::any_of(links_.begin(), links_.end(), [&](const Link& link) {
    return link.host->name() == host && link.mailbox->is_present();
  });
}

std::optional<std::uint64_t> RegisterServer::acknowledged() const {
  std::optional<std::uint64_t> least;
  for (const auto& [host, position] : positions_) {
    const bool lost_some = cell_.store && position + 1 < cell_.store->first;
    if (lost_some && !is_present(host)) continue;
    least = std::min(least.value_or(position), position);
  }
  return least;
}

void RegisterServer::on_ready(MonotonicNs now) {
  std::uint64_t count = 0;
  [[maybe_unused]] const auto got = ::read(wake_, &count, sizeof count);
  follow_presence();
  std::vector<std::pair<std::shared_ptr<Mailbox>, Exception>> done;
  for (const Link& link : links_)
    if (const auto request = link.mailbox->take()) {
      const MonotonicNs from = EventLoop::now();
      done.emplace_back(link.mailbox, link.host->write(*request, now));
      parts_.control.meter().command(link.host->name(), done.back().second == Exception::none,
                                     EventLoop::now() - from);
    }
  publish(now);  // published before the answers: the next read shows the effect
  for (const auto& [mailbox, answer] : done) mailbox->done(answer);
}

std::optional<MonotonicNs> RegisterServer::deadline() const {
  if (changed_) return 0;
  MonotonicNs next = beat_.next();
  for (const auto& [name, host] : hosts_)
    if (const auto due = host->due()) next = std::min(next, *due);
  return next;
}

void RegisterServer::on_deadline(MonotonicNs now) { publish(now); }

void RegisterServer::publish(MonotonicNs now) {
  // Retention may have removed results since.
  if (std::exchange(changed_, false) || !cell_.store) read_store();
  beat_.due(now);
  cell_.heartbeat = beat_.level();
  for (const auto& [name, host] : hosts_) {
    const auto image = std::make_shared<const Image>(host->image(now));
    for (const Link& link : links_)
      if (link.host == host.get()) link.mailbox->publish(image);
  }
  keep_positions();
}

void RegisterServer::push_result(const BoardVerdict& verdict) {
  ++cell_.boards[static_cast<std::size_t>(verdict.decision)];
  if (!cell_.store || cell_.store->store_id != verdict.store_id) {
    read_store();
  } else {
    StoreExtent& have = *cell_.store;
    if (have.count++ == 0) have.first = verdict.sequence;
    have.last = verdict.sequence;
  }
  for (const auto& [name, host] : hosts_) host->announced(verdict, parts_.instrument.board_announced());
  changed_ = true;
}

/// True: there are positions to write.
bool RegisterServer::note_positions() {
  for (const auto& [name, host] : hosts_) {
    const auto known = positions_.find(name);
    const std::uint64_t kept = known == positions_.end() ? 0 : known->second;
    if (kept == host->acknowledged()) continue;
    if (known == positions_.end() && positions_.size() >= most_positions) continue;
    positions_[name] = host->acknowledged();
    positions_changed_ = true;
  }
  return positions_changed_ && cell_.store;
}

/// Writes changed positions; changes during a write follow after it.
void RegisterServer::keep_positions() {
  if (!note_positions() || keeper_->busy()) return;
  positions_changed_ = false;
  keeper_->submit(
      [this, id = cell_.store->store_id, positions = positions_] {
        try {
          store_.save(id, positions);
          keeping_failed_ = false;
        } catch (const std::exception& failed) {
          if (!keeping_failed_)
            parts_.log(3, fmt::format("modbus: positions are not kept: {}", failed.what()));
          keeping_failed_ = true;
        }
      },
      [] {});
}

std::string RegisterServer::describe() const {
  const auto present = std::count_if(links_.begin(), links_.end(), [](const Link& l) { return l.present; });
  return fmt::format("modbus: {} links{}", present, store_problem_.empty() ? "" : ", " + store_problem_);
}

}  // namespace datum::modbus
