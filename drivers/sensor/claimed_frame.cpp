#include "drivers/sensor/claimed_frame.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <utility>

#include "drivers/frame/frame_error.h"
#include "drivers/sensor/descriptor.h"
#include "drivers/sensor/read_frame.h"

namespace datum {
namespace {

namespace fs = std::filesystem;

constexpr int most_ends = 2;

/// Files moved here belong to this process alone, so the check remains valid while they are read: no symbolic
/// link leads out of the folder.
void check_files(const ClaimedFrame& claim) {
  for (const auto& file : fs::directory_iterator(claim.entry.parent_path()))
    if (file.symlink_status().type() != fs::file_type::regular)
      throw FrameError(fmt::format("{}: {} is a link, a folder or a device; deliver files", claim.name(),
                                   file.path().filename().string()));
}

}  // namespace

std::optional<FileStamp> stamp_of(const fs::path& file) {
  struct stat info {};
  if (::lstat(file.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  return FileStamp{info.st_dev, info.st_ctim.tv_sec * std::int64_t{1'000'000'000} + info.st_ctim.tv_nsec};
}

bool is_later(const FileStamp& a, const FileStamp& b) {
  return a.device == b.device && a.changed_ns > b.changed_ns;
}

DeliveryTry::DeliveryTry(const ClaimedFrame& claim, const char* doing) {
  if (claim.received) return;
  const fs::path file = claim.entry.parent_path() / fmt::format(".{}", doing);
  const Descriptor out(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0666));
  struct stat before {};
  if (out.get() < 0 || ::fstat(out.get(), &before) != 0) return;
  if (before.st_size >= most_ends)
    throw FrameError(
        fmt::format("{}: datumd ended {} times while it {} this; it is damaged or too large for its memory: "
                    "keep it for the "
                    "maintainers of datumd, and let the sensor expose again",
                    claim.name(), most_ends, doing));
  if (::write(out.get(), "x", 1) == 1) file_ = file;
}

DeliveryTry::~DeliveryTry() {
  if (!file_.empty()) ::unlink(file_.c_str());
}

DroppedFrame read_claim(const ClaimedFrame& claim, const SensorProfile& profile) {
  DroppedFrame dropped = read_claim_beside(claim, profile);
  if (dropped.sum) std::exchange(dropped.sum, nullptr)->check();
  return dropped;
}

DroppedFrame read_claim_beside(const ClaimedFrame& claim, const SensorProfile& profile) {
  if (!claim.received) check_files(claim);
  const DeliveryTry attempt(claim, "read");
  UncheckedFrame read = claim.received ? UncheckedFrame{claim.received->read(profile), nullptr}
                                       : read_frame_beside(claim.entry, profile);
  DroppedFrame dropped{std::move(read.frame), {}, std::move(read.sum)};
  HeightFrame& frame = dropped.frame;
  if (claim.exposed) frame.captured.host = claim.exposed;
  if (claim.clock) frame.captured.offset = claim.clock;
  dropped.identity = {frame.sensor_serial, frame.frame_id, frame.content_sha256};
  // An older version may have stored its result before it ended.
  if (claim.left_over && !claim.received)
    dropped.identity.plain_sha256 =
        read_frame(claim.entry, with_scheme(profile, HashScheme::sha256)).content_sha256;
  return dropped;
}

DroppedFrame load_frame(const ClaimedFrame& claim, const SensorProfile& profile) {
  if (!claim.doubt.empty()) throw FrameError(claim.name() + ": " + claim.doubt);
  DroppedFrame frame = read_claim(claim, profile);
  const std::string fault = claim.received ? claim.received->late_fault() : "";
  if (!fault.empty()) throw FrameError(claim.name() + ": " + fault);
  return frame;
}

}  // namespace datum
