#include "daemon/gpu_worker/early_slots.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

#include "daemon/gpu_worker/board_record.h"
#include "daemon/gpu_worker/pixel_ranges.h"
#include "daemon/gpu_worker/slot_writing.h"
#include "gpu/board/frame_bands.h"

namespace datum {
namespace {

/// Boards in a row that make it likely that the next one has the same plan.
constexpr int boards_of_a_series = 2;
// Enough for the host's work on a frame of 1 GB/s; who receives, hashes and classes it needs the other processors.
constexpr unsigned most_lookers = 4;
// A band takes the device 0.1 ms; one that it does not measure early is looked at with the whole frame.
constexpr auto band_time = std::chrono::milliseconds(5);
constexpr auto between_looks = std::chrono::microseconds(30);

}  // namespace

SlotPlan slot_plan(const BoardPlan& plan) {
  SlotPlan in_slot{plan.type,
                   plan.rows,
                   plan.cols,
                   covered_pixels(plan),
                   {},
                   {},
                   {plan.sites, plan.sites + plan.site_count}};
  const auto pixel_of = [&](std::int32_t row) {
    return static_cast<std::uint64_t>(row) * static_cast<std::uint64_t>(plan.cols);
  };
  for (const FrameBand& band : frame_bands(plan)) {
    in_slot.bands.emplace_back(pixel_of(band.first_row), pixel_of(band.end_row));
    in_slot.sites_of_bands.push_back(band.sites);
  }
  return in_slot;
}

class EarlySlots::Frame final : public EarlyFrame {
 public:
  Frame(std::shared_ptr<EarlySlots> owner, std::shared_ptr<const SharedMemory> memory,
        std::shared_ptr<const SlotPlan> plan, std::uint32_t slot, std::uint32_t number,
        std::shared_ptr<EarlyWork> work)
      : owner_(std::move(owner)),
        memory_(std::move(memory)),
        plan_(std::move(plan)),
        slot_(slot),
        number_(number),
        work_(std::move(work)),
        looks_(owner_->lookers_) {
    tell();
  }
  ~Frame() override {
    give_back();
    looks_.wait();
  }

  void put(const FrameView& frame, std::uint64_t first, std::uint64_t n) override {
    if (!stage(frame, first, first + n)) clash_ = true;
    const std::uint32_t fresh = noted(frame, first, first + n);
    if (fresh == 0) return;
    owner_->wake(memory_.get());
    for (std::size_t k = 0; work_ && k < plan_->bands.size(); ++k)
      if (fresh >> k & 1) looks_.submit([this, k] { look_at(k); });
  }

  void withdraw() override {
    {
      const std::lock_guard lock(mutex_);
      again_ = true;
    }
    looks_.wait();
  }

  std::shared_ptr<EarlyWork> work(const FrameView& frame) override {
    const std::lock_guard lock(mutex_);
    return !again_ && is_of(frame) ? work_ : nullptr;
  }

  /// Whether all of the frame is there, for this plan in this memory.
  bool holds(const FrameView& frame, const SharedMemory* memory, const SlotPlan* plan) {
    const std::lock_guard lock(mutex_);
    return !given_back_ && memory_.get() == memory && plan_.get() == plan && is_of(frame) &&
           there_.have(0, static_cast<std::uint64_t>(plan_->rows) * static_cast<std::uint64_t>(plan_->cols));
  }
  EarlySlots::Taken taken() {
    const std::lock_guard lock(mutex_);
    return {slot_, again_ ? 0 : number_, !clash_};
  }
  void give_back() {
    {
      const std::lock_guard lock(mutex_);
      if (std::exchange(given_back_, true)) return;
    }
    owner_->release(memory_.get(), slot_);
  }

 private:
  bool is_of(const FrameView& frame) const {
    return !mixed_ && seen_.counts == frame.counts && seen_.classes == frame.classes &&
           seen_.pitch == frame.pitch;
  }
  /// These pixels are in their places: bands that are whole by them, and that the worker is to be woken for.
  std::uint32_t noted(const FrameView& frame, std::uint64_t first, std::uint64_t end) {
    const std::lock_guard lock(mutex_);
    if (there_.empty()) seen_ = frame;
    if (!is_of(frame)) mixed_ = true;
    if (!there_.add(first, end)) again_ = true;
    return is_good() && !clash_ ? tell() : 0;
  }
  bool is_good() const { return !given_back_ && !mixed_ && !again_; }
  /// Writes which bands are there. Those that were not before.
  std::uint32_t tell() {
    std::uint32_t bands = 0;
    for (std::size_t k = 0; k < plan_->bands.size(); ++k)
      if (there_.have(plan_->bands[k].first, plan_->bands[k].second)) bands |= std::uint32_t{1} << k;
    const std::uint64_t word = progress_word(number_, bands),
                        before = memory_->progress(slot_).word.exchange(word);
    return frame_of(before) == number_ ? bands & ~bands_of(before) : bands;
  }

  /// The host's work on a band, once the worker has measured it.
  void look_at(std::size_t band) {
    const std::vector<SiteRecord> records = records_of(band);
    for (std::size_t i = 0; i < records.size(); ++i) {
      const std::uint32_t site = plan_->sites_of_bands[band][i];
      if (*contradiction(plan_->sites[site], records[i])) continue;  // the order's answer shows it, too
      if (!is_wanted()) return;
      work_->look(seen_, site, records[i]);
    }
  }
  bool is_wanted() {
    const std::lock_guard lock(mutex_);
    return is_good();
  }
  /// Empty: it is not measured early, or nobody wants it any more.
  std::vector<SiteRecord> records_of(std::size_t band) {
    const auto end = std::chrono::steady_clock::now() + band_time;
    for (;; std::this_thread::sleep_for(between_looks)) {
      {
        const std::lock_guard lock(mutex_);  // the slot is this frame's until it is given back
        if (!is_good()) return {};
        const std::uint64_t measured = memory_->progress(slot_).measured.load();
        if (frame_of(measured) == number_ && (bands_of(measured) >> band & 1)) {
          std::vector<SiteRecord> records;
          for (const std::uint32_t site : plan_->sites_of_bands[band])
            records.push_back(memory_->early_records(slot_)[site]);
          return records;
        }
      }
      if (std::chrono::steady_clock::now() >= end) return {};
    }
  }

