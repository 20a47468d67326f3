// Protocol between datumd and datumd-gpu, over a SOCK_SEQPACKET socket and a shared memory.
//
//   worker -> daemon   Greeting                                    once, at its start
//   daemon -> worker   PrepareOrder, with the memory's descriptor where it is new
//   worker -> daemon   WireReply
//   daemon -> worker   SlotProgress::word     a frame begins in a slot, or bands of it are there; no answer
//   daemon -> worker   Mailbox::order = n     measure the slot that it names
//   worker -> daemon   SlotProgress::measured     records of bands of it are there; no answer
//   worker -> daemon   Mailbox::answer = n    the records are written, or a text gives the fault
//
// One order at a time, beside which frames arrive in other slots. A packet of one byte wakes a sleeping peer, which then reads the mailbox and the slots' words.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "daemon/system/child_process.h"
#include "daemon/system/packets.h"
#include "gpu/board/site_record.h"
#include "gpu/core/board_plan.h"

namespace datum {

/// Descriptor of the worker's end of the socket.
constexpr int gpu_worker_fd = child_socket_fd;

/// Properties that both programs must share: other code could give other bytes.
struct WireIdentity {
  std::uint32_t magic = 0, version = 0;
  std::uint32_t board_plan = 0, site_plan = 0, pixel_run = 0, site_record = 0;  // sizes in bytes
  char code[64] = {};                                                           // version and commit
};
/// The identity of this program.
WireIdentity wire_identity();
/// "" for the same code, else the difference.
std::string difference(const WireIdentity& other);

struct Greeting {
  WireIdentity identity;
  std::uint8_t usable = 0;
  char device[128] = {};  // "NVIDIA H200 sm_90"
  char why[512] = {};     // CudaDevice::why
};

/// The first multiple of `to` that is not below `bytes`.
constexpr std::uint64_t round_up(std::uint64_t bytes, std::uint64_t to) { return (bytes + to - 1) / to * to; }

/// Where things lie in the shared memory: offsets in bytes from its beginning, where the mailbox is.
struct SharedLayout {
  std::uint64_t progress = 0, sites = 0, runs = 0, sides = 0, records = 0, early_records = 0, slots = 0;
  std::uint64_t slot_bytes = 0, total = 0;
  std::uint32_t site_capacity = 0, run_capacity = 0, slot_count = 0, reserved = 0;
  bool operator==(const SharedLayout&) const = default;
};
/// Slots are aligned to 64 KiB, a multiple of every usual page size.
SharedLayout layout_of(std::uint32_t site_capacity, std::uint32_t run_capacity, std::uint64_t frame_bytes,
                       std::uint32_t slot_count);
/// Row pitch in counts of a frame in a slot; rows are aligned to 16 bytes.
std::int32_t slot_pitch(std::int32_t cols);
std::size_t size_of(CountType type);
/// Bytes of a frame of this plan in a slot.
std::uint64_t slot_frame_bytes(const BoardPlan& plan);

struct PrepareOrder {
  std::uint32_t number = 0;
  std::uint32_t new_memory = 0;  // 1: the memory's descriptor comes with this packet
  SharedLayout layout;
  BoardPlan plan;  // its pointers are invalid; the arrays are in the shared memory
};

enum class WireStatus : std::uint32_t { none, done, failed };

/// What every answer to an order begins with.
struct WireReply {
  std::uint32_t number = 0;  // of the order
  WireStatus status = WireStatus::none;
  char text[512] = {};  // failed: why; done, of a plan: SlotMeasurer::describe()

  void fail(const char* why) {
    status = WireStatus::failed;
    put_text(text, why);
  }
};

struct Mailbox {
  // written by the daemon
  alignas(64) std::atomic<std::uint32_t> order;
  std::int32_t slot;
  std::int32_t timeout_ms;
  std::uint32_t frame;                 // SlotFrame::number
  std::atomic<std::uint32_t> awaited;  // counts the orders that are near: the worker polls for each
  alignas(64) std::atomic<std::uint32_t> daemon_sleeps;  // 1: wake it after an answer
  // written by the worker
  alignas(64) std::atomic<std::uint32_t> answer;
  WireStatus status;
  char text[512];                                        // the fault
  alignas(64) std::atomic<std::uint32_t> worker_sleeps;  // 1: wake it after an order
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

/// What lies in a slot, written by the daemon: the number of a frame, and which of its bands are there
/// (gpu/board/frame_bands.h).
struct SlotProgress {
  alignas(64) std::atomic<std::uint64_t> word;
  // Written by the worker: the same of the bands whose records are there.
  alignas(64) std::atomic<std::uint64_t> measured;
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
constexpr std::uint64_t progress_word(std::uint32_t frame, std::uint32_t bands) {
  return std::uint64_t{frame} << 32 | bands;
}
constexpr std::uint32_t frame_of(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); }
constexpr std::uint32_t bands_of(std::uint64_t word) { return static_cast<std::uint32_t>(word); }

/// Wakes a sleeping peer, once per sleep. False: the peer is gone.
bool ring(int socket, std::atomic<std::uint32_t>& sleeps);
/// One iteration of a spin loop.
inline void spin_pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace datum
