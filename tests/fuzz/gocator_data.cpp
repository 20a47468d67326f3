// Gocator's data channel in pieces: data sets, and their frames.
#include "drivers/frame/frame_error.h"
#include "drivers/gocator/data_receiver.h"
#include "drivers/gocator/protocol_error.h"
#include "tests/fuzz/fuzz_target.h"

using namespace datum;

static void take(gocator::DataSet&& set) {
  try {
    const HeightFrame frame = gocator::frame_of(std::move(set), "fuzz");
    fuzz::expect(frame.size() == static_cast<std::size_t>(frame.rows) * static_cast<std::size_t>(frame.cols),
                 "as many pixels as rows and columns");
  } catch (const FrameError&) {
  }
}

DATUM_FUZZ_TARGET(gocator_data) {
  gocator::DataReceiver receiver(1 << 16);
  try {
    while (!bytes.empty()) {
      const auto room = receiver.room();
      fuzz::expect(!room.empty(), "there is always room");
      const std::size_t n = std::min(room.size(), bytes.size());
      std::memcpy(room.data(), bytes.data(), n);
      bytes.remove_prefix(n);
      receiver.received(n);
      while (auto set = receiver.next()) take(*std::move(set));
    }
    take(receiver.take());
  } catch (const gocator::ProtocolError&) {
  }
}
