#include "daemon/modbus/serial_link.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>

#include "daemon/modbus/session.h"

namespace datum::modbus {
namespace {

constexpr int first_back_off_ms = 250, longest_back_off_ms = 5000;
// The standard's 1.5 characters do not survive a USB adapter, which gathers bytes for up to 16 ms.
constexpr std::uint32_t least_silence_us = 50'000;
constexpr std::uint32_t bits_per_character = 11;

}  // namespace

SerialLink::SerialLink(const SerialLineSettings& settings, ModbusDesk& desk, LogSink log)
    : settings_(settings),
      desk_(desk),
      log_(std::move(log)),
      port_(serial_port(settings.line)),
      mailbox_(desk.connect("modbus_serial " + settings.line.path)),
      stop_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
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

void SerialLink::say(int priority, const std::string& state) {
  {
    const std::lock_guard lock(mutex_);
    state_ = state;
  }
  log_(priority, describe());
}

/// False: it is to end.
bool SerialLink::pause(int ms) const {
  pollfd stop{stop_, POLLIN, 0};
  return ::poll(&stop, 1, ms) == 0;
}

/// True: the line is open. False: it never will be, or this is to end.
bool SerialLink::open() {
  for (int back_off_ms = first_back_off_ms;; back_off_ms = std::min(2 * back_off_ms, longest_back_off_ms)) {
    try {
      port_->open();
      say(5, "open");
      return true;
    } catch (const LostError& lost) {
      if (back_off_ms == first_back_off_ms) say(4, fmt::format("{}; trying again", lost.what()));
    } catch (const std::exception& refused) {
      say(3, fmt::format("{}; this link stays closed", refused.what()));
      return false;
    }
    if (!pause(back_off_ms)) return false;
  }
}

void SerialLink::serve() {
  const std::uint32_t silence_us =
      std::max(least_silence_us,
               4u * bits_per_character * 1'000'000u / static_cast<std::uint32_t>(settings_.line.baud));
  while (open()) {
    mailbox_->present(true);
    const bool stopped =
        Session(rtu_context(port_->fd(), settings_.unit, silence_us), Session::Kind::rtu, *mailbox_)
            .run(stop_);
    mailbox_->present(false);
    port_->close();
    if (stopped) return;
    say(4, "lost; opening it again");
    if (!pause(first_back_off_ms)) return;
  }
}

}  // namespace datum::modbus
