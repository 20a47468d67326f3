// Gocator's control and health channels: framing, replies, indicators.
#include "drivers/gocator/control.h"
#include "drivers/gocator/health.h"
#include "drivers/gocator/message_framer.h"
#include "drivers/gocator/protocol_error.h"
#include "tests/fuzz/fuzz_target.h"

using namespace datum::gocator;

template <class Read>
static void attempt(Read read) {
  try {
    read();
  } catch (const ProtocolError&) {
  }
}

static void read_all(const Reply& reply) {
  name_of(reply.command);
  text_of_status(reply.status);
  attempt([&] { version_of(reply); });
  attempt([&] { states_of(reply); });
  attempt([&] { loaded_job_of(reply); });
  attempt([&] { timestamp_of(reply); });
  attempt([&] { encoder_of(reply); });
}

DATUM_FUZZ_TARGET(gocator_control) {
  if (bytes.empty()) return;
  const bool health = bytes.front() & 1;
  bytes.remove_prefix(1);
  MessageFramer framer("fuzz", health ? least_health_bytes : least_reply_bytes, 4096);
  DropCounters drops;
  framer.receive({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  attempt([&] {
    while (const auto message = framer.next()) {
      if (!health) read_all(reply_of(*message));
      if (health) attempt([&] { drops.rise(health_of(*message)); });
    }
  });
}
