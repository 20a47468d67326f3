#include "daemon/gpu_worker/gpu_wire.h"

#include <sys/socket.h>

#include <cerrno>

namespace datum {
namespace {

constexpr std::uint32_t wire_magic = 0x55504744, wire_version = 8;
constexpr std::uint64_t page = 65536;

}  // namespace

WireIdentity wire_identity() {
  WireIdentity id;
  id.magic = wire_magic;
  id.version = wire_version;
  id.board_plan = sizeof(BoardPlan);
  id.site_plan = sizeof(SitePlan);
  id.pixel_run = sizeof(PixelRun);
  id.site_record = sizeof(SiteRecord);
  put_text(id.code, DATUM_CODE);
  return id;
}

std::string difference(const WireIdentity& other) {
  const WireIdentity own = wire_identity();
  if (other.magic != own.magic) return "it does not speak like a GPU worker";
  if (other.version != own.version)
    return "it speaks version " + std::to_string(other.version) + ", this program " +
           std::to_string(own.version);
  if (get_text(other.code) != get_text(own.code))
    return "it is of code " + get_text(other.code) + ", this program of " + get_text(own.code);
  if (other.board_plan != own.board_plan || other.site_plan != own.site_plan ||
      other.pixel_run != own.pixel_run || other.site_record != own.site_record)
    return "its plans or records are of another size";
  return "";
}

SharedLayout layout_of(std::uint32_t site_capacity, std::uint32_t run_capacity, std::uint64_t frame_bytes,
                       std::uint32_t slot_count) {
  SharedLayout l;
  l.site_capacity = site_capacity;
  l.run_capacity = run_capacity;
  l.slot_count = slot_count;
  l.slot_bytes = round_up(frame_bytes, page);
  l.progress = round_up(sizeof(Mailbox), 64);
  l.sites = round_up(l.progress + std::uint64_t{slot_count} * sizeof(SlotProgress), 64);
  l.runs = round_up(l.sites + std::uint64_t{site_capacity} * sizeof(SitePlan), 64);
  l.sides = round_up(l.runs + std::uint64_t{run_capacity} * sizeof(PixelRun), 64);
  l.records = round_up(l.sides + run_capacity, 64);
  l.early_records = round_up(l.records + std::uint64_t{site_capacity} * sizeof(SiteRecord), 64);
  l.slots = round_up(l.early_records + std::uint64_t{slot_count} * site_capacity * sizeof(SiteRecord), page);
  l.total = l.slots + l.slot_bytes * slot_count;
  return l;
}

std::int32_t slot_pitch(std::int32_t cols) { return (cols + 7) / 8 * 8; }

std::size_t size_of(CountType type) { return type == CountType::int16 ? 2 : 4; }

std::uint64_t slot_frame_bytes(const BoardPlan& plan) {
  return static_cast<std::uint64_t>(plan.rows) * static_cast<std::uint64_t>(slot_pitch(plan.cols)) *
         size_of(plan.type);
}

bool ring(int socket, std::atomic<std::uint32_t>& sleeps) {
  if (sleeps.exchange(0) == 0) return true;
  const char bell = 1;
  for (;;) {
    if (::send(socket, &bell, 1, MSG_NOSIGNAL | MSG_DONTWAIT) == 1) return true;
    if (errno == EINTR) continue;
    return errno == EAGAIN;  // earlier wake-up packets are still unread
  }
}

}  // namespace datum
