#include "daemon/metrics/http_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace datum {
namespace {

HttpRequest refused(int status) {
  HttpRequest request;
  request.state = HttpRequest::State::refused;
  request.status = status;
  return request;
}

/// Returns the text before `end`, and removes both.
std::string_view take(std::string_view& text, std::string_view end) {
  const std::size_t at = text.find(end);
  const std::string_view word = text.substr(0, at);
  text.remove_prefix(at == text.npos ? text.size() : at + end.size());
  return word;
}

bool same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("!#$%&'*+-.^_`|~").find(static_cast<char>(c)) != std::string_view::npos;
  });
}

/// OpenMetrics where the header accepts it: such a client prefers it.
MetricsForm form_of(std::string_view accept) {
  while (!accept.empty()) {
    std::string_view range = take(accept, ",");
    const bool never = range.find("q=0,") != range.npos || range.ends_with("q=0") || range.ends_with("q=0.0");
    if (!never && range.find("application/openmetrics-text") != range.npos) return MetricsForm::openmetrics;
  }
  return MetricsForm::prometheus;
}

}  // namespace

HttpRequest parse_request(std::string_view bytes) {
  const std::size_t end = bytes.substr(0, HttpRequest::longest).find("\r\n\r\n");
  if (end == bytes.npos) return bytes.size() >= HttpRequest::longest ? refused(431) : HttpRequest{};
  std::string_view head = bytes.substr(0, end);
  std::string_view line = take(head, "\r\n");
  const std::string_view method = take(line, " "), target = take(line, " ");
  if (!is_token(method) || target.empty() || !line.starts_with("HTTP/")) return refused(400);
  if (line != "HTTP/1.1" && line != "HTTP/1.0") return refused(505);
  HttpRequest request;
  while (!head.empty()) {
    std::string_view field = take(head, "\r\n");
    const std::string_view name = take(field, ":");
    if (!is_token(name)) return refused(400);
    if (same_word(name, "accept")) request.form = form_of(field);
  }
  if (method != "GET" && method != "HEAD") return refused(405);
  if (target.substr(0, target.find('?')) != "/metrics") return refused(404);
  request.state = HttpRequest::State::good;
  request.status = 200;
  request.head = method == "HEAD";
  return request;
}

std::string http_words(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request: this is no HTTP";
    case 404:
      return "Not Found: GET /metrics";
    case 405:
      return "Method Not Allowed: GET /metrics";
    case 431:
      return "Request Header Fields Too Large";
    case 505:
      return "HTTP Version Not Supported: HTTP/1.1";
  }
  return "Internal Server Error";
}

std::string http_head(int status, std::string_view type, std::size_t size) {
  const std::string words = http_words(status);
  return fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nCache-Control: no-store\r\n{}"
      "Connection: close\r\n\r\n",
      status, words.substr(0, words.find(':')), type, size, status == 405 ? "Allow: GET, HEAD\r\n" : "");
}

}  // namespace datum
