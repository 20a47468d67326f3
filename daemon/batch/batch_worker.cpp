#include "daemon/batch/batch_worker.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>

#include "daemon/batch/batch_inputs.h"
#include "daemon/batch/batch_output.h"
#include "daemon/batch/batch_packets.h"
#include "daemon/gpu_worker/backend_choice.h"
#include "daemon/inspection/board/board_planner.h"
#include "daemon/system/packets.h"
#include "gpu/board/cpu_board.h"

namespace datum {
namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point from) {
  return std::chrono::duration<double, std::milli>(Clock::now() - from).count();
}

/// The CPU in reserve of a GPU; it counts the boards that it measured.
class CountedCpu final : public BoardMeasurer {
 public:
  explicit CountedCpu(std::atomic<std::uint64_t>& count) : cpu_(cpu_backend(1)), count_(count) {}
  void measure(const BoardPlan& plan, const FrameView& frame, SiteRecord* records) override {
    ++count_;
    cpu_.measure(plan, frame, records);
  }
  void measure(const BoardPlan& plan, const FrameView& frame, SiteRecord* records, unsigned threads,
               const SiteWork& work) override {
    ++count_;
    cpu_.measure(plan, frame, records, threads, work);
  }
  std::string describe() const override { return cpu_.describe(); }

 private:
  CpuBoardMeasurer cpu_;
  std::atomic<std::uint64_t>& count_;
};

/// A unit on its way: read, then measured.
struct Task {
  std::uint64_t unit = 0;
  BatchUnit what;
  std::shared_ptr<Replay> replay;
  BatchReport report;
};

/// Tasks for threads. At the end of a worker nobody waits for it: the process ends.
class TaskQueue {
 public:
  void put(Task task) {
    {
      const std::lock_guard lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    waiting_.notify_one();
  }
  Task take() {
    std::unique_lock lock(mutex_);
    waiting_.wait(lock, [this] { return !tasks_.empty(); });
    Task task = std::move(tasks_.front());
    tasks_.pop_front();
    return task;
  }

 private:
  std::mutex mutex_;
  std::condition_variable waiting_;
  std::deque<Task> tasks_;
};

bool is_no_room(const std::error_code& code) {
  return code == std::errc::no_space_on_device || code == std::errc::read_only_file_system ||
         code == std::errc::file_too_large || code == std::error_code(EDQUOT, std::generic_category());
}

class Worker {
 public:
  Worker(const WorkerOptions& options, int socket)
      : options_(options),
        socket_(socket),
        manifest_(Manifest::load(options.batch)),
        inputs_(options.batch, manifest_.head(), options.frames, std::size_t{2} * options.lanes),
        wanted_(options.backend.kind == BackendSettings::Kind::cuda ? cuda_backend_name : cpu_backend_name),
        backend_(choose_backend(
            options.backend, Timeout::of_one_frame,
            [](bool, const std::string& text) { fmt::print(stderr, "datumd-batch: backend: {}\n", text); },
            std::make_unique<CountedCpu>(on_cpu_))) {}

  void run() {
    for (unsigned i = 0; i < options_.lanes; ++i) {
      std::thread([this] { read(); }).detach();
      std::thread([this] { measure(); }).detach();
    }
    BatchReport ready;
    put_text(ready.text, backend_.why);
    send(ready);
    BatchOrder order;
    while (receive_packet(socket_, &order, sizeof order, nullptr, true) == static_cast<long>(sizeof order)) {
      Task task;
      task.unit = order.unit;
      ordered_.put(std::move(task));
    }
  }

 private:
  void send(const BatchReport& report) { send_packet(socket_, &report, sizeof report); }

  void report(Task& task, BatchOutcome outcome, const std::string& text) {
    task.report.unit = task.unit;
    task.report.outcome = outcome;
    put_text(task.report.text, text);
    send(task.report);
  }

