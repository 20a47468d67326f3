// Requests for the metrics: the answer does not depend on the split of the bytes.
#include "daemon/metrics/http_request.h"
#include "tests/fuzz/fuzz_target.h"

using namespace datum;

DATUM_FUZZ_TARGET(metrics_request) {
  const HttpRequest whole = parse_request(bytes);
  fuzz::expect(whole.state != HttpRequest::State::incomplete || bytes.size() < HttpRequest::longest,
               "no request grows without an end");
  fuzz::expect(whole.state != HttpRequest::State::good || whole.status == 200, "good is 200");
  fuzz::expect(whole.state != HttpRequest::State::refused || !http_words(whole.status).empty(),
               "a refusal in words");
  for (std::size_t some = 1; some < bytes.size(); some += 1 + some / 8) {
    const HttpRequest part = parse_request(bytes.substr(0, some));
    fuzz::expect(part.state == HttpRequest::State::incomplete ||
                     (part.state == whole.state && part.status == whole.status && part.form == whole.form),
                 "what was decided stays");
  }
}
