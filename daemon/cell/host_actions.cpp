#include "daemon/cell/host_actions.h"

#include <memory>
#include <utility>

#include "config/utc_time.h"
#include "daemon/system/event_loop.h"

namespace datum {

namespace {

constexpr MonotonicNs actions_again_ns = 10'000'000'000;

}  // namespace

HostActions::HostActions(LockArbiter& control, Worker& worker, ResultStore& store,
                         std::function<std::int64_t()> utc_ns, const HostEvents& events)
    : worker_(worker), store_(store), events_(events) {
  control.on_deed([this, &control, utc_ns = std::move(utc_ns)](const std::string& host,
                                                               std::string_view what) {
    book_.add({host, name_of(control.role_of(host)), control.certificate_of(host), control.person_of(host)},
              what, iso8601_from_utc(utc_ns() / 1'000'000'000), EventLoop::now());
  });
}

void HostActions::store(MonotonicNs now) {
  if (book_.empty() || worker_.busy() || now < not_before_ns_) return;
  const auto statements = std::make_shared<std::vector<std::string>>(book_.take());
  worker_.submit_fallible(
      [statements, &store = store_] { store.state(*statements); },
      [this, statements](const std::string& failed) {
        if (failed.empty()) {
          not_before_ns_ = 0;
          return;
        }
        book_.put_back(std::move(*statements));
        if (not_before_ns_ == 0)
          events_.log(3, "what hosts did can't be kept in the chain of results: " + failed + "; tried again");
        not_before_ns_ = EventLoop::now() + actions_again_ns;
      });
}

}  // namespace datum
