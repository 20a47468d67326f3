#include "daemon/view/paced_requests.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <time.h>

namespace datum {
namespace {

std::string address_of(MHD_Connection* connection) {
  const auto* info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  if (!info || !info->client_addr) return "";
  char text[INET6_ADDRSTRLEN] = "";
  const sockaddr* address = info->client_addr;
  const void* bytes =
      address->sa_family == AF_INET6
          ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr)
          : &reinterpret_cast<const sockaddr_in*>(address)->sin_addr;
  ::inet_ntop(address->sa_family, bytes, text, sizeof text);
  return text;
}

}  // namespace

PacedRequests::PacedRequests(const PaceSettings& settings)
    : settings_(settings), pace_(settings, Clock::now()), thread_([this] { run(); }) {}

PacedRequests::~PacedRequests() {
  let_go();
  thread_.join();
}

PagePace::Turn PacedRequests::ask(MHD_Connection* connection, void** turn) {
  const std::lock_guard held(mutex_);
  if (ending_) return PagePace::Turn::refused;
  const PagePace::Turn answer = pace_.ask(address_of(connection), connection, Clock::now());
  if (answer == PagePace::Turn::later) {
    *turn = this;
    MHD_suspend_connection(connection);  // under the lock: the thread lets nothing go that is not held
    held_.insert(connection);
    changed_.notify_one();
  }
  return answer;
}

void PacedRequests::forget(MHD_Connection* connection) {
  const std::lock_guard held(mutex_);
  pace_.forget(connection);
  held_.erase(connection);
  changed_.notify_one();
}

PacedRequests::Clock::duration PacedRequests::of_this_thread() {
  timespec used{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

void PacedRequests::done(Clock::duration work) {
  const std::lock_guard held(mutex_);
  pace_.done(work, Clock::now());
  changed_.notify_one();
}

void PacedRequests::let_go() {
  const std::lock_guard held(mutex_);
  ending_ = true;
  for (MHD_Connection* connection : held_) MHD_resume_connection(connection);
  held_.clear();
  changed_.notify_one();
}

void PacedRequests::run() {
  std::unique_lock held(mutex_);
  while (!ending_) {
    if (const auto request = pace_.next(Clock::now())) {
      auto* connection = static_cast<MHD_Connection*>(*request);
      held_.erase(connection);
      MHD_resume_connection(connection);
    }
    if (const auto due = pace_.due())
      changed_.wait_until(held, *due);
    else
      changed_.wait(held);
  }
}

}  // namespace datum