  /// Copies what lies in the range of the plan's pixels.
  bool stage(const FrameView& frame, std::uint64_t first, std::uint64_t end) {
    static thread_local std::vector<PixelRun> cut;
    cut.clear();
    const auto cols = static_cast<std::uint64_t>(plan_->cols);
    const auto begin_of = [&](const PixelRun& run) {
      return static_cast<std::uint64_t>(run.row) * cols + static_cast<std::uint64_t>(run.col);
    };
    const auto end_of = [&](const PixelRun& run) {
      return begin_of(run) + static_cast<std::uint64_t>(run.length);
    };
    const std::vector<PixelRun>& covered = plan_->covered;
    auto run = std::partition_point(covered.begin(), covered.end(),
                                    [&](const PixelRun& r) { return end_of(r) <= first; });
    for (; run != covered.end() && begin_of(*run) < end; ++run) {
      const std::uint64_t from = std::max(first, begin_of(*run)), to = std::min(end, end_of(*run));
      cut.push_back({run->row, run->col + static_cast<std::int32_t>(from - begin_of(*run)),
                     static_cast<std::int32_t>(to - from)});
    }
    return stage_runs(cut.data(), cut.size(), plan_->type, plan_->cols, frame, memory_->slot(slot_),
                      slot_pitch(plan_->cols), owner_->isa_);
  }

  const std::shared_ptr<EarlySlots> owner_;
  const std::shared_ptr<const SharedMemory> memory_;
  const std::shared_ptr<const SlotPlan> plan_;
  const std::uint32_t slot_, number_;
  std::atomic<bool> clash_{false};
  std::mutex mutex_;
  PixelRanges there_;
  FrameView seen_;
  bool mixed_ = false, again_ = false, given_back_ = false;
  const std::shared_ptr<EarlyWork> work_;  // null: none
  PieceGroup looks_;                       // last: it ends before what it works on
};

EarlySlots::EarlySlots(const Backend& backend)
    : isa_(backend.isa), threads_(std::clamp(backend.threads / 2, 1u, most_lookers)) {}

void EarlySlots::prepared(std::shared_ptr<const SharedMemory> memory, std::shared_ptr<const SlotPlan> plan,
                          std::function<void()> wake) {
  const std::lock_guard lock(mutex_);
  if (std::exchange(slots_of_, memory.get()) != memory.get()) in_use_.assign(memory->layout().slot_count, 0);
  memory_ = std::move(memory);
  plan_ = std::move(plan);
  wake_ = std::move(wake);
  boards_ = 0;
  work_of_ = nullptr;
}

void EarlySlots::lost() {
  const std::lock_guard lock(mutex_);
  memory_ = nullptr;
  plan_ = nullptr;
  wake_ = nullptr;
}

void EarlySlots::measured() {
  const std::lock_guard lock(mutex_);
  boards_ = std::min(boards_ + 1, boards_of_a_series);
}

void EarlySlots::expect(std::shared_ptr<const void> of, EarlyWorkMaker make) {
  const std::lock_guard lock(mutex_);
  if (!lookers_) lookers_ = std::make_shared<PieceWorkers>(threads_);
  work_of_ = std::move(of);
  make_work_ = std::move(make);
}

bool EarlySlots::expects(const void* of) {
  const std::lock_guard lock(mutex_);
  return work_of_.get() == of;
}

/// 0: none is free.
std::uint32_t EarlySlots::free_slot() const {
  for (std::uint32_t slot = 1; slot < in_use_.size(); ++slot)
    if (!in_use_[slot]) return slot;
  return 0;
}

std::shared_ptr<EarlyFrame> EarlySlots::begin(CountType type, std::int32_t rows, std::int32_t cols) {
  const std::lock_guard lock(mutex_);
  if (!memory_ || boards_ < boards_of_a_series) return nullptr;
  if (plan_->type != type || plan_->rows != rows || plan_->cols != cols) return nullptr;
  const std::uint32_t slot = free_slot();
  if (slot == 0) return nullptr;
  in_use_[slot] = 1;
  if (++frames_ == 0) ++frames_;  // 0 is no frame
  return std::make_shared<Frame>(shared_from_this(), memory_, plan_, slot, frames_,
                                 work_of_ ? make_work_() : nullptr);
}

std::optional<EarlySlots::Taken> EarlySlots::taken(const FrameView& frame) {
  auto* const early = dynamic_cast<Frame*>(frame.early);
  if (!early) return std::nullopt;
  const std::lock_guard lock(mutex_);
  if (!memory_ || !early->holds(frame, memory_.get(), plan_.get())) return std::nullopt;
  return early->taken();
}

void EarlySlots::give_back(const FrameView& frame) {
  if (auto* const early = dynamic_cast<Frame*>(frame.early)) early->give_back();
}

/// The worker of this memory.
void EarlySlots::wake(const SharedMemory* memory) {
  const std::lock_guard lock(mutex_);
  if (wake_ && memory == memory_.get()) wake_();
}

void EarlySlots::release(const SharedMemory* memory, std::uint32_t slot) {
  const std::lock_guard lock(mutex_);
  if (memory == slots_of_) in_use_[slot] = 0;
}

}  // namespace datum
