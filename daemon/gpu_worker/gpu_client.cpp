#include "daemon/gpu_worker/gpu_client.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <thread>

#include "daemon/gpu_worker/board_record.h"
#include "daemon/gpu_worker/slot_writing.h"
#include "gpu/board/cpu_board.h"
#include "gpu/core/gpu_error.h"

namespace datum {
namespace {

// Longer than the measurement of a board on an idle card; sleeping would add a tenth of it.
constexpr auto spin_time = std::chrono::microseconds(500);
// Reserve for the next recipe, so that a few more components need no new memory.
constexpr std::uint32_t spare_sites = 64, spare_runs = 16384;

/// Clears padding, so that equal plans have equal bytes.
SitePlan without_padding(SitePlan site) {
#if defined(__has_builtin)
#if __has_builtin(__builtin_clear_padding)
  __builtin_clear_padding(&site);
#endif
#endif
  return site;
}

template <class T>
bool same_bytes(const T* p, const std::vector<T>& q) {
  return q.empty() || std::memcmp(p, q.data(), q.size() * sizeof(T)) == 0;
}

}  // namespace

GpuClient::GpuClient(GpuClientSettings settings)
    : settings_(std::move(settings)),
      worker_(settings_.program, settings_.start_timeout),
      early_(std::make_shared<EarlySlots>(settings_.staging)) {}

void GpuClient::start() {
  stop();
  worker_.start();
}

GpuClient::~GpuClient() { early_->lost(); }

void GpuClient::stop() {
  early_->lost();  // nobody wakes the worker by its socket from now on
  worker_.stop();
  memory_.reset();
  preparing_ = prepared_ = false;
}

const Greeting* GpuClient::greeting(Clock::time_point until) {
  const Greeting* heard = worker_.greeting(until);
  if (heard && !preparing_ && !prepared_) device_ = get_text(heard->device);
  return heard;
}

bool GpuClient::is_prepared(const BoardPlan& plan) const {
  if (!(preparing_ || prepared_)) return false;
  if (plan.site_count != plan_.site_count || plan.run_count != plan_.run_count || plan.rows != plan_.rows ||
      plan.cols != plan_.cols || plan.type != plan_.type || plan.mode != plan_.mode ||
      plan.confidence != plan_.confidence || plan.max_hypotheses != plan_.max_hypotheses)
    return false;
  for (std::uint32_t i = 0; i < plan.site_count; ++i) {
    const SitePlan site = without_padding(plan.sites[i]);
    if (std::memcmp(&site, &sites_[i], sizeof site) != 0) return false;
  }
  return same_bytes(plan.runs, runs_) && same_bytes(plan.run_side, sides_);
}

void GpuClient::expect(const BoardPlan& plan, const std::shared_ptr<const void>& of,
                       const EarlyWorkMaker& make) {
  if (early_->expects(of.get()) || !prepared_ || !is_prepared(plan)) return;
  early_->expect(of, make);
}

void GpuClient::send(const BoardPlan& plan) {
  prepared_ = false;
  plan_ = plan;
  plan_.sites = nullptr;
  plan_.runs = nullptr;
  plan_.run_side = nullptr;
  sites_.assign(plan.sites, plan.sites + plan.site_count);
  for (SitePlan& site : sites_) site = without_padding(site);
  runs_.assign(plan.runs, plan.runs + plan.run_count);
  sides_.assign(plan.run_side, plan.run_side + plan.run_count);
  in_slot_ = std::make_shared<SlotPlan>(slot_plan(plan));

  PrepareOrder order;
  order.number = ++plans_;
  order.plan = plan_;
  early_->lost();
  const SharedLayout has = memory_ ? memory_->layout() : SharedLayout();
  const std::uint64_t frame_bytes = slot_frame_bytes(plan);
  if (!memory_ || has.site_capacity < plan.site_count || has.run_capacity < plan.run_count ||
      has.slot_bytes < frame_bytes) {
    memory_ = std::make_shared<SharedMemory>(SharedMemory::create(
        layout_of(plan.site_count + spare_sites, plan.run_count + spare_runs, frame_bytes, settings_.slots)));
    order.new_memory = 1;
    boards_ = 0;
  }
  order.layout = memory_->layout();
  std::copy(sites_.begin(), sites_.end(), memory_->sites());
  std::copy(runs_.begin(), runs_.end(), memory_->runs());
  std::copy(sides_.begin(), sides_.end(), memory_->sides());
  worker_.send(&order, sizeof order, order.new_memory ? memory_->fd() : -1);
  preparing_ = true;
  sent_ = Clock::now();
}

bool GpuClient::answered(Clock::time_point until) {
  const auto deadline = sent_ + settings_.prepare_timeout;
  for (;;) {
    WireReply answer;
    const long size = worker_.receive(&answer, sizeof answer, std::min(until, deadline));
    if (size == 1) continue;  // a late wake-up packet
    if (size < 0) {
      if (Clock::now() < deadline) return false;
      throw GpuError("GPU worker: the plan was not prepared within " +
                         std::to_string(settings_.prepare_timeout.count()) + " ms",
                     true);
    }
    check_reply(answer, size == sizeof answer && answer.number == plans_, "a plan", false);
    device_ = get_text(answer.text);
    preparing_ = false;
    prepared_ = true;
    early_->prepared(memory_, in_slot_, [memory = memory_, socket = worker_.socket()] {
      datum::ring(socket, memory->mailbox().worker_sleeps);  // who is gone is missed by the next order
    });
    return true;
  }
}

bool GpuClient::prepare(const BoardPlan& plan, const FrameView& frame, Clock::time_point until) {
  if (frame.pitch < plan.cols) check(plan, frame);  // throws with the reason
  call();
  if (is_prepared(plan)) return prepared_ || answered(until);
  check(plan, frame);
  if (preparing_ && !answered(until)) return false;
  send(plan);
  return answered(until);
}

void GpuClient::ring() {
  if (memory_ && !datum::ring(worker_.socket(), memory_->mailbox().worker_sleeps)) worker_.lost();
}

/// An order is near: the worker polls for it.
void GpuClient::call() {
  if (memory_) memory_->mailbox().awaited.fetch_add(1);
  ring();
}

bool GpuClient::measure(const FrameView& frame, SiteRecord* records) {
  call();  // the frame may have to be copied
  const std::optional<EarlySlots::Taken> early = early_->taken(frame);
  if (early ? !early->fits
            : !stage_frame(in_slot_->covered, plan_.type, plan_.cols, frame, memory_->slot(0),
                           slot_pitch(plan_.cols), settings_.staging))
    return false;
  order(early ? early->slot : 0, early ? early->frame : 0, records);
  early_->give_back(frame);
  early_->measured();
  return true;
}

/// Has the frame in this slot measured.
void GpuClient::order(std::uint32_t slot, std::uint32_t frame, SiteRecord* records) {
  const std::uint32_t number = boards_ + 1;
  for (std::uint32_t i = 0; i < plan_.site_count; ++i)  // a record that stays unwritten is invalid
    memory_->records()[i].fit.status = static_cast<FitStatus>(0xff);
  boards_ = number;
  Mailbox& box = memory_->mailbox();
  box.slot = static_cast<std::int32_t>(slot);
  box.frame = frame;
  // The worker's timeout is shorter, so that it can report the reason.
  box.timeout_ms = static_cast<std::int32_t>(settings_.measure_timeout.count() * 3 / 4);
  box.status = WireStatus::none;
  box.daemon_sleeps.store(0);
  box.order.store(number);
  ring();
  await_records(number);
  if (box.status != WireStatus::done) throw GpuError(get_text(box.text), true);
  std::copy(memory_->records(), memory_->records() + plan_.site_count, records);
  for (std::uint32_t i = 0; i < plan_.site_count; ++i) {
    const char* wrong = contradiction(sites_[i], records[i]);
    if (*wrong)
      throw GpuError("GPU worker: the record of site " + std::to_string(i) + " can't be: " + wrong, true);
  }
}

void GpuClient::await_records(std::uint32_t number) {
  Mailbox& box = memory_->mailbox();
  const auto from = Clock::now(), deadline = from + settings_.measure_timeout;
  while (box.answer.load() != number && Clock::now() < from + spin_time) {
    for (int i = 0; i < 32 && box.answer.load() != number; ++i) spin_pause();
  }
  box.daemon_sleeps.store(1);
  while (box.answer.load() != number) {
    char bell = 0;
    const long size = worker_.receive(&bell, 1, deadline);
    if (size > 1) throw GpuError("GPU worker: it answers a board with nonsense", true);
    if (size < 0 && box.answer.load() != number)
      throw GpuError(
          "GPU worker: no answer within " + std::to_string(settings_.measure_timeout.count()) + " ms", true);
  }
  box.daemon_sleeps.store(0);
}

}  // namespace datum
