#include "daemon/view/view_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <optional>
#include <stdexcept>

#include "daemon/view/open_connections.h"
#include "daemon/view/paced_requests.h"

namespace datum {
namespace {

struct Address {
  sockaddr_storage bytes{};
  bool is_v6 = false;
};

std::optional<Address> address_of(const ListenPlace& place) {
  Address a;
  auto& v4 = reinterpret_cast<sockaddr_in&>(a.bytes);
  auto& v6 = reinterpret_cast<sockaddr_in6&>(a.bytes);
  if (inet_pton(AF_INET, place.address.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(place.port);
    return a;
  }
  if (inet_pton(AF_INET6, place.address.c_str(), &v6.sin6_addr) != 1) return std::nullopt;
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(place.port);
  a.is_v6 = true;
  return a;
}

struct Response {
  explicit Response(MHD_Response* made) : response(made) {
    if (!response) throw std::bad_alloc();
  }
  ~Response() { MHD_destroy_response(response); }
  Response(const Response&) = delete;
  Response& operator=(const Response&) = delete;
  void header(const char* name, const char* value) { MHD_add_response_header(response, name, value); }
  MHD_Response* response;
};

MHD_Result queue(MHD_Connection* connection, const PageAnswer& answer) {
  Response r(MHD_create_response_from_buffer(answer.body.size(), const_cast<char*>(answer.body.data()),
                                             MHD_RESPMEM_MUST_COPY));
  r.header("Content-Type", answer.type.c_str());
  r.header("Content-Security-Policy",
           "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; "
           "frame-ancestors 'none'");
  r.header("X-Content-Type-Options", "nosniff");
  r.header("Referrer-Policy", "no-referrer");
  r.header("Cross-Origin-Resource-Policy", "same-origin");
  r.header("Cache-Control", answer.lasting ? "private, max-age=86400" : "no-store");
  if (answer.status == 405) r.header("Allow", "GET, HEAD");
  if (answer.status == 429) r.header("Retry-After", "5");
  return MHD_queue_response(connection, static_cast<unsigned>(answer.status), r.response);
}

PageAnswer refusal(int status, const char* words) {
  return {status, "text/plain; charset=utf-8", std::string(words) + "\n", false};
}

MHD_Result add_query(void* query, MHD_ValueKind, const char* name, std::size_t name_size, const char* value,
                     std::size_t value_size) {
  (*static_cast<std::map<std::string, std::string>*>(query))[std::string(name, name_size)] =
      value ? std::string(value, value_size) : "";
  return MHD_YES;
}

}  // namespace

struct ViewServer::Impl {
  Impl(std::set<std::string> own_names, Answer own_answer)
      : names(std::move(own_names)), answer(std::move(own_answer)) {}

  std::set<std::string> names;
  Answer answer;
  OpenConnections connections;
  std::optional<PacedRequests> paced;
  MHD_Daemon* daemon = nullptr;

  static void noticed(void* self, MHD_Connection* connection, void**, MHD_ConnectionNotificationCode what) {
    auto& connections = static_cast<Impl*>(self)->connections;
    what == MHD_CONNECTION_NOTIFY_STARTED ? connections.begin(connection) : connections.end(connection);
  }
  static void completed(void* self, MHD_Connection* connection, void**, MHD_RequestTerminationCode) {
    auto* impl = static_cast<Impl*>(self);
    impl->connections.answered(connection);
    if (impl->paced) impl->paced->forget(connection);
  }

  bool is_asked_by_its_name(MHD_Connection* connection) const {
    const char* host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);
    return host && is_own_host(host, names);
  }

  PageAnswer page(MHD_Connection* connection, const char* path) const {
    PageRequest request;
    request.path = path;
    MHD_get_connection_values_n(connection, MHD_GET_ARGUMENT_KIND, &add_query, &request.query);
    return answer(request);
  }

  /// The page, at its turn; none: it has to wait, and MHD asks again.
  std::optional<PageAnswer> paced_page(MHD_Connection* connection, const char* path, void** turn) {
    if (!paced || paced->is_free(path)) return page(connection, path);
    if (*turn == nullptr) {
      switch (paced->ask(connection, turn)) {
        case PagePace::Turn::now:
          break;
        case PagePace::Turn::later:
          return std::nullopt;
        case PagePace::Turn::refused:
          return PageAnswer{429, "text/plain; charset=utf-8",
                            "429 too many requests wait for a page: inspections come first\n", false};
      }
    }
    const PacedRequests::Work work(*paced);
    return page(connection, path);
  }

