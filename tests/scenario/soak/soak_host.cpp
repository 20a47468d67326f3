#include "tests/scenario/soak/soak_host.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>
#include <utility>

#include "tests/scenario/scenario_host.h"

namespace datum::soak {

using std::chrono::steady_clock;

namespace {

MonotonicNs now_ns() { return steady_clock::now().time_since_epoch().count(); }

}  // namespace

void SoakHost::connect(int port) {
  leave(false);
  fd_ = scenario::connect_tcp(port);
  hung_up_ = false;
  unread_.clear();
  unsaid_.clear();
  answers_.clear();
  delivery_.connected(now_ns());
  say(delivery_.to_daemon());
}

void SoakHost::leave(bool abruptly) {
  if (fd_ < 0) return;
  const linger at_once{1, 0};
  if (abruptly) ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  ::close(std::exchange(fd_, -1));
  hung_up_ = true;
}

void SoakHost::say(const std::string& bytes) {
  unsaid_ += bytes;
  while (!unsaid_.empty()) {
    const ssize_t n = ::send(fd_, unsaid_.data(), unsaid_.size(), MSG_NOSIGNAL);
    if (n <= 0) return;
    unsaid_.erase(0, static_cast<std::size_t>(n));
  }
}

void SoakHost::take(const std::string& line) {
  if (!delivery_.take(line, now_ns())) answers_.push_back(line);
  for (const DeliveryEvent& event : delivery_.events()) {
    if (event.kind == DeliveryEvent::Kind::gap) throw std::runtime_error("results are missing: " + line);
    if (event.kind == DeliveryEvent::Kind::store) {
      if (!store_id_.empty() && store_id_ != event.store_id)
        throw std::runtime_error("another store: " + line);
      store_id_ = event.store_id;
      newest_ = event.to;
    } else {
      results_.push_back({event.result, steady_clock::now()});
    }
  }
}

bool SoakHost::receive(scenario::Deadline deadline) {
  if (hung_up_ || fd_ < 0) return false;
  const auto again = steady_clock::time_point(std::chrono::nanoseconds(delivery_.deadline()));
  if (!scenario::readable({fd_}, std::min(deadline, again))) {
    if (steady_clock::now() < again) return steady_clock::now() < deadline;
    delivery_.on_deadline(now_ns());
    say(delivery_.to_daemon());
    return steady_clock::now() < deadline;
  }
  char bytes[16384];
  const ssize_t n = ::read(fd_, bytes, sizeof bytes);
  if (n == 0 || (n < 0 && errno != EAGAIN)) hung_up_ = true;
  if (n <= 0) return !hung_up_;
  unread_.append(bytes, static_cast<std::size_t>(n));
  for (std::size_t end = 0; (end = unread_.find('\n')) != std::string::npos; unread_.erase(0, end + 1))
    take(unread_.substr(0, end));
  say(delivery_.to_daemon());
  return true;
}

bool SoakHost::is_served() {
  say("*OPC?\n");
  const auto deadline = scenario::timeout();
  while (answers_.empty())
    if (!receive(deadline)) return false;
  const std::string answer = std::move(answers_.front());
  answers_.pop_front();
  return answer == "1";
}

std::string SoakHost::ask(const std::string& query) {
  say(query + "\n");
  const auto deadline = scenario::timeout();
  while (answers_.empty())
    if (!receive(deadline)) throw std::runtime_error("no answer to " + query);
  std::string answer = std::move(answers_.front());
  answers_.pop_front();
  return answer;
}

void SoakHost::command(const std::string& command) {
  const std::string said = ask(command + "\nSYST:ERR?");
  if (said.rfind("0,", 0) != 0) throw std::runtime_error(command + ": " + said);
}

std::optional<ResultLine> SoakHost::result(scenario::Deadline deadline) {
  while (results_.empty())
    if (!receive(deadline)) return std::nullopt;
  const Arrived first = std::move(results_.front());
  results_.pop_front();
  received_at_ = first.at;
  return first.line;
}

}  // namespace datum::soak