  [[noreturn]] void read() {
    for (;;) {
      Task task = ordered_.take();
      const auto from = Clock::now();
      try {
        task.what = manifest_.unit(task.unit);
        task.replay = inputs_.prepare(task.what, *backend_.measurer);
        load(*task.replay);
        task.report.read_ms = ms_since(from);
        read_.put(std::move(task));
      } catch (const std::bad_alloc&) {
        report(task, BatchOutcome::retry, "too little memory for its frame");
      } catch (const std::exception& error) {
        report(task, BatchOutcome::refused, error.what());
      }
    }
  }

  [[noreturn]] void measure() {
    BoardPlanner planner;
    for (;;) {
      Task task = read_.take();
      try {
        const std::uint64_t on_cpu = on_cpu_;
        const auto from = Clock::now();
        const BoardVerdict verdict = measured(*task.replay, planner);
        task.report.measure_ms = ms_since(from);
        inputs_.release(*task.replay);
        task.replay.reset();
        if (wanted_ == cuda_backend_name && on_cpu_ != on_cpu) {
          const std::string fault = backend_.fault();
          report(task, fault.empty() ? BatchOutcome::refused : BatchOutcome::gpu,
                 fault.empty()
                     ? "the GPU does not take it, and the CPU is not asked: a manifest with --backend cpu "
                       "measures it"
                     : fault);
          continue;
        }
        if (verdict.reason == Reason::internal)  // of this process and this moment, not of the frame
          throw std::runtime_error("internal fault: " + verdict.detail);
        deliver(task, verdict);
      } catch (const std::bad_alloc&) {
        report(task, BatchOutcome::retry, "too little memory to measure it");
      } catch (const std::system_error& error) {
        report(task, is_no_room(error.code()) ? BatchOutcome::no_room : BatchOutcome::retry, error.what());
      } catch (const std::exception& error) {
        report(task, BatchOutcome::refused, error.what());
      }
    }
  }

  BoardVerdict measured(Replay& replay, BoardPlanner& planner) {
    replay.means = {backend_.finder.get(),
                    backend_.matcher.get(),
                    backend_.sharer.get(),
                    backend_.comparer.get(),
                    backend_.diffuser.get(),
                    backend_.inverter.get(),
                    backend_.correlator.get(),
                    &planner,
                    &models_};
    return measure_again(replay);
  }

  void deliver(Task& task, const BoardVerdict& verdict) {
    const auto from = Clock::now();
    const std::string& key = task.what.key;
    if (options_.audit) return compare(task, verdict);
    write_beside_others(output_file(options_.batch, key), output_text(key, wanted_, verdict));
    task.report.write_ms = ms_since(from);
    report(task, BatchOutcome::done, verdict.backend);
  }

  /// With the bytes of the output; of another backend too.
  void compare(Task& task, const BoardVerdict& verdict) {
    const FoundOutput found = find_output(options_.batch, task.what.key);
    if (found.state != OutputState::good)
      return report(task, BatchOutcome::refused, found.why.empty() ? "it has no output yet" : found.why);
    const BoardVerdict now = comparable(verdict);
    if (to_json(now) == found.output.verdict) return report(task, BatchOutcome::done, verdict.backend);
    const std::string where = first_difference(verdict_from_json(found.output.verdict), now);
    report(task, BatchOutcome::differs,
           where.empty() ? "outside of decision, reasons and components" : where);
  }

  const WorkerOptions options_;
  const int socket_;
  const Manifest manifest_;
  const BatchInputs inputs_;
  const std::string wanted_;
  std::atomic<std::uint64_t> on_cpu_{0};  // boards, of a GPU's reserve or of the CPU itself
  BackendChoice backend_;
  SurfaceModels models_;
  TaskQueue ordered_, read_;
};

}  // namespace

int run_batch_worker(const WorkerOptions& options, int socket) {
  ::signal(SIGXFSZ, SIG_IGN);  // a limit of file sizes is told as a full disk
  try {
    // Never freed: threads that still measure must not outlive it.
    auto* worker = new Worker(options, socket);
    worker->run();
  } catch (const std::exception& error) {
    BatchReport report;
    report.outcome = BatchOutcome::refused;
    put_text(report.text, error.what());
    send_packet(socket, &report, sizeof report);
    return 1;
  }
  ::_exit(0);  // what was not finished has left no output
}

}  // namespace datum
