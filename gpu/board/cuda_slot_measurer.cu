#include "gpu/board/cuda_slot_measurer.h"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "gpu/board/cpu_board.h"
#include "gpu/board/slot_graph.cuh"
#include "gpu/board/slot_measurer_device.cuh"
#include "gpu/component_height/component_height_cuda.h"
#include "gpu/core/cuda_device.h"
#include "gpu/core/cuda_support.cuh"
#include "gpu/floor_evidence/floor_evidence_cuda.h"
#include "gpu/plane_fit/plane_fit_cuda.h"

namespace datum {
namespace {

using namespace cuda;

constexpr std::chrono::milliseconds prepare_timeout(2000);
constexpr int transfer_repeats = 5;

CudaDevice usable_device() {
  const CudaDevice device = probe_cuda_device();
  if (!device.usable) throw GpuError(device.why, false);
  return device;
}

template <class T>
T* on_device(const Buffer<T>& mapped) {
  void* pointer = nullptr;
  check(cudaHostGetDevicePointer(&pointer, mapped.get(), 0), "mapped memory");
  return static_cast<T*>(pointer);
}

std::string megabytes(std::size_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f MB", static_cast<double>(bytes) * 1e-6);
  return text;
}

}  // namespace

struct CudaSlotMeasurer::State {
  State(const SlotMemory& memory, FrameTransfer wanted_transfer)
      : device(usable_device()), slots(memory), wanted(wanted_transfer) {}

  const CudaDevice device;
  Registration slots;
  const FrameTransfer wanted;
  FrameTransfer chosen = FrameTransfer::whole;
  std::string transfer;

  std::vector<SitePlan> sites;
  std::vector<PixelRun> runs;
  std::vector<std::uint8_t> sides;
  BoardPlan plan;
  std::int32_t pitch = 0;
  std::size_t frame_bytes = 0;
  bool prepared = false;
  std::uint32_t launched = 0;  // boards since prepare()

  Buffer<uint4> image;
  Buffer<std::uint32_t> ring_pieces, body_pieces;
  std::uint32_t ring_count = 0, body_count = 0;
  Buffer<SiteRecord> records;
  Buffer<Tally> tally;
  Buffer<SiteRecord> host_records{Where::host_mapped};
  Buffer<std::uint32_t> host_needs_cpu{Where::host_mapped};
  Buffer<Answer> answer{Where::host_mapped};

  Stream stream, branch{first_priority()};  // of heights: they take longer than the evidence
  Event begun{cudaEventDisableTiming}, fitted{cudaEventDisableTiming}, joined{cudaEventDisableTiming};
  CudaPlaneFit fit;
  CudaFloorEvidence evidence;
  CudaComponentHeights heights;
  std::vector<Graph> graphs;  // by slot

