// HTTP for the pages: GET and HEAD alone, by libmicrohttpd, in a thread of its own.
//
// Bounds: most_connections at once (further ones wait), of one address most_of_an_address (further ones are closed), idle_s without a
// byte, request_s from a connection's begin or last answer to the end of its next one, memory of a connection for its headers. So a
// client that sends or reads a byte at a time holds its place for a bounded time. A request's body is never read. The name in Host must be an
// address, localhost or a name that was allowed: a page elsewhere whose name is made to point here (DNS rebinding) gets nothing.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "daemon/view/page_answer.h"
#include "daemon/view/page_pace.h"

namespace datum {

struct ListenPlace {
  std::string address = "127.0.0.1";  // numeric
  std::uint16_t port = 8025;          // 0: any free one
};
/// "8025", "127.0.0.1:8025", "[::1]:8025". Throws std::invalid_argument with the allowed forms.
ListenPlace read_listen_place(const std::string& text);
/// True: only this computer reaches it.
bool is_loopback(const ListenPlace& place);

/// True: the value of a Host header names an address, localhost, or one of `names`; a port may follow.
bool is_own_host(const std::string& host, const std::set<std::string>& names);

class ViewServer {
 public:
  static constexpr unsigned most_connections = 64, most_of_an_address = 48, idle_s = 5;
  static constexpr std::chrono::seconds request_s{30};
  static constexpr std::size_t most_header_bytes = 16 << 10;

  using Answer = std::function<PageAnswer(const PageRequest&)>;
  /// Serves until destruction. `answer` is called on the server's thread, as `pace` allows: what has to wait is held, what is too much is
  /// told 429 with Retry-After. Throws std::runtime_error where it can't listen.
  ViewServer(const ListenPlace& place, std::set<std::string> names, Answer answer,
             const std::optional<PaceSettings>& pace = std::nullopt);
  ~ViewServer();
  ViewServer(const ViewServer&) = delete;
  ViewServer& operator=(const ViewServer&) = delete;

  std::uint16_t port() const;

  /// Ends connections that have waited longer than request_s for the end of an answer; to be called about once a second. The number of
  /// those that it ended.
  std::size_t end_slow(std::chrono::steady_clock::time_point now = std::chrono::steady_clock::now());

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace datum
