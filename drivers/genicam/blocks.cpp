#include "drivers/genicam/blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <tuple>

#include "drivers/genicam/features.h"
#include "drivers/link_error.h"

namespace datum::genicam {
namespace {

// One being received, one queued, one in use; one spare.
constexpr int lent = 4;
constexpr std::size_t most_times = 64;
// Of the transferred bytes: headers of packets are at most 20 in 1,400, and some packets wait for one that is late.
constexpr std::uint64_t header_share = 64, late_bytes = 64 << 10;

void forget(void* memory) { delete static_cast<std::vector<std::uint8_t>*>(memory); }

std::vector<std::uint8_t>& memory_of(ArvBuffer* buffer) {
  return *static_cast<std::vector<std::uint8_t>*>(const_cast<void*>(arv_buffer_get_user_data(buffer)));
}

const char* words_of(ArvBufferStatus status) {
  switch (status) {
    case ARV_BUFFER_STATUS_SUCCESS:
      return "";
    case ARV_BUFFER_STATUS_TIMEOUT:
      return "its last packets did not come in time";
    case ARV_BUFFER_STATUS_MISSING_PACKETS:
      return "packets of it are missing";
    case ARV_BUFFER_STATUS_WRONG_PACKET_ID:
      return "a packet of it has a wrong number";
    case ARV_BUFFER_STATUS_SIZE_MISMATCH:
      return "it is larger than the payload that the camera announced";
    case ARV_BUFFER_STATUS_ABORTED:
      return "its reception was aborted";
    default:
      return "it is in no known state";
  }
}

std::optional<guint> counter_named(ArvStream* stream, std::string_view name) {
  for (guint i = 0; i < arv_stream_get_n_infos(stream); ++i)
    if (arv_stream_get_info_name(stream, i) == name && arv_stream_get_info_type(stream, i) == G_TYPE_UINT64)
      return i;
  return std::nullopt;
}

/// Packets are lost by a busy host or on the network.
std::string incomplete_text(ArvBufferStatus status) {
  if (status == ARV_BUFFER_STATUS_SUCCESS) return "";
  return fmt::format("it is incomplete: {}; datumctl doctor looks for the cause", words_of(status));
}

std::uint32_t whole(gint value) { return value < 0 ? 0 : static_cast<std::uint32_t>(value); }

#if ARAVIS_CHECK_VERSION(0, 8, 25)
Part part_of(ArvBuffer* buffer, guint i) {
  Part part;
  part.pixel_format = arv_buffer_get_part_pixel_format(buffer, i);
  gint x = 0, y = 0, width = 0, height = 0, x_padding = 0, y_padding = 0;
  arv_buffer_get_part_region(buffer, i, &x, &y, &width, &height);
  arv_buffer_get_part_padding(buffer, i, &x_padding, &y_padding);
  part.width = whole(width);
  part.height = whole(height);
  part.x_offset = whole(x);
  part.y_offset = whole(y);
  part.x_padding = whole(x_padding);
  part.y_padding = whole(y_padding);
  const auto* data = static_cast<const std::uint8_t*>(arv_buffer_get_part_data(buffer, i, &part.size));
  const std::uint8_t* first = memory_of(buffer).data();
  if (data < first) part.size = 0;
  part.begin = data < first ? 0 : static_cast<std::size_t>(data - first);
  return part;
}
std::vector<Part> parts_of(ArvBuffer* buffer) {
  std::vector<Part> parts;
  for (guint i = 0; i < arv_buffer_get_n_parts(buffer); ++i) parts.push_back(part_of(buffer, i));
  return parts;
}
#else
// For payloads older than multipart.
std::vector<Part> parts_of(ArvBuffer* buffer) {
  const ArvBufferPayloadType type = arv_buffer_get_payload_type(buffer);
  if (type != ARV_BUFFER_PAYLOAD_TYPE_IMAGE && type != ARV_BUFFER_PAYLOAD_TYPE_EXTENDED_CHUNK_DATA) return {};
  Part part;
  part.pixel_format = arv_buffer_get_image_pixel_format(buffer);
  gint x = 0, y = 0, width = 0, height = 0;
  arv_buffer_get_image_region(buffer, &x, &y, &width, &height);
  part.width = whole(width);
  part.height = whole(height);
  part.x_offset = whole(x);
  part.y_offset = whole(y);
  arv_buffer_get_data(buffer, &part.size);
  return {part};
}
#endif

}  // namespace

Blocks::Blocks(ArvDevice* device, const BlockLimits& limits, const CameraTools& tools)
    : limits_(limits), tools_(tools) {
  const Access access(tools_, "the stream");
  Failure failure;
  stream_ = arv_device_create_stream(device, &Blocks::told, this, failure.place());
  failure.check("the stream");
  if (!stream_) throw LostError("the stream can't be made");
  g_object_set(stream_, "socket-buffer", ARV_GV_STREAM_SOCKET_BUFFER_FIXED, "socket-buffer-size",
               limits_.socket_buffer_bytes, "frame-retention", static_cast<guint>(limits_.retention_us),
               nullptr);
  transferred_info_ = counter_named(stream_, "n_transferred_bytes");
  for (int i = 0; i < lent; ++i) lend_memory();
}

Blocks::~Blocks() {
  works_.clear();  // before their memory
  g_object_unref(stream_);
}

void Blocks::lend_memory() {
  auto* memory = new std::vector<std::uint8_t>(tools_.memory(limits_.payload_bytes));
  lend(arv_buffer_new_full(memory->size(), memory->data(), memory, forget), memory);
}

void Blocks::lend(ArvBuffer* buffer, const Memory* memory) {
  {
    const std::lock_guard lock(mutex_);
    lent_.push_back({buffer, memory});
  }
  arv_stream_push_buffer(stream_, buffer);
}

std::uint64_t Blocks::transferred() const {
  return transferred_info_ ? arv_stream_get_info_uint64(stream_, *transferred_info_) : 0;
}

/// Under the mutex.
void Blocks::begins(MonotonicNs now) {
  Begun block{now, {}, transferred()};
  if (!lent_.empty()) {
    block.lent = lent_.front();
    lent_.pop_front();
  }
  if (begun_.size() < most_times) begun_.push_back(block);
}

/// Called on the stream's own thread.
void Blocks::told(void* self, ArvStreamCallbackType type, ArvBuffer* buffer) {
  auto& blocks = *static_cast<Blocks*>(self);
  const MonotonicNs now = blocks.tools_.clock();
  {
    const std::lock_guard lock(blocks.mutex_);
    if (type == ARV_STREAM_CALLBACK_TYPE_START_BUFFER) blocks.begins(now);
    if (type == ARV_STREAM_CALLBACK_TYPE_BUFFER_DONE) {
      MonotonicNs first = now;
      if (!blocks.begun_.empty()) {
        first = blocks.begun_.front().first_packet_ns;
        if (blocks.begun_.front().lent.buffer != buffer) blocks.is_order_known_ = false;
        blocks.begun_.pop_front();
      }
      // Aravis queues a buffer before it calls back: next() may have it already.
      if (blocks.taken_before_.erase(buffer) == 0) blocks.ended_[buffer] = {first, now};
    }
  }
  blocks.tools_.wake();
}

bool Blocks::receiving() {
  const std::lock_guard lock(mutex_);
  return !begun_.empty();
}

void Blocks::follow(const BlockBegins& begins, const Setup& setup) {
  Begun block;
  {
    const std::lock_guard lock(mutex_);
    if (begun_.empty() || !is_order_known_ || !transferred_info_) return;
    block = begun_.front();
  }
  if (!block.lent.memory) return;
  const Memory& memory = *block.lent.memory;  // next() takes it, on this thread
  const auto [work, is_new] = works_.try_emplace(&memory);
  if (is_new) work->second = begins(setup, memory);
  const std::uint64_t came = transferred() - block.transferred_then,
                      headers = came / header_share + late_bytes;
  if (work->second && came > headers)
    work->second->arrived(std::min<std::uint64_t>(came - headers, memory.size()));
}

std::optional<Delivery> Blocks::next() {
  ArvBuffer* buffer = arv_stream_try_pop_buffer(stream_);
  if (!buffer) return std::nullopt;
  Delivery delivery;
  delivery.arrived_ns = delivery.first_packet_ns = tools_.clock();
  {
    const std::lock_guard lock(mutex_);
    for (Begun& block : begun_)
      if (block.lent.buffer == buffer) block.lent.memory = nullptr;  // its callback is still to come
    if (const auto times = ended_.find(buffer); times != ended_.end()) {
      std::tie(delivery.first_packet_ns, delivery.arrived_ns) = times->second;
      ended_.erase(times);
    } else {
      taken_before_.insert(buffer);
    }
  }
  Payload& payload = delivery.payload;
  payload.block_id = arv_buffer_get_frame_id(buffer);
  payload.timestamp_ns = arv_buffer_get_timestamp(buffer);
  payload.incomplete = incomplete_text(arv_buffer_get_status(buffer));
  if (auto work = works_.extract(&memory_of(buffer))) delivery.work = std::move(work.mapped());
  if (!payload.incomplete.empty()) {
    delivery.work.reset();
    lend(buffer, &memory_of(buffer));
    return delivery;
  }
  payload.parts = parts_of(buffer);
  payload.bytes = std::move(memory_of(buffer));
  g_object_unref(buffer);
  lend_memory();
  return delivery;
}

}  // namespace datum::genicam
