#include "daemon/batch/batch_run.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include "daemon/batch/batch_packets.h"
#include "daemon/batch/run_log.h"
#include "daemon/system/child_process.h"
#include "daemon/system/packets.h"

namespace datum {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

struct WorkerSlot {
  std::string gpu;  // empty: of the CPU
  ChildProcess process;
  bool ready = false, alone = false, given_up = false;
  unsigned failed_starts = 0;
  std::set<std::size_t> units;  // that it was told to measure
};

class BatchRun {
 public:
  BatchRun(const BatchRunOptions& options, const Manifest& manifest, const std::vector<std::size_t>& units,
           const std::function<void(const std::string&)>& told)
      : options_(options), manifest_(manifest), told_(told), pending_(units.begin(), units.end()) {
    for (const std::string& gpu : options.gpus) add_slot(gpu);
    if (options.gpus.empty())
      for (unsigned i = 0; i < options.workers && i < units.size(); ++i) add_slot("");
  }

  BatchRunReport run() {
    while (report_.stopped.empty() && (in_flight_ > 0 || !pending_.empty() || !suspects_.empty())) {
      std::erase_if(slots_, [](const auto& slot) { return slot->given_up; });
      for (const auto& slot : slots_) employ(*slot);
      if (slots_.empty())
        report_.stopped = no_worker_;
      else
        wait();
    }
    return std::move(report_);
  }

 private:
  void add_slot(const std::string& gpu) {
    slots_.push_back(std::make_unique<WorkerSlot>());
    slots_.back()->gpu = gpu;
  }

  void start(WorkerSlot& slot) {
    std::vector<std::string> words{
        "worker",  options_.batch.string(),        "--backend", options_.backend,
        "--lanes", std::to_string(options_.lanes), "--threads", std::to_string(options_.threads)};
    if (!options_.frames.empty()) words.insert(words.end(), {"--frames", options_.frames.string()});
    if (!slot.gpu.empty()) words.insert(words.end(), {"--gpu", slot.gpu});
    if (options_.audit) words.emplace_back("--audit");
    slot.process.start(options_.program, words);
    slot.ready = slot.alone = false;
  }

  /// Gives it work, as far as there is any. Each lane measures one board while the next one is read.
  void employ(WorkerSlot& slot) {
    if (pending_.empty() && suspects_.empty()) return;
    if (!slot.process.started()) start(slot);
    if (!slot.ready || slot.alone) return;
    while (!pending_.empty() && slot.units.size() < 2 * std::size_t{options_.lanes}) {
      order(slot, pending_.front());
      pending_.pop_front();
    }
    if (!pending_.empty() || suspects_.empty() || !slot.units.empty()) return;
    slot.alone = true;
    order(slot, suspects_.front());
    suspects_.pop_front();
  }

  void order(WorkerSlot& slot, std::size_t unit) {
    if (!first_order_) first_order_ = Clock::now();
    slot.units.insert(unit);
    ++in_flight_;
    const BatchOrder order{unit};
    send_packet(slot.process.socket(), &order, sizeof order);  // one that is gone is seen by its socket
  }

  void wait() {
    std::vector<pollfd> sockets;
    for (const auto& slot : slots_)
      sockets.push_back({slot->process.started() ? slot->process.socket() : -1, POLLIN, 0});
    if (::poll(sockets.data(), sockets.size(), -1) <= 0) return;
    std::vector<WorkerSlot*> heard;
    for (std::size_t i = 0; i < sockets.size(); ++i)
      if (sockets[i].revents != 0) heard.push_back(slots_[i].get());
    for (WorkerSlot* slot : heard) hear(*slot);
  }

  void hear(WorkerSlot& slot) {
    BatchReport report;
    long size = 0;
    while ((size = receive_packet(slot.process.socket(), &report, sizeof report, nullptr, false)) > 0) {
      if (size != static_cast<long>(sizeof report)) break;
      if (!slot.ready)
        greet(slot, report);
      else
        take(slot, report);
      if (!slot.process.started() || !report_.stopped.empty()) return;
    }
    if (size != -1) lost(slot);
  }

  void greet(WorkerSlot& slot, const BatchReport& report) {
    if (report.outcome == BatchOutcome::ready) {
      slot.ready = true;
      slot.failed_starts = 0;
      if (greeted_.insert(get_text(report.text)).second) told_("measured by " + get_text(report.text));
      return;
    }
    give_up(slot, get_text(report.text));
  }