  /// No request's body is waited for: the first call answers, or the one at its turn.
  static MHD_Result asked(void* self, MHD_Connection* connection, const char* path, const char* method,
                          const char*, const char*, std::size_t*, void** turn) {
    try {
      auto* impl = static_cast<Impl*>(self);
      if (std::strcmp(method, "GET") != 0 && std::strcmp(method, "HEAD") != 0)
        return queue(connection, refusal(405, "405 GET and HEAD alone"));
      if (!impl->is_asked_by_its_name(connection))
        return queue(connection,
                     refusal(421, "421 this name is not allowed: use the address, or name it by --name"));
      const auto answer = impl->paced_page(connection, path, turn);
      return answer ? queue(connection, *answer) : MHD_YES;
    } catch (const std::exception&) {  // no memory: the connection ends
      return MHD_NO;
    }
  }
};

ListenPlace read_listen_place(const std::string& text) {
  const auto wrong = [&] {
    return std::invalid_argument(
        "'" + text +
        "': a port, or a numeric address and a port, is needed: 8025, 127.0.0.1:8025, [::1]:8025");
  };
  ListenPlace place;
  const std::size_t colon = text.rfind(':');
  std::string port = text;
  if (colon != text.npos) {
    place.address = text.substr(0, colon);
    port = text.substr(colon + 1);
    const bool bracketed =
        place.address.size() > 2 && place.address.front() == '[' && place.address.back() == ']';
    if (bracketed) place.address = place.address.substr(1, place.address.size() - 2);
    if (bracketed != (place.address.find(':') != text.npos)) throw wrong();
  }
  if (port.empty() || port.size() > 5 || port.find_first_not_of("0123456789") != port.npos ||
      std::stoul(port) > 65535)
    throw wrong();
  place.port = static_cast<std::uint16_t>(std::stoul(port));
  if (!address_of(place)) throw wrong();
  return place;
}

bool is_loopback(const ListenPlace& place) {
  return place.address == "::1" || place.address.starts_with("127.");
}

bool is_own_host(const std::string& host, const std::set<std::string>& names) {
  const bool v6 = host.starts_with("[");
  const std::size_t end = v6 ? host.find(']') : host.rfind(':');
  if (v6 && end == host.npos) return false;
  const std::string name = v6 ? host.substr(1, end - 1) : host.substr(0, end);
  const std::string port = v6 ? host.substr(end + 1) : end == host.npos ? "" : host.substr(end);
  if (!port.empty() && (port[0] != ':' || port.find_first_not_of("0123456789", 1) != port.npos)) return false;
  return name == "localhost" || names.count(name) > 0 || address_of({name, 0}).has_value();
}

ViewServer::ViewServer(const ListenPlace& place, std::set<std::string> names, Answer answer,
                       const std::optional<PaceSettings>& pace)
    : impl_(std::make_unique<Impl>(std::move(names), std::move(answer))) {
  if (pace) impl_->paced.emplace(*pace);
  const auto address = address_of(place);
  if (!address) throw std::runtime_error(place.address + " is no numeric address");
  unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME;
  if (address->is_v6) flags |= MHD_USE_IPv6;
  impl_->daemon =
      MHD_start_daemon(flags, place.port, nullptr, nullptr, &Impl::asked, impl_.get(),            //
                       MHD_OPTION_SOCK_ADDR, reinterpret_cast<const sockaddr*>(&address->bytes),  //
                       MHD_OPTION_CONNECTION_LIMIT, most_connections,                             //
                       MHD_OPTION_PER_IP_CONNECTION_LIMIT, most_of_an_address,                    //
                       MHD_OPTION_NOTIFY_CONNECTION, &Impl::noticed, impl_.get(),                 //
                       MHD_OPTION_NOTIFY_COMPLETED, &Impl::completed, impl_.get(),                //
                       MHD_OPTION_CONNECTION_TIMEOUT, idle_s,                                     //
                       MHD_OPTION_CONNECTION_MEMORY_LIMIT, most_header_bytes,                     //
                       MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
  if (!impl_->daemon)
    throw std::runtime_error(
        fmt::format("{} port {}: can't listen there: {}", place.address, place.port, std::strerror(errno)));
}

ViewServer::~ViewServer() {
  if (impl_->paced) impl_->paced->let_go();  // libmicrohttpd does not stop with requests that wait
  MHD_stop_daemon(impl_->daemon);
}

std::size_t ViewServer::end_slow(std::chrono::steady_clock::time_point now) {
  return impl_->connections.shut_older_than(now - request_s);
}

std::uint16_t ViewServer::port() const {
  return MHD_get_daemon_info(impl_->daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
}

}  // namespace datum
