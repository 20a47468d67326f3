// A broker that says anything: the session ends with a reason, or goes on; an outcome belongs to a message that was sent, once.
#include "daemon/plant/amqp_session.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "tests/fuzz/fuzz_target.h"

using namespace datum;

DATUM_FUZZ_TARGET(amqp_session) {
  AmqpSession session({"Vendor.Model.1", "broker", "", "", false}, {"messages", "entries"});
  std::set<std::uint64_t> open;
  for (std::size_t at = 0; at < bytes.size() && session.ended().empty();) {
    const pn_rwbytes_t room = session.room();
    if (room.size == 0) break;
    // In pieces, as a connection delivers them.
    const std::size_t size = std::min({room.size, bytes.size() - at, std::size_t{61}});
    std::memcpy(room.start, bytes.data() + at, size);
    at += size;
    session.received(size);
    session.process();
    session.tick(static_cast<MonotonicNs>(at) * 1'000'000);
    for (const AmqpOutcome& outcome : session.outcomes())
      fuzz::expect(open.erase(outcome.number) == 1, "an outcome is of a message that is open");
    for (std::size_t sender = 0; sender < 2 && open.size() < 50; ++sender)
      if (session.may_send(sender))
        if (const auto number =
                session.send(sender, {"id", "subject", "text/plain", true, {{"a", "b"}}, "body"}))
          open.insert(*number);
    session.process();
    while (!session.output().empty()) session.sent(session.output().size());
  }
}
