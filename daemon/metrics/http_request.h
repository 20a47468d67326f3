// The subset of HTTP/1.1 (RFC 9112) for a scraper: one request without a body, one answer, then close.
#pragma once

#include <string>
#include <string_view>

#include "daemon/metrics/exposition.h"

namespace datum {

struct HttpRequest {
  static constexpr std::size_t longest =
      8192;  // bytes of request line and headers; Prometheus sends some 300

  enum class State : std::uint8_t { incomplete, good, refused };
  State state = State::incomplete;
  int status = 0;     // of a refusal: 400, 404, 405, 431, 505
  bool head = false;  // HEAD: no body in the answer
  MetricsForm form = MetricsForm::prometheus;
};

/// Parses all bytes received so far. The result holds no reference to them.
HttpRequest parse_request(std::string_view bytes);
/// Status line and headers; `size`: bytes of the body.
std::string http_head(int status, std::string_view type, std::size_t size);
/// The one-line body of a refusal.
std::string http_words(int status);

}  // namespace datum