  void copy(const BoardPlan& of);
  void take_memory();
  void choose_transfer();
  double time_us(FrameTransfer how);
  std::uint32_t gather_blocks(std::uint32_t count, int most) const;
  void gather_pieces(cudaStream_t s, const Buffer<std::uint32_t>& pieces, std::uint32_t count,
                     std::uint32_t blocks, const void* frame, std::uint32_t after);
  std::uint32_t ring_blocks() const { return gather_blocks(ring_count, 4 * device.multiprocessors); }
  void gather_rings(cudaStream_t s, const void* frame) {
    gather_pieces(s, ring_pieces, ring_count, ring_blocks(), frame, 0);
  }
  // Few blocks, which wait until the rings are there: the plane fit waits for those, and finds room beside these.
  void gather_bodies(cudaStream_t s, const void* frame) {
    gather_pieces(s, body_pieces, body_count,
                  gather_blocks(body_count, std::max(4, device.multiprocessors / 4)), frame, ring_blocks());
  }
  void copy_whole(cudaStream_t s, int slot) {
    check(cudaMemcpyAsync(image.get(), slots.host(slot), frame_bytes, cudaMemcpyHostToDevice, s),
          "upload of a frame");
  }
  void enqueue(int slot);
  void publish_records();
  template <class Launch>
  void run(Launch launch, std::chrono::milliseconds timeout);
  void measure_on_cpu(int slot, SiteRecord* out);
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

/// All that a board needs beside what the parts take themselves.
void CudaSlotMeasurer::State::take_memory() {
  const FramePieces pieces = frame_pieces(plan, pitch);
  ring_count = static_cast<std::uint32_t>(pieces.rings.size());
  body_count = static_cast<std::uint32_t>(pieces.bodies.size());
  to_device(ring_pieces, pieces.rings, "frame pieces");
  to_device(body_pieces, pieces.bodies, "frame pieces");
  const bool copies =
      wanted != FrameTransfer::in_place && !(wanted == FrameTransfer::measured && device.integrated);
  if (copies) zeroed(image, frame_bytes / piece_bytes, "frame");
  zeroed(records, plan.site_count, "records");
  zeroed(tally, 1, "records");
  host_records.reserve(std::max<std::size_t>(plan.site_count, 1));
  host_needs_cpu.reserve(std::max<std::size_t>(plan.site_count, 1));
  answer.reserve(1);
  *answer.get() = Answer{};
  launched = 0;
}

std::uint32_t CudaSlotMeasurer::State::gather_blocks(std::uint32_t count, int most) const {
  constexpr std::uint32_t per_block = copy_threads * copies_per_thread;
  return std::min((count + per_block - 1) / per_block, static_cast<std::uint32_t>(most));
}

void CudaSlotMeasurer::State::gather_pieces(cudaStream_t s, const Buffer<std::uint32_t>& pieces,
                                            std::uint32_t count, std::uint32_t blocks, const void* frame,
                                            std::uint32_t after) {
  if (count == 0) return;
  gather<<<blocks, copy_threads, 0, s>>>(static_cast<const uint4*>(frame), pieces.get(), count, image.get(),
                                         Turn{&tally.get()->rings_done, after});
  check(cudaGetLastError(), "launch of the gathering");
}

/// Median time of the transfer alone, from the first slot.
double CudaSlotMeasurer::State::time_us(FrameTransfer how) {
  const Event begin(cudaEventDefault), end(cudaEventDefault);
  std::vector<float> ms;
  for (int i = 0; i <= transfer_repeats; ++i) {
    check(cudaEventRecord(begin, stream), "event");
    if (how == FrameTransfer::whole) {
      copy_whole(stream, 0);
    } else {
      gather_rings(stream, slots.device(0));
      gather_bodies(stream, slots.device(0));
    }
    check(cudaEventRecord(end, stream), "event");
    wait(stream, prepare_timeout, "the transfer of a frame");
    float once = 0;
    check(cudaEventElapsedTime(&once, begin, end), "event");
    if (i > 0) ms.push_back(once);  // the first loads the code
  }
  std::sort(ms.begin(), ms.end());
  return 1000.0 * ms[ms.size() / 2];
}

void CudaSlotMeasurer::State::choose_transfer() {
  chosen = wanted;
  const std::size_t gathered_bytes = (std::size_t{ring_count} + body_count) * piece_bytes;
  if (wanted == FrameTransfer::measured && !device.integrated) {
    const double gathered_us = time_us(FrameTransfer::gathered), whole_us = time_us(FrameTransfer::whole);
    chosen = gathered_us < whole_us ? FrameTransfer::gathered : FrameTransfer::whole;
    char times[160];
    std::snprintf(times, sizeof times, "gathered: %s in %.0f us, whole frame: %s in %.0f us",
                  megabytes(gathered_bytes).c_str(), gathered_us, megabytes(frame_bytes).c_str(), whole_us);
    transfer = std::string(chosen == FrameTransfer::gathered ? "gathered; " : "whole frame; ") + times;
    return;
  }
  if (wanted == FrameTransfer::measured) chosen = FrameTransfer::in_place;
  transfer = chosen == FrameTransfer::gathered ? "gathered: " + megabytes(gathered_bytes)
             : chosen == FrameTransfer::whole  ? "whole frame: " + megabytes(frame_bytes)
                                               : "read in place";
}

void CudaSlotMeasurer::State::publish_records() {
  Publication p{};
  p.fits = reinterpret_cast<const uint4*>(fit.device_fits());
  p.records = reinterpret_cast<const uint4*>(records.get());
  p.needs_cpu = fit.device_needs_cpu();
  p.timed_out = fit.device_timed_out();
  p.sites = plan.site_count;
  p.host_records = reinterpret_cast<uint4*>(on_device(host_records));
  p.host_needs_cpu = on_device(host_needs_cpu);
  p.answer = on_device(answer);
  p.tally = tally.get();
  const std::size_t words = plan.site_count * record_text,
                    most = 2 * static_cast<std::size_t>(device.multiprocessors);
  const std::size_t blocks = std::min((words + 2 * copy_threads - 1) / (2 * copy_threads), most);
  publish<<<static_cast<unsigned>(std::max<std::size_t>(blocks, 1)), copy_threads, 0, stream>>>(p);
  check(cudaGetLastError(), "launch of the publication");
}

/// A board of one slot, as kernels in `stream` and in a branch of it.
void CudaSlotMeasurer::State::enqueue(int slot) {
  const void* const frame = slots.device(slot);
  const void* const pixels = chosen == FrameTransfer::in_place ? frame : image.get();
  check(cudaEventRecord(begun, stream), "capture");
  check(cudaStreamWaitEvent(branch, begun, 0), "capture");
  if (chosen == FrameTransfer::gathered) {
    gather_bodies(branch, frame);
    gather_rings(stream, frame);
  } else if (chosen == FrameTransfer::whole) {
    copy_whole(stream, slot);
  }
  fit.launch(stream, pixels);
  check(cudaEventRecord(fitted, stream), "capture");
  check(cudaStreamWaitEvent(branch, fitted, 0), "capture");
  heights.launch(branch, pixels, fit.device_fits(), &records.get()->body, sizeof(SiteRecord));
  evidence.launch(stream, pixels, fit.device_fits(), &records.get()->ring, sizeof(SiteRecord));
  check(cudaEventRecord(joined, branch), "capture");
  check(cudaStreamWaitEvent(stream, joined, 0), "capture");
  publish_records();
}

/// Launches a board and waits for its records.
template <class Launch>
void CudaSlotMeasurer::State::run(Launch launch, std::chrono::milliseconds timeout) {
  const std::uint32_t number = ++launched;
  const Answer* const a = answer.get();
  launch();
  wait_until([&] { return __atomic_load_n(&a->boards, __ATOMIC_ACQUIRE) == number; }, stream, timeout,
             "a board");
  if (a->timed_out) throw GpuError("CUDA: the planes of a board were not done within their time", true);
}

/// The planes that the device does not do, with all that rests on them.
void CudaSlotMeasurer::State::measure_on_cpu(int slot, SiteRecord* out) {
  std::vector<std::uint32_t> left;
  for (std::uint32_t i = 0; i < plan.site_count; ++i)
    if (host_needs_cpu.get()[i]) left.push_back(i);
  if (left.empty()) return;
  std::vector<SitePlan> some;
  for (const std::uint32_t i : left) some.push_back(sites[i]);
  BoardPlan rest = plan;
  rest.sites = some.data();
  rest.site_count = static_cast<std::uint32_t>(some.size());
  std::vector<SiteRecord> done(some.size());
  measure_board(rest, FrameView{slots.host(slot), nullptr, pitch}, cpu_backend(), done.data());
  for (std::size_t k = 0; k < left.size(); ++k) out[left[k]] = done[k];
}

CudaSlotMeasurer::CudaSlotMeasurer(const SlotMemory& memory, FrameTransfer transfer)
    : state_(new State(memory, transfer)) {}

CudaSlotMeasurer::~CudaSlotMeasurer() {
  try {
    wait(state_->stream, prepare_timeout, "the last board");  // it may still read what goes away now
  } catch (const GpuError&) {
    // the device is lost, and with it all that it could read
  }
}

void CudaSlotMeasurer::prepare(const BoardPlan& plan, std::int32_t pitch) {
  State& s = *state_;
  s.prepared = false;
  wait(s.stream, prepare_timeout, "the board before");
  check(plan, FrameView{s.slots.memory().base, nullptr, pitch});
  const std::size_t frame_bytes =
      static_cast<std::size_t>(plan.rows) * static_cast<std::size_t>(pitch) * count_bytes(plan.type);
  if (frame_bytes > s.slots.memory().slot_bytes)
    throw GpuError("a frame of " + std::to_string(plan.rows) + " rows of " + std::to_string(pitch) +
                       " counts has " + std::to_string(frame_bytes) + " bytes, its slot " +
                       std::to_string(s.slots.memory().slot_bytes),
                   false);
  s.graphs.clear();
  s.copy(plan);
  s.pitch = pitch;
  s.frame_bytes = frame_bytes;
  s.fit.prepare(s.plan, pitch);
  s.evidence.prepare(s.plan, pitch);
  s.heights.prepare(s.plan, pitch);
  s.take_memory();
  check(cudaDeviceSynchronize(), "the tables of a board");  // the streams do not wait for copies outside them
  s.choose_transfer();
  s.run([&] { s.enqueue(0); }, prepare_timeout);  // loads all code, which a capture might not
  const std::size_t slots = static_cast<std::size_t>(s.slots.memory().slots);
  for (std::size_t i = 0; i < slots; ++i)
    s.graphs.emplace_back().capture(s.stream, [&] { s.enqueue(static_cast<int>(i)); });
  for (const Graph& graph : s.graphs) s.run([&] { graph.launch(s.stream); }, prepare_timeout);
  s.prepared = true;
}

void CudaSlotMeasurer::measure(int slot, SiteRecord* records, int timeout_ms) {
  State& s = *state_;
  if (!s.prepared) throw GpuError("a board came before a plan was prepared", false);
  if (slot < 0 || slot >= s.slots.memory().slots)
    throw GpuError(
        "frame slot " + std::to_string(slot) + "; there are " + std::to_string(s.slots.memory().slots),
        false);
  s.prepared = false;  // unless all goes well
  s.run([&] { s.graphs[static_cast<std::size_t>(slot)].launch(s.stream); },
        std::chrono::milliseconds(timeout_ms));
  s.prepared = true;
  std::copy(s.host_records.get(), s.host_records.get() + s.plan.site_count, records);
  s.measure_on_cpu(slot, records);
}

std::string CudaSlotMeasurer::describe() const {
  const CudaDevice& d = state_->device;
  return d.name + " sm_" + std::to_string(d.major) + std::to_string(d.minor);
}

std::string CudaSlotMeasurer::transfer() const { return state_->transfer; }

std::unique_ptr<SlotMeasurer> cuda_slot_measurer(const SlotMemory& memory) {
  return std::make_unique<CudaSlotMeasurer>(memory);
}

}  // namespace datum
