#include "daemon/cell/remeasurement.h"

#include <fmt/format.h>

#include <utility>

#include "daemon/instrument/scpi_error.h"

namespace datum {
using scpi::Error;

void Remeasurement::start(std::uint64_t sequence) {
  if (running_)
    throw Error(scpi::settings_conflict, fmt::format("result {} is being replayed", outcome_.sequence));
  parts_.check_idle();
  const auto stored = parts_.reader.get(sequence);
  if (!stored) {
    const StoreExtent have = parts_.reader.extent();
    throw Error(scpi::data_out_of_range, fmt::format("result {}; {} are stored, {} to {}", sequence,
                                                     have.count, have.first, have.last));
  }
  running_ = prepare_replay(stored->verdict(), parts_.places, parts_.sensor, parts_.measurer, parts_.threads);
  outcome_ = {sequence, "RUNNING", ""};
  parts_.worker.submit([replay = running_] { run(*replay); }, [this, replay = running_] { finish(replay); });
}

void Remeasurement::finish(const std::shared_ptr<Replay>& replay) {
  if (replay != running_) return;  // aborted
  running_.reset();
  outcome_.state = replay->failed ? "FAILED" : replay->detail.empty() ? "SAME" : "DIFFERENT";
  outcome_.detail = replay->detail;
  parts_.changed();
}

void Remeasurement::abort() {
  if (!std::exchange(running_, nullptr)) return;
  outcome_.state = "FAILED";
  outcome_.detail = "a host aborted it";
}

}  // namespace datum
