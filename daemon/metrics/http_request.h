// The little of HTTP/1.1 (RFC 9112) that a scraper needs: one request without a body, one answer, the connection closed.
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
  int status = 0;     // where refused, or answered otherwise than by the metrics: 400, 404, 405, 431, 505
  bool head = false;  // asked without the text
  MetricsForm form = MetricsForm::prometheus;
};

/// Of all bytes that have come so far. Nothing of them is kept.
HttpRequest parse_request(std::string_view bytes);
/// Status line and headers; `size`: bytes of the body that follows.
std::string http_head(int status, std::string_view type, std::size_t size);
/// What is told to whoever asked for something else, in words; one line.
std::string http_words(int status);

}  // namespace datum
