#include "daemon/gpu_worker/gpu_worker.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "daemon/gpu_worker/gpu_wire.h"
#include "daemon/gpu_worker/shared_memory.h"
#include "gpu/core/gpu_error.h"

namespace datum {
namespace {

// The daemon calls the worker at the begin of a board, and sends the order when the frame is in the slot. For this time
// the worker polls for the order, since a wake-up takes longer than most boards.
constexpr auto alert_time = std::chrono::milliseconds(2);
// Longer than a band takes: for this time the worker polls for its records.
constexpr auto band_time = std::chrono::milliseconds(5);

/// Ends the process with its daemon, even during a device call.
void end_with(int socket) {
  std::thread([socket] {
    pollfd watched{socket, 0, 0};  // poll() reports a hang-up without events
    for (;;) {
      if (::poll(&watched, 1, -1) > 0 && (watched.revents & (POLLHUP | POLLERR | POLLNVAL))) ::_exit(0);
    }
  }).detach();
}

class Worker {
 public:
  Worker(int socket, const WorkerDevice& device) : socket_(socket), device_(device), stages_(device.stages) {}

  void greet() {
    Greeting greeting;
    greeting.identity = wire_identity();
    const CudaDevice found = device_.probe();
    greeting.usable = found.usable;
    put_text(greeting.device,
             found.name + " sm_" + std::to_string(found.major) + std::to_string(found.minor));
    put_text(greeting.why, found.why);
    send_packet(socket_, &greeting, sizeof greeting);
  }

  void serve() {
    for (;;) {
      look_into_mailbox();
      look_at_slots();
      if (alert() || give_records() || prepare_band()) continue;  // an order that is near goes first
      if (memory_) memory_.mailbox().worker_sleeps.store(1);
      if (has_work()) {
        memory_.mailbox().worker_sleeps.store(0);
        continue;
      }
      union {
        PrepareOrder order;
        ServiceRequest stage;
      } heard{};
      int fd = -1;
      const long size = receive_packet(socket_, &heard, sizeof heard, &fd, true);
      if (memory_) memory_.mailbox().worker_sleeps.store(0);
      if (size == 0) return;
      if (size == 1) continue;  // woken
      if (size == sizeof heard.order) {
        prepare(heard.order, fd);
      } else if (size == sizeof heard.stage) {
        if (measurer_) beside_orders([&] { measurer_->settle(); });
        const ServiceReply answer = stages_.serve(heard.stage, fd);
        send_packet(socket_, &answer, sizeof answer);
      } else {
        throw std::runtime_error("a packet of " + std::to_string(size) + " bytes is no order");
      }
    }
  }

 private:
  using Clock = std::chrono::steady_clock;

  bool ordered() const { return memory_ && memory_.mailbox().order.load() != done_; }
  bool called() const { return memory_ && memory_.mailbox().awaited.load() != calls_; }
  bool arriving() const {
    for (std::uint32_t i = 0; i < slots_.size(); ++i)
      if (memory_.progress(i).word.load() != slots_[i].seen) return true;
    return false;
  }
  bool has_work() const { return ordered() || called() || arriving(); }

  /// Polls for an order that is near. False: none is.
  bool alert() {
    if (called()) {
      calls_ = memory_.mailbox().awaited.load();
      alert_until_ = Clock::now() + alert_time;
    }
    if (!memory_ || Clock::now() >= alert_until_) return false;
    give_records();
    pause();
    return true;
  }

  void pause() {
    for (int i = 0; i < 32 && !ordered() && !arriving(); ++i) spin_pause();
    if (!ordered()) std::this_thread::yield();  // the other side may wait for this processor
  }

  void prepare(const PrepareOrder& order, int fd) {
    WireReply answer;
    answer.number = order.number;
    try {
      if (order.new_memory) {
        drop_measurer();  // it has the old memory registered
        memory_ = SharedMemory();
        memory_ = SharedMemory::map(fd, order.layout);
        done_ = memory_.mailbox().order.load();
        calls_ = memory_.mailbox().awaited.load();
        slots_.resize(memory_.layout().slot_count);
        const SharedLayout& l = memory_.layout();
        measurer_ = device_.measurer({memory_.slot(0), l.slot_bytes, static_cast<int>(l.slot_count)});
      }
      if (!measurer_)
        throw GpuError(fault_.empty() ? "GPU worker: a plan came before any memory" : fault_, false);
      BoardPlan plan = order.plan;
      if (plan.site_count > memory_.layout().site_capacity || plan.run_count > memory_.layout().run_capacity)
        throw GpuError("GPU worker: the plan is larger than its memory", false);
      plan.sites = memory_.sites();
      plan.runs = memory_.runs();
      plan.run_side = memory_.sides();
      measurer_->prepare(plan, slot_pitch(plan.cols));
      for (std::uint32_t i = 0; i < slots_.size(); ++i)  // what arrives there belongs to another plan
        slots_[i] = {memory_.progress(i).word.load(), 0, 0, {}};
      frames_arrive_ = bands_left_ = false;
      answer.status = WireStatus::done;
      put_text(answer.text, measurer_->describe());
    } catch (const std::exception& error) {
      drop_measurer();
      answer.fail(error.what());
    }
    send_packet(socket_, &answer, sizeof answer);
  }

