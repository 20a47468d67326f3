#include "daemon/modbus/serial_link.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "daemon/modbus/session.h"
#include "daemon/system/event_loop.h"

namespace datum::modbus {
namespace {

constexpr int longest_back_off_ms = 5000;
// The 1.5 characters of V1.02 (2.5.1.1) do not survive a USB adapter, which buffers bytes for up to 16 ms.
constexpr int least_silence_ms = 50, bits_per_character = 11;

LinkLimits limits() {
  LinkLimits limits;
  limits.last_back_off_ms = longest_back_off_ms;
  return limits;
}

}  // namespace

SerialLink::SerialLink(const SerialLineSettings& settings, RegisterServer& desk, LogSink log)
    : settings_(settings),
      desk_(desk),
      log_(std::move(log)),
      mailbox_(desk.connect("modbus_serial " + settings.line.path)),
      stop_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      link_(
          serial_port(settings.line), limits(), [this](MonotonicNs) { opened(); },
          [this](const std::string& why, MonotonicNs) { lost(why); }),
      thread_([this] { serve(); }) {}

SerialLink::~SerialLink() {
  mailbox_->close();
  eventfd_write(stop_, 1);
  thread_.join();
  desk_.disconnect(mailbox_);
  ::close(stop_);
}

std::string SerialLink::describe() const {
  const std::lock_guard lock(mutex_);
  return fmt::format("modbus, serial {} {} unit {}: {}", settings_.line.path, line_format(settings_.line),
                     settings_.unit, state_);
}

std::optional<LinkReport> SerialLink::report(MonotonicNs) const {
  const std::lock_guard lock(mutex_);
  LinkReport report = report_;
  report.name = "host.modbus_serial";
  return report;
}

void SerialLink::say(int priority, const std::string& state) {
  const bool open = link_.is_open();
  {
    const std::lock_guard lock(mutex_);
    state_ = state;
    report_ = report_of(link_, "host.modbus_serial", "modbus_rtu");
  }
  LogEvent event{open ? Event::link_back : Event::link_lost, {{"DATUM_LINK", "host.modbus_serial"}}};
  if (!open) event.fields.emplace_back("DATUM_REASON", state);
  log_(priority, describe(), event);
}

/// False: the thread is to end.
bool SerialLink::pause(int ms) const {
  pollfd stop{stop_, POLLIN, 0};
  return ::poll(&stop, 1, ms) == 0;
}

void SerialLink::opened() {
  link_.good();
  say(5, "open");
}

void SerialLink::lost(const std::string& why) {
  if (link_.refused()) return say(3, why + "; this link stays closed");
  const bool was_open = link_.record().attempts == 0;
  if (was_open || link_.record().attempts == 1)
    say(4, why + (was_open ? "; opening it again" : "; trying again"));
}

/// True: the line is open. False: it is refused, or the thread is to end.
bool SerialLink::open() {
  while (!link_.is_open()) {
    const auto due = link_.deadline();
    if (!due) return false;
    const MonotonicNs left_ns = *due - EventLoop::now();
    if (left_ns > 0 && !pause(static_cast<int>(left_ns / ns_per_ms) + 1)) return false;
    link_.on_deadline(EventLoop::now());
  }
  return true;
}

void SerialLink::serve() {
  const int silence_ms = std::max(least_silence_ms, 4 * bits_per_character * 1000 / settings_.line.baud + 1);
  link_.start(EventLoop::now());
  while (open()) {
    mailbox_->present(true);
    const bool stopped = Session(link_.fd(), RtuSettings{settings_.unit, silence_ms}, *mailbox_).run(stop_);
    mailbox_->present(false);
    if (stopped) return;
    link_.lose("lost", EventLoop::now());
  }
}

}  // namespace datum::modbus
