#include "gpu/board/cuda_slot_measurer.h"

#include <algorithm>
#include <vector>

#include "gpu/board/cpu_board.h"
#include "gpu/board/frame_bands.h"
#include "gpu/board/slot_part.cuh"
#include "gpu/core/cuda_support.cuh"

namespace datum {

using namespace cuda;

struct CudaSlotMeasurer::State {
  State(const SlotMemory& memory, FrameTransfer transfer)
      : on(memory), wanted(transfer), progress(memory.slots) {}

  SlotDevice on;
  const FrameTransfer wanted;

  std::vector<SitePlan> sites;
  std::vector<PixelRun> runs;
  std::vector<std::uint8_t> sides;
  BoardPlan plan;
  std::int32_t pitch = 0;
  bool prepared = false;

  SlotPart whole{on};
  std::vector<FrameBand> bands;                  // empty: frames are measured when they are whole
  std::vector<std::unique_ptr<SlotPart>> parts;  // of the bands; kept from plan to plan
  std::size_t ready = 0;                         // bands whose parts are prepared
  BandProgress progress;
  std::vector<SiteRecord> of_band;

  void copy(const BoardPlan& of);
  void take_images();
  void prepare_band();
  bool has_slot(int slot) const { return slot >= 0 && slot < on.slots.memory().slots; }
  std::uint32_t left(SlotFrame frame) const;
  void fetch_band(std::size_t band, int slot, SiteRecord* records, std::chrono::milliseconds timeout);
  void measure_bands(SlotFrame frame, std::uint32_t left, SiteRecord* records,
                     std::chrono::milliseconds timeout);
};

void CudaSlotMeasurer::State::copy(const BoardPlan& of) {
  sites.assign(of.sites, of.sites + of.site_count);
  runs.assign(of.runs, of.runs + of.run_count);
  sides.assign(of.run_side, of.run_side + of.run_count);
  plan = of;
  plan.sites = sites.data();
  plan.runs = runs.data();
  plan.run_side = sides.data();
}

/// One for each slot, so that a frame arrives while another one is measured.
void CudaSlotMeasurer::State::take_images() {
  const std::size_t pieces = static_cast<std::size_t>(plan.rows) * static_cast<std::size_t>(pitch) *
                             count_bytes(plan.type) / piece_bytes;
  const bool in_place =
      wanted == FrameTransfer::in_place || (wanted == FrameTransfer::measured && on.device.integrated);
  on.images.resize(static_cast<std::size_t>(on.slots.memory().slots));
  if (in_place) return;
  for (Buffer<uint4>& image : on.images) zeroed(image, pieces, "frame");
}

/// The next band. A device without memory for it measures frames when they are whole.
void CudaSlotMeasurer::State::prepare_band() {
  if (parts.size() == ready) parts.push_back(std::make_unique<SlotPart>(on));
  std::vector<SitePlan> some;
  for (const std::uint32_t i : bands[ready].sites) some.push_back(sites[i]);
  BoardPlan part = plan;
  part.sites = some.data();
  part.site_count = static_cast<std::uint32_t>(some.size());
  try {
    parts[ready]->prepare(part, pitch, wanted);
    ++ready;
  } catch (const GpuError& error) {
    if (error.lost) throw;
    bands.clear();
    parts.clear();
    ready = 0;
  }
}

/// Bands of the frame that are not begun; all of them where the whole board at once is faster.
std::uint32_t CudaSlotMeasurer::State::left(SlotFrame frame) const {
  const std::uint32_t all = all_bands(bands.size());
  if (frame.number == 0 || bands.empty() || ready < bands.size()) return all;
  const std::uint32_t left = all & ~progress.begun(frame.slot, frame.number);
  double us = 0;
  for (std::size_t k = 0; k < bands.size(); ++k)
    if (left >> k & 1) us += parts[k]->board_us();
  return us <= whole.board_us() ? left : all;
}

void CudaSlotMeasurer::State::fetch_band(std::size_t band, int slot, SiteRecord* records,
                                         std::chrono::milliseconds timeout) {
  const std::vector<std::uint32_t>& of = bands[band].sites;
  of_band.resize(of.size());
  parts[band]->fetch(slot, timeout, of_band.data());
  for (std::size_t i = 0; i < of.size(); ++i) records[of[i]] = of_band[i];
}

void CudaSlotMeasurer::State::measure_bands(SlotFrame frame, std::uint32_t left, SiteRecord* records,
                                            std::chrono::milliseconds timeout) {
  for (std::size_t k = 0; k < bands.size(); ++k)
    if (left >> k & 1) parts[k]->launch(frame.slot);
  for (std::size_t k = 0; k < bands.size(); ++k) fetch_band(k, frame.slot, records, timeout);
}

CudaSlotMeasurer::CudaSlotMeasurer(const SlotMemory& memory, FrameTransfer transfer)
    : state_(new State(memory, transfer)) {}

CudaSlotMeasurer::~CudaSlotMeasurer() {
  try {
    wait(state_->on.stream, prepare_timeout, "the last board");  // it may still read what goes away now
  } catch (const GpuError&) {
    // the device is lost, and with it all that it could read
  }
}

void CudaSlotMeasurer::prepare(const BoardPlan& plan, std::int32_t pitch) {
  State& s = *state_;
  s.prepared = false;
  wait(s.on.stream, prepare_timeout, "the board before");
  const SlotMemory& slots = s.on.slots.memory();
  check(plan, FrameView{slots.base, nullptr, pitch});
  const std::size_t frame_bytes =
      static_cast<std::size_t>(plan.rows) * static_cast<std::size_t>(pitch) * count_bytes(plan.type);
  if (frame_bytes > slots.slot_bytes)
    throw GpuError("a frame of " + std::to_string(plan.rows) + " rows of " + std::to_string(pitch) +
                       " counts has " + std::to_string(frame_bytes) + " bytes, its slot " +
                       std::to_string(slots.slot_bytes),
                   false);
  s.copy(plan);
  s.pitch = pitch;
  s.take_images();
  s.whole.prepare(s.plan, pitch, s.wanted);
  s.bands = frame_bands(s.plan);
  s.ready = 0;
  s.progress.reset();
  s.prepared = true;
}

bool CudaSlotMeasurer::prepare_band() {
  State& s = *state_;
  if (!s.prepared || s.ready == s.bands.size()) return false;
  s.prepared = false;  // unless all goes well
  s.prepare_band();
  s.prepared = true;
  return s.ready < s.bands.size();
}

void CudaSlotMeasurer::arrived(SlotFrame frame, std::uint32_t bands) {
  State& s = *state_;
  if (!s.prepared || frame.number == 0 || !s.has_slot(frame.slot)) return;
  s.prepared = false;  // unless all goes well
  const std::uint32_t now = s.progress.begin(frame.slot, frame.number, bands & all_bands(s.ready));
  for (std::size_t k = 0; k < s.ready; ++k)
    if (now >> k & 1) s.parts[k]->launch(frame.slot);
  s.prepared = true;
}

std::uint32_t CudaSlotMeasurer::measured(SlotFrame frame, std::uint32_t bands, SiteRecord* records) {
  State& s = *state_;
  if (!s.prepared || !s.has_slot(frame.slot)) return 0;
  const std::uint32_t begun = s.progress.begun(frame.slot, frame.number) & bands;
  std::uint32_t done = 0;
  for (std::size_t k = 0; k < s.ready; ++k) {
    if (!(begun >> k & 1) || !s.parts[k]->is_done(frame.slot)) continue;
    s.prepared = false;  // unless all goes well
    s.fetch_band(k, frame.slot, records, prepare_timeout);
    s.prepared = true;
    done |= std::uint32_t{1} << k;
  }
  return done;
}

void CudaSlotMeasurer::settle() {
  State& s = *state_;
  if (!s.prepared) return;
  s.prepared = false;  // unless all goes well
  wait(s.on.stream, prepare_timeout, "a frame's bands");
  s.prepared = true;
}

void CudaSlotMeasurer::measure(SlotFrame frame, SiteRecord* records, int timeout_ms) {
  State& s = *state_;
  if (!s.prepared) throw GpuError("a board came before a plan was prepared", false);
  if (!s.has_slot(frame.slot))
    throw GpuError("frame slot " + std::to_string(frame.slot) + "; there are " +
                       std::to_string(s.on.slots.memory().slots),
                   false);
  s.prepared = false;  // unless all goes well
  const std::chrono::milliseconds timeout(timeout_ms);
  const std::uint32_t left = s.left(frame);
  if (left != all_bands(s.bands.size())) {
    s.measure_bands(frame, left, records, timeout);
  } else {
    s.whole.launch(frame.slot);
    s.whole.fetch(frame.slot, timeout, records);
  }
  s.prepared = true;
}

std::string CudaSlotMeasurer::describe() const {
  const CudaDevice& d = state_->on.device;
  return d.name + " sm_" + std::to_string(d.major) + std::to_string(d.minor);
}

std::string CudaSlotMeasurer::transfer() const { return state_->whole.transfer(); }

std::unique_ptr<SlotMeasurer> cuda_slot_measurer(const SlotMemory& memory) {
  return std::make_unique<CudaSlotMeasurer>(memory);
}

}  // namespace datum
