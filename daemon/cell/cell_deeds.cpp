// What hosts did, into the chain of results.
#include <fmt/format.h>

#include "config/utc_time.h"
#include "daemon/cell/cell.h"
#include "daemon/system/event_loop.h"

namespace datum {

namespace {

constexpr MonotonicNs deeds_again_ns = 10'000'000'000;

}  // namespace

void InspectionCell::note_deed(const std::string& host, std::string_view what) {
  deeds_.add({host, name_of(control_.role_of(host)), control_.certificate_of(host)}, what,
             iso8601_from_utc(utc_s()), EventLoop::now());
}

/// On the worker, which stores too, while no board waits for it.
void InspectionCell::keep_deeds(MonotonicNs now) {
  if (deeds_.empty() || parts_.worker.busy() || now < deeds_due_ns_) return;
  const auto statements = std::make_shared<std::vector<std::string>>(deeds_.take());
  const auto failed = std::make_shared<std::string>();
  const auto keep = [=, &store = parts_.writer] {
    try {
      store.state(*statements);
    } catch (const std::exception& error) {
      *failed = error.what();
    }
  };
  parts_.worker.submit(keep, [=, this] {
    if (failed->empty()) {
      deeds_due_ns_ = 0;
      return;
    }
    deeds_.put_back(std::move(*statements));
    if (deeds_due_ns_ == 0)
      log(3, fmt::format("what hosts did can't be kept in the chain of results: {}; tried again", *failed));
    deeds_due_ns_ = EventLoop::now() + deeds_again_ns;
  });
}

}  // namespace datum
