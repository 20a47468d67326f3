#include "gpu/board/slot_part.cuh"

#include <algorithm>
#include <cstdio>

#include "gpu/board/cpu_board.h"
#include "gpu/board/frame_bands.h"
#include "gpu/board/slot_measurer_device.cuh"

namespace datum::cuda {
namespace {

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

std::uint32_t gather_blocks(std::uint32_t count, int most) {
  constexpr std::uint32_t per_block = copy_threads * copies_per_thread;
  return std::min((count + per_block - 1) / per_block, static_cast<std::uint32_t>(most));
}

}  // namespace

SlotDevice::SlotDevice(const SlotMemory& memory) : device(usable_device()), slots(memory) {}

SlotPart::SlotPart(SlotDevice& on) : on_(on) {}
SlotPart::~SlotPart() = default;

/// All that the sites need beside what the fit, the evidence and the heights take themselves.
void SlotPart::take_memory() {
  const FramePieces pieces = frame_pieces(plan_, pitch_);
  ring_count_ = static_cast<std::uint32_t>(pieces.rings.size());
  body_count_ = static_cast<std::uint32_t>(pieces.bodies.size());
  to_device(ring_pieces_, pieces.rings, "frame pieces");
  to_device(body_pieces_, pieces.bodies, "frame pieces");
  std::int32_t first = plan_.rows, end = 0;
  for (const FrameBand& band : frame_bands(plan_)) {
    if (band.first_row == band.end_row) continue;
    first = std::min(first, band.first_row);
    end = std::max(end, band.end_row);
  }
  const std::size_t row = static_cast<std::size_t>(pitch_) * count_bytes(plan_.type);
  first_byte_ = static_cast<std::size_t>(std::min(first, end)) * row;
  row_bytes_ = static_cast<std::size_t>(std::max(end - first, 0)) * row;
  const std::size_t slots = static_cast<std::size_t>(on_.slots.memory().slots);
  const std::size_t sites = std::max<std::size_t>(plan_.site_count, 1);
  zeroed(records_, sites, "records");
  zeroed(tally_, 1, "records");
  host_records_.reserve(slots * sites);
  host_needs_cpu_.reserve(slots * sites);
  answers_.reserve(slots);
  std::fill_n(answers_.get(), slots, Answer{});
  number_.assign(slots, 0);
  launched_ = 0;
}

void SlotPart::gather_pieces(cudaStream_t s, const Buffer<std::uint32_t>& pieces, std::uint32_t count,
                             std::uint32_t blocks, int slot, std::uint32_t after) {
  if (count == 0) return;
  gather<<<blocks, copy_threads, 0, s>>>(static_cast<const uint4*>(on_.slots.device(slot)), pieces.get(),
                                         count, on_.images[static_cast<std::size_t>(slot)].get(),
                                         Turn{&tally_.get()->rings_done, after});
  check(cudaGetLastError(), "launch of the gathering");
}

std::uint32_t SlotPart::ring_blocks() const {
  return gather_blocks(ring_count_, 4 * on_.device.multiprocessors);
}

void SlotPart::gather_rings(cudaStream_t s, int slot) {
  gather_pieces(s, ring_pieces_, ring_count_, ring_blocks(), slot, 0);
}

/// Few blocks, which wait until the rings are there: the plane fit waits for those, and finds room beside these.
void SlotPart::gather_bodies(cudaStream_t s, int slot) {
  gather_pieces(s, body_pieces_, body_count_,
                gather_blocks(body_count_, std::max(4, on_.device.multiprocessors / 4)), slot, ring_blocks());
}

void SlotPart::copy_rows(cudaStream_t s, int slot) {
  char* const to = reinterpret_cast<char*>(on_.images[static_cast<std::size_t>(slot)].get());
  check(cudaMemcpyAsync(to + first_byte_, static_cast<const char*>(on_.slots.host(slot)) + first_byte_,
                        row_bytes_, cudaMemcpyHostToDevice, s),
        "upload of a frame");
}

/// Median time of the transfer alone, from the first slot.
double SlotPart::time_us(FrameTransfer how) {
  const Event begin(cudaEventDefault), end(cudaEventDefault);
  std::vector<float> ms;
  for (int i = 0; i <= transfer_repeats; ++i) {
    check(cudaEventRecord(begin, on_.stream), "event");
    if (how == FrameTransfer::whole) {
      copy_rows(on_.stream, 0);
    } else {
      gather_rings(on_.stream, 0);
      gather_bodies(on_.stream, 0);
    }
    check(cudaEventRecord(end, on_.stream), "event");
    cuda::wait(on_.stream, prepare_timeout, "the transfer of a frame");
    float once = 0;
    check(cudaEventElapsedTime(&once, begin, end), "event");
    if (i > 0) ms.push_back(once);  // the first loads the code
  }
  std::sort(ms.begin(), ms.end());
  return 1000.0 * ms[ms.size() / 2];
}

void SlotPart::choose_transfer(FrameTransfer wanted) {
  chosen_ = wanted;
  const std::size_t gathered_bytes = (std::size_t{ring_count_} + body_count_) * piece_bytes;
  if (wanted == FrameTransfer::measured && !on_.device.integrated) {
    const double gathered_us = time_us(FrameTransfer::gathered), whole_us = time_us(FrameTransfer::whole);
    chosen_ = gathered_us < whole_us ? FrameTransfer::gathered : FrameTransfer::whole;
    char times[160];
    std::snprintf(times, sizeof times, "gathered: %s in %.0f us, all rows: %s in %.0f us",
                  megabytes(gathered_bytes).c_str(), gathered_us, megabytes(row_bytes_).c_str(), whole_us);
    transfer_ = std::string(chosen_ == FrameTransfer::gathered ? "gathered; " : "all rows; ") + times;
    return;
  }
  if (wanted == FrameTransfer::measured) chosen_ = FrameTransfer::in_place;
  transfer_ = chosen_ == FrameTransfer::gathered ? "gathered: " + megabytes(gathered_bytes)
              : chosen_ == FrameTransfer::whole  ? "all rows: " + megabytes(row_bytes_)
                                                 : "read in place";
}

void SlotPart::publish_records(int slot) {
  const std::size_t first = static_cast<std::size_t>(slot) * plan_.site_count;
  Publication p{};
  p.fits = reinterpret_cast<const uint4*>(fit_.device_fits());
  p.records = reinterpret_cast<const uint4*>(records_.get());
  p.needs_cpu = fit_.device_needs_cpu();
  p.timed_out = fit_.device_timed_out();
  p.sites = plan_.site_count;
  p.host_records = reinterpret_cast<uint4*>(on_device(host_records_) + first);
  p.host_needs_cpu = on_device(host_needs_cpu_) + first;
  p.answer = on_device(answers_) + slot;
  p.tally = tally_.get();
  const std::size_t words = plan_.site_count * record_text,
                    most = 2 * static_cast<std::size_t>(on_.device.multiprocessors);
  const std::size_t blocks = std::min((words + 2 * copy_threads - 1) / (2 * copy_threads), most);
  publish<<<static_cast<unsigned>(std::max<std::size_t>(blocks, 1)), copy_threads, 0, on_.stream>>>(p);
  check(cudaGetLastError(), "launch of the publication");
}

/// The sites in one slot, as kernels in the stream and in a branch of it.
void SlotPart::enqueue(int slot) {
  const void* const pixels = chosen_ == FrameTransfer::in_place
                                 ? on_.slots.device(slot)
                                 : on_.images[static_cast<std::size_t>(slot)].get();
  check(cudaEventRecord(on_.begun, on_.stream), "capture");
  check(cudaStreamWaitEvent(on_.branch, on_.begun, 0), "capture");
  if (chosen_ == FrameTransfer::gathered) {
    gather_bodies(on_.branch, slot);
    gather_rings(on_.stream, slot);
  } else if (chosen_ == FrameTransfer::whole && row_bytes_ > 0) {
    copy_rows(on_.stream, slot);
  }
  fit_.launch(on_.stream, pixels);
  check(cudaEventRecord(on_.fitted, on_.stream), "capture");
  check(cudaStreamWaitEvent(on_.branch, on_.fitted, 0), "capture");
  heights_.launch(on_.branch, pixels, fit_.device_fits(), &records_.get()->body, sizeof(SiteRecord));
  evidence_.launch(on_.stream, pixels, fit_.device_fits(), &records_.get()->ring, sizeof(SiteRecord));
  check(cudaEventRecord(on_.joined, on_.branch), "capture");
  check(cudaStreamWaitEvent(on_.stream, on_.joined, 0), "capture");
  publish_records(slot);
}

void SlotPart::prepare(const BoardPlan& plan, std::int32_t pitch, FrameTransfer wanted) {
  graphs_.clear();
  sites_.assign(plan.sites, plan.sites + plan.site_count);
  plan_ = plan;
  plan_.sites = sites_.data();
  pitch_ = pitch;
  fit_.prepare(plan_, pitch);
  evidence_.prepare(plan_, pitch);
  heights_.prepare(plan_, pitch);
  take_memory();
  check(cudaDeviceSynchronize(), "the tables of a board");  // the streams do not wait for copies outside them
  choose_transfer(wanted);
  number_[0] = ++launched_;
  enqueue(0);  // loads all code, which a capture might not
  await(0, prepare_timeout);
  const int slots = on_.slots.memory().slots;
  for (int i = 0; i < slots; ++i) graphs_.emplace_back().capture(on_.stream, [&] { enqueue(i); });
  const Event begin(cudaEventDefault), end(cudaEventDefault);
  for (int i = 0; i < slots; ++i) {
    check(cudaEventRecord(begin, on_.stream), "event");
    launch(i);
    check(cudaEventRecord(end, on_.stream), "event");
    await(i, prepare_timeout);
    cuda::wait(on_.stream, prepare_timeout, "a board");
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin, end), "event");
    board_us_ = i == 0 ? 1000.0 * ms : std::min(board_us_, 1000.0 * ms);
  }
}