  /// Without it: its machine, its GPU or the batch can't be used.
  void give_up(WorkerSlot& slot, const std::string& why) {
    no_worker_ = slot.gpu.empty() ? why : fmt::format("GPU {}: {}", slot.gpu, why);
    told_("a worker is given up: " + no_worker_);
    slot.process.kill();
    slot.given_up = true;
  }

  void lost(WorkerSlot& slot) {
    const std::string how = slot.process.how_it_ended();
    slot.process.kill();
    if (!slot.ready) {
      if (++slot.failed_starts >= options_.attempts) give_up(slot, "datumd-batch " + how + " at its start");
      return;
    }
    const bool alone = slot.alone;
    for (const std::size_t unit : std::exchange(slot.units, {})) {
      --in_flight_;
      failed(unit, alone, true, "its worker " + how);
    }
    slot.ready = slot.alone = false;
  }

  void take(WorkerSlot& slot, const BatchReport& report) {
    const auto unit = static_cast<std::size_t>(report.unit);
    if (slot.units.erase(unit) == 0) return;  // not told to: by no worker of ours
    --in_flight_;
    report_.seconds = std::chrono::duration<double>(Clock::now() - *first_order_).count();
    const bool alone = std::exchange(slot.alone, false);
    const std::string text = get_text(report.text);
    switch (report.outcome) {
      case BatchOutcome::done:
        ++report_.done;
        if (!options_.audit)
          log_.note(manifest_.key(unit), text, report.read_ms, report.measure_ms, report.write_ms);
        return;
      case BatchOutcome::no_room:
        report_.stopped = text;
        return;
      case BatchOutcome::differs:
        report_.differs.push_back({unit, text});
        return;
      case BatchOutcome::gpu:
        failed(unit, alone, false, text);
        slot.process.kill();
        take_back(slot);
        return;
      default:
        failed(unit, alone, report.outcome == BatchOutcome::refused, text);
    }
  }

  /// From a worker that is started anew, and that none of them accuses.
  void take_back(WorkerSlot& slot) {
    for (const std::size_t other : std::exchange(slot.units, {})) {
      --in_flight_;
      pending_.push_front(other);
    }
    slot.ready = slot.alone = false;
  }

  /// `own`: the unit is the cause, as far as can be told.
  void failed(std::size_t unit, bool alone, bool own, const std::string& why) {
    if (alone && ++attempts_[unit] >= options_.attempts) {
      (own ? report_.poison : report_.later).push_back({unit, why});
      return;
    }
    suspects_.push_back(unit);
  }

  const BatchRunOptions& options_;
  const Manifest& manifest_;
  const std::function<void(const std::string&)>& told_;
  std::deque<std::size_t> pending_, suspects_;
  std::map<std::size_t, unsigned> attempts_;  // alone
  std::vector<std::unique_ptr<WorkerSlot>> slots_;
  std::size_t in_flight_ = 0;
  std::optional<Clock::time_point> first_order_;
  std::set<std::string> greeted_;
  std::string no_worker_ = "no worker; --workers is 0";
  RunLog log_{options_.batch};
  BatchRunReport report_;
};

}  // namespace

BatchRunReport run_batch(const BatchRunOptions& options, const Manifest& manifest,
                         const std::vector<std::size_t>& units,
                         const std::function<void(const std::string&)>& told) {
  return BatchRun(options, manifest, units, told).run();
}

std::vector<std::string> visible_gpus() {
  std::vector<std::string> gpus;
  if (const char* listed = std::getenv("CUDA_VISIBLE_DEVICES")) {
    const std::string text = listed;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find(',', at), text.size());
      if (end > at) gpus.push_back(text.substr(at, end - at));
      at = end + 1;
    }
    return gpus;
  }
  for (int i = 0; i < 64; ++i)
    if (fs::exists("/dev/nvidia" + std::to_string(i))) gpus.push_back(std::to_string(gpus.size()));
  if (gpus.empty() && (fs::exists("/dev/nvhost-gpu") || fs::exists("/dev/nvgpu"))) gpus.emplace_back("0");
  return gpus;
}

}  // namespace datum
