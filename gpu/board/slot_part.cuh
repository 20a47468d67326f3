// Some sites of a board on the device, from a frame in its slot to records in host memory: one captured graph per slot.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "gpu/board/cuda_slot_measurer.h"
#include "gpu/board/slot_graph.cuh"
#include "gpu/component_height/component_height_cuda.h"
#include "gpu/core/cuda_device.h"
#include "gpu/floor_evidence/floor_evidence_cuda.h"
#include "gpu/plane_fit/plane_fit_cuda.h"

namespace datum::cuda {

struct Answer;
struct Tally;

constexpr std::chrono::milliseconds prepare_timeout(2000);

/// What all parts of a board share. All that they launch is done in the order of its launch.
struct SlotDevice {
  explicit SlotDevice(const SlotMemory& memory);

  const CudaDevice device;
  const Registration slots;
  std::vector<Buffer<uint4>> images;        // of the frames, by slot; none where the slots are read in place
  Stream stream, branch{first_priority()};  // of heights: they take longer than the evidence
  Event begun{cudaEventDisableTiming}, fitted{cudaEventDisableTiming}, joined{cudaEventDisableTiming};
};

class SlotPart {
 public:
  explicit SlotPart(SlotDevice& on);
  ~SlotPart();

  /// Takes the memory of these sites, which a copy is made of; runs and sides stay where they are. Runs them in every
  /// slot, whatever lies there. Throws GpuError.
  void prepare(const BoardPlan& plan, std::int32_t pitch, FrameTransfer wanted);
  void launch(int slot);
  /// Whether the records of the last launch of this slot are there: fetch() does not wait then.
  bool is_done(int slot) const;
  /// Waits for the records of the last launch of this slot: plan.site_count in the order of the sites.
  void fetch(int slot, std::chrono::milliseconds timeout, SiteRecord* records);
  /// Of prepare(): the device's time for these sites.
  double board_us() const { return board_us_; }
  const std::string& transfer() const { return transfer_; }

 private:
  void take_memory();
  void choose_transfer(FrameTransfer wanted);
  double time_us(FrameTransfer how);
  void gather_pieces(cudaStream_t s, const Buffer<std::uint32_t>& pieces, std::uint32_t count,
                     std::uint32_t blocks, int slot, std::uint32_t after);
  std::uint32_t ring_blocks() const;
  void gather_rings(cudaStream_t s, int slot);
  void gather_bodies(cudaStream_t s, int slot);
  void copy_rows(cudaStream_t s, int slot);
  void enqueue(int slot);
  void publish_records(int slot);
  void await(int slot, std::chrono::milliseconds timeout) const;
  void measure_on_cpu(int slot, SiteRecord* records) const;

  SlotDevice& on_;
  FrameTransfer chosen_ = FrameTransfer::whole;
  std::string transfer_;
  double board_us_ = 0;

  std::vector<SitePlan> sites_;
  BoardPlan plan_;
  std::int32_t pitch_ = 0;
  std::size_t first_byte_ = 0, row_bytes_ = 0;  // of all rows that have pixels of these sites
  std::uint32_t launched_ = 0;                  // since prepare()
  std::vector<std::uint32_t> number_;           // of the last launch, by slot

  Buffer<std::uint32_t> ring_pieces_, body_pieces_;
  std::uint32_t ring_count_ = 0, body_count_ = 0;
  Buffer<SiteRecord> records_;
  Buffer<Tally> tally_;
  // by slot, sites of one beside each other
  Buffer<SiteRecord> host_records_{Where::host_mapped};
  Buffer<std::uint32_t> host_needs_cpu_{Where::host_mapped};
  Buffer<Answer> answers_{Where::host_mapped};

  CudaPlaneFit fit_;
  CudaFloorEvidence evidence_;
  CudaComponentHeights heights_;
  std::vector<Graph> graphs_;  // by slot
};

}  // namespace datum::cuda
