#include "daemon/gpu_worker/gpu_worker.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <thread>

#include "daemon/gpu_worker/gpu_wire.h"
#include "daemon/gpu_worker/shared_memory.h"
#include "gpu/core/gpu_error.h"

namespace datum {
namespace {

// The daemon wakes the worker at the begin of a board, and sends the order when the frame is in the slot. For this time
// the worker polls for the order, since a wake-up takes longer than most boards.
constexpr auto alert_time = std::chrono::milliseconds(2);

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
      if (memory_) look_into_mailbox();
      if (memory_) memory_.mailbox().worker_sleeps.store(1);
      if (ordered()) {
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
      if (size == 1) {
        alert();
      } else if (size == sizeof heard.order) {
        prepare(heard.order, fd);
      } else if (size == sizeof heard.stage) {
        const ServiceReply answer = stages_.serve(heard.stage, fd);
        send_packet(socket_, &answer, sizeof answer);
      } else {
        throw std::runtime_error("a packet of " + std::to_string(size) + " bytes is no order");
      }
    }
  }

 private:
  bool ordered() const { return memory_ && memory_.mailbox().order.load() != done_; }

  void alert() {
    const auto until = std::chrono::steady_clock::now() + alert_time;
    while (memory_ && !ordered() && std::chrono::steady_clock::now() < until) {
      for (int i = 0; i < 32 && !ordered(); ++i) spin_pause();
      std::this_thread::yield();  // the other side may wait for this processor
    }
  }

  void prepare(const PrepareOrder& order, int fd) {
    WireReply answer;
    answer.number = order.number;
    try {
      if (order.new_memory) {
        measurer_.reset();  // it has the old memory registered
        memory_ = SharedMemory();
        memory_ = SharedMemory::map(fd, order.layout);
        done_ = memory_.mailbox().order.load();
        const SharedLayout& l = memory_.layout();
        measurer_ = device_.measurer({memory_.slot(0), l.slot_bytes, static_cast<int>(l.slot_count)});
      }
      if (!measurer_) throw GpuError("GPU worker: a plan came before any memory", false);
      BoardPlan plan = order.plan;
      if (plan.site_count > memory_.layout().site_capacity || plan.run_count > memory_.layout().run_capacity)
        throw GpuError("GPU worker: the plan is larger than its memory", false);
      plan.sites = memory_.sites();
      plan.runs = memory_.runs();
      plan.run_side = memory_.sides();
      measurer_->prepare(plan, slot_pitch(plan.cols));
      answer.status = WireStatus::done;
      put_text(answer.text, measurer_->describe());
    } catch (const std::exception& error) {
      measurer_.reset();
      answer.fail(error.what());
    }
    send_packet(socket_, &answer, sizeof answer);
  }

  void look_into_mailbox() {
    Mailbox& box = memory_.mailbox();
    const std::uint32_t number = box.order.load();
    if (number == done_) return;
    done_ = number;
    try {
      if (!measurer_) throw GpuError("GPU worker: a board came before any plan", false);
      measurer_->measure(box.slot, memory_.records(), box.timeout_ms);
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
  std::uint32_t done_ = 0;  // number of the last order
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