  /// Does something with the measurer beside the orders. A fault is the answer to the next order.
  template <class Work>
  void beside_orders(Work work) {
    try {
      work();
    } catch (const std::exception& error) {
      fault_ = error.what();
      drop_measurer();
    }
  }
  void drop_measurer() {
    measurer_.reset();
    slots_.clear();  // frames that still arrive are of no concern
    frames_arrive_ = bands_left_ = false;
  }

  void note_measured(std::int32_t slot, std::uint32_t frame) {
    const auto i = static_cast<std::size_t>(slot);
    if (i < slots_.size()) slots_[i].measured = frame;
    if (!std::exchange(frames_arrive_, true)) bands_left_ = true;
  }

  /// Hands bands that arrived to the measurer: the new ones, or all.
  void look_at_slots(bool all = false) {
    for (std::uint32_t i = 0; i < slots_.size(); ++i) {
      const std::uint64_t word = memory_.progress(i).word.load();
      Slot& slot = slots_[i];
      if (word == slot.seen && (!all || frame_of(word) == slot.measured)) continue;
      if (frame_of(word) != frame_of(slot.seen)) slot.given = 0;
      slot.seen = word;
      slot.poll_until = Clock::now() + band_time;
      beside_orders([&] { measurer_->arrived({static_cast<int>(i), frame_of(word)}, bands_of(word)); });
    }
  }

  /// Gives the records of bands that are measured by now. False: none is under way, as far as is known.
  bool give_records() {
    bool under_way = false;
    for (std::uint32_t i = 0; i < slots_.size(); ++i) {
      Slot& slot = slots_[i];
      const std::uint32_t frame = frame_of(slot.seen), left = bands_of(slot.seen) & ~slot.given;
      if (left == 0 || frame == slot.measured || Clock::now() >= slot.poll_until) continue;
      std::uint32_t now = 0;
      beside_orders([&] {
        now = measurer_->measured({static_cast<int>(i), frame}, left, memory_.early_records(i));
      });
      if (slots_.empty()) return false;  // that was a fault
      under_way = under_way || now != left;
      if (now == 0) continue;
      slot.given |= now;
      memory_.progress(i).measured.store(progress_word(frame, slot.given));
    }
    if (under_way) pause();
    return under_way;
  }

  /// Bands are prepared behind the first board whose frame arrived early, one at a time: an order may come between. False: none
  /// is left.
  bool prepare_band() {
    if (!bands_left_) return false;
    beside_orders([&] { bands_left_ = measurer_->prepare_band(); });
    look_at_slots(true);
    return true;
  }

  void look_into_mailbox() {
    if (!ordered()) return;
    Mailbox& box = memory_.mailbox();
    const std::uint32_t number = box.order.load();
    look_at_slots();  // bands that were told before the order
    done_ = number;
    calls_ = box.awaited.load();  // for this order
    alert_until_ = {};
    try {
      if (!measurer_)
        throw GpuError(fault_.empty() ? "GPU worker: a board came before any plan" : fault_, false);
      measurer_->measure({box.slot, box.frame}, memory_.records(), box.timeout_ms);
      if (box.frame != 0) note_measured(box.slot, box.frame);
      box.status = WireStatus::done;
    } catch (const std::exception& error) {
      put_text(box.text, error.what());
      box.status = WireStatus::failed;
    }
    box.answer.store(number);
    datum::ring(socket_, box.daemon_sleeps);
  }

  const int socket_;
  const WorkerDevice& device_;
  SharedMemory memory_;  // destroyed after the measurer
  std::unique_ptr<SlotMeasurer> measurer_;
  std::string fault_;       // that took the measurer
  std::uint32_t done_ = 0;  // number of the last order
  std::uint32_t calls_ = 0;
  Clock::time_point alert_until_;
  struct Slot {
    std::uint64_t seen = 0;      // its word
    std::uint32_t measured = 0;  // the last frame
    std::uint32_t given = 0;     // bands of the present one whose records the daemon has
    Clock::time_point poll_until;
  };
  std::vector<Slot> slots_;                          // words of the slots; none: without a measurer
  bool frames_arrive_ = false, bands_left_ = false;  // for the present plan; not prepared yet
  ServiceWorker stages_;
};

}  // namespace

int run_gpu_worker(int socket, const WorkerDevice& device) {
  // The process ends with its daemon, which may complete a board after both are asked to stop.
  ::signal(SIGTERM, SIG_IGN);
  ::signal(SIGINT, SIG_IGN);
  end_with(socket);
  try {
    Worker worker(socket, device);
    worker.greet();
    worker.serve();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "datumd-gpu: %s\n", error.what());
    return 1;
  }
}

}  // namespace datum
