#include "daemon/ctl/scpi_client.h"

#include <fmt/format.h>
#include <poll.h>

#include <array>

namespace datum {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool begins(const std::string& text, const char* with) { return text.rfind(with, 0) == 0; }

/// Size of the block at `at` with its header; 0: no block, or incomplete (then `more`).
std::size_t block_size(const std::string& bytes, std::size_t at, bool& more) {
  if (at + 1 >= bytes.size()) return more = true, 0;
  if (!is_digit(bytes[at + 1]) || bytes[at + 1] == '0') return 0;
  const auto digits = static_cast<std::size_t>(bytes[at + 1] - '0');
  if (at + 2 + digits > bytes.size()) return more = true, 0;
  std::size_t length = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    if (!is_digit(bytes[at + 2 + i])) return 0;
    length = length * 10 + static_cast<std::size_t>(bytes[at + 2 + i] - '0');
  }
  if (at + 2 + digits + length > bytes.size()) return more = true, 0;
  return 2 + digits + length;
}

}  // namespace

std::size_t whole_line(const std::string& bytes) {
  bool quoted = false, fresh = true;  // fresh: a new answer element may begin
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char c = bytes[i];
    if (c == '"') quoted = !quoted;
    if (c == '\n' && !quoted) return i + 1;
    bool more = false;
    const std::size_t block = fresh && !quoted && c == '#' ? block_size(bytes, i, more) : 0;
    if (more) return 0;
    if (block > 0) i += block - 1;
    fresh = !quoted && (c == ',' || c == ';');
  }
  return 0;
}

ScpiClient::ScpiClient(std::unique_ptr<Port> port, std::chrono::milliseconds time_out)
    : port_(std::move(port)), time_out_(time_out) {
  start_clock();
  port_->open();
  while (!port_->connected()) {
    wait(POLLIN);
    port_->write(nullptr, 0);  // throws the cause where the connection failed
  }
}

/// Bytes before the hang-up may give the cause: "REFUSED,host.tcp takes TLS alone".
void ScpiClient::lost(const LostError& error) {
  try {
    std::array<std::uint8_t, 4096> bytes{};
    while (const std::size_t n = port_->read(bytes.data(), bytes.size()))
      received_.append(reinterpret_cast<const char*>(bytes.data()), n);
  } catch (const std::runtime_error&) {  // the loss is already known
  }
  if (const std::size_t n = whole_line(received_)) last_line_ = received_.substr(0, n - 1);
  if (begins(last_line_, "REFUSED,") || begins(last_line_, "CLOSED,"))
    throw LostError(port_->describe() + ": " + last_line_.substr(0, last_line_.find('\r')));
  throw error;
}

void ScpiClient::wait(short events) {
  using namespace std::chrono;
  const auto left = duration_cast<milliseconds>(until_ - steady_clock::now()).count();
  if (port_->wants_write()) events |= POLLOUT;
  pollfd entry{port_->fd(), events, 0};
  if (left <= 0 || poll(&entry, 1, static_cast<int>(left)) == 0)
    throw TransientError(fmt::format("{}: no answer within {} ms", port_->describe(), time_out_.count()));
}

void ScpiClient::write(const std::string& bytes) {
  for (std::size_t sent = 0; sent < bytes.size();) {
    const std::size_t n =
        port_->write(reinterpret_cast<const std::uint8_t*>(bytes.data()) + sent, bytes.size() - sent);
    if (n == 0) wait(POLLOUT);
    sent += n;
  }
}

std::string ScpiClient::read_line() {
  for (;;) {
    if (const std::size_t n = whole_line(received_)) {
      std::string line = received_.substr(0, n - 1);
      received_.erase(0, n);
      return line;
    }
    std::array<std::uint8_t, 4096> bytes{};
    const std::size_t n = port_->read(bytes.data(), bytes.size());
    if (n == 0) wait(POLLIN);
    received_.append(reinterpret_cast<const char*>(bytes.data()), n);
  }
}

ScpiClient::Reply ScpiClient::send(const std::string& message) {
  start_clock();
  try {
    return exchange(message);
  } catch (const LostError& error) {
    lost(error);
  }
}

ScpiClient::Reply ScpiClient::exchange(const std::string& message) {
  const std::string mark = fmt::format("\"datumctl {}\"", ++mark_);
  write(message + "\n:DIAGnostic:ECHO? " + mark + ";:SYSTem:ERRor:ALL?\n");
  Reply reply;
  for (;;) {
    std::string line = read_line();
    if (begins(line, (mark + ";").c_str())) {
      const std::string errors = line.substr(mark.size() + 1);
      if (!begins(errors, "0,")) reply.errors.push_back(errors);
      return reply;
    }
    last_line_ = line;
    if (!begins(line, "R,") && !begins(line, "GAP,")) reply.answers.push_back(std::move(line));
  }
}

}  // namespace datum
