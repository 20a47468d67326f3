#include "tests/virtual_cell/virtual_plc_link.h"

#include <fmt/format.h>
#include <poll.h>

#include <charconv>
#include <thread>

namespace datum::plc {
namespace {

template <class T>
T number_of(const std::string& text, const std::string& link) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size())
    throw std::invalid_argument(fmt::format("link '{}': '{}' is not a number", link, text));
  return value;
}

/// Waits for the descriptor; false: timeout.
bool ready(int fd, short events, HostLink::Clock::time_point until) {
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(until - HostLink::Clock::now()).count();
  pollfd p{fd, events, 0};
  return left > 0 && ::poll(&p, 1, static_cast<int>(left)) > 0;
}

}  // namespace

std::unique_ptr<Port> port_of(const std::string& link) {
  const auto first = link.find(':');
  const auto last = link.rfind(':');
  const std::string kind = link.substr(0, first);
  if (kind == "tcp" && last != first) {
    const std::string host = link.substr(first + 1, last - first - 1);
    return tcp_port(host, number_of<std::uint16_t>(link.substr(last + 1), link));
  }
  if (kind == "serial" && first != std::string::npos) {
    SerialSettings settings;
    settings.path = link.substr(first + 1, last == first ? std::string::npos : last - first - 1);
    if (last != first) settings.baud = number_of<int>(link.substr(last + 1), link);
    return serial_port(settings);
  }
  throw std::invalid_argument(
      fmt::format("link '{}' is not known; tcp:HOST:PORT or serial:PATH[:BAUD]", link));
}

HostLink::HostLink(const std::string& link, std::chrono::milliseconds timeout) : port_(port_of(link)) {
  const auto until = Clock::now() + timeout;
  for (;;) {
    try {
      if (!port_->is_open()) port_->open();
      if (ready(port_->fd(), POLLOUT, until) && port_->connected()) return;
    } catch (const LostError& e) {
      if (Clock::now() >= until) throw Timeout(fmt::format("{}: {}", port_->describe(), e.what()));
    }
    if (Clock::now() >= until) throw Timeout(fmt::format("{}: no connection", port_->describe()));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

void HostLink::command(const std::string& text) {
  send(text);
  const std::string error = query("SYST:ERR?");
  if (error.substr(0, 2) != "0,") throw ProtocolError(fmt::format("{}: {}", text, error));
}

std::string HostLink::query(const std::string& text) {
  send(text);
  return next(false, Clock::now() + answer_within_);
}

std::string HostLink::greet(std::chrono::milliseconds timeout) {
  const auto until = Clock::now() + timeout;
  std::string identity;
  while (identity.empty()) {
    send("*IDN?");
    try {
      identity = next(false, std::min(until, Clock::now() + std::chrono::milliseconds(500)));
    } catch (const Timeout&) {
      if (Clock::now() >= until) throw;
    }
  }
  send("SYST:VERS?");  // no late answer to a repeated query remains behind it
  while (next(false, until) != "1999.0") continue;
  return identity;
}

ResultLine HostLink::wait_result(std::chrono::milliseconds timeout) {
  const std::string line = next(true, Clock::now() + timeout);
  if (line[0] == 'G') throw ProtocolError("results were left out on this link: " + line);
  return read_result(line);
}

void HostLink::send(const std::string& line) {
  const std::string bytes = line + "\n";
  const auto until = Clock::now() + answer_within_;
  for (std::size_t done = 0; done < bytes.size();) {
    if (!ready(port_->fd(), POLLOUT, until)) throw Timeout(port_->describe() + ": takes no bytes");
    done += port_->write(reinterpret_cast<const std::uint8_t*>(bytes.data()) + done, bytes.size() - done);
  }
}

std::string HostLink::next(bool pushed, Clock::time_point until) {
  auto& wanted = pushed ? pushed_ : answers_;
  while (wanted.empty()) read_some(until);
  std::string line = wanted.front();
  wanted.pop_front();
  return line;
}

void HostLink::read_some(Clock::time_point until) {
  if (!ready(port_->fd(), POLLIN, until)) throw Timeout(port_->describe() + ": no answer in time");
  std::uint8_t bytes[4096];
  const std::size_t n = port_->read(bytes, sizeof bytes);
  received_.append(reinterpret_cast<const char*>(bytes), n);
  for (std::size_t end = 0; (end = received_.find('\n')) != std::string::npos; received_.erase(0, end + 1)) {
    std::string line = received_.substr(0, end);
    if (!line.empty() && line.back() == '\r') line.pop_back();
    (is_pushed(line) ? pushed_ : answers_).push_back(line);
  }
}

}  // namespace datum::plc