void SlotPart::launch(int slot) {
  number_[static_cast<std::size_t>(slot)] = ++launched_;
  graphs_[static_cast<std::size_t>(slot)].launch(on_.stream);
}

bool SlotPart::is_done(int slot) const {
  return __atomic_load_n(&answers_.get()[slot].boards, __ATOMIC_ACQUIRE) ==
         number_[static_cast<std::size_t>(slot)];
}

void SlotPart::await(int slot, std::chrono::milliseconds timeout) const {
  wait_until([&] { return is_done(slot); }, on_.stream, timeout, "a board");
  if (answers_.get()[slot].timed_out)
    throw GpuError("CUDA: the planes of a board were not done within their time", true);
}

void SlotPart::fetch(int slot, std::chrono::milliseconds timeout, SiteRecord* records) {
  await(slot, timeout);
  const SiteRecord* const from = host_records_.get() + static_cast<std::size_t>(slot) * plan_.site_count;
  std::copy(from, from + plan_.site_count, records);
  measure_on_cpu(slot, records);
}

/// The planes that the device does not do, with all that rests on them.
void SlotPart::measure_on_cpu(int slot, SiteRecord* records) const {
  const std::uint32_t* const needs_cpu =
      host_needs_cpu_.get() + static_cast<std::size_t>(slot) * plan_.site_count;
  std::vector<std::uint32_t> left;
  for (std::uint32_t i = 0; i < plan_.site_count; ++i)
    if (needs_cpu[i]) left.push_back(i);
  if (left.empty()) return;
  std::vector<SitePlan> some;
  for (const std::uint32_t i : left) some.push_back(sites_[i]);
  BoardPlan rest = plan_;
  rest.sites = some.data();
  rest.site_count = static_cast<std::uint32_t>(some.size());
  std::vector<SiteRecord> done(some.size());
  measure_board(rest, FrameView{on_.slots.host(slot), nullptr, pitch_}, cpu_backend(), done.data());
  for (std::size_t k = 0; k < left.size(); ++k) records[left[k]] = done[k];
}

}  // namespace datum::cuda
