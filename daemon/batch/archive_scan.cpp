#include "daemon/batch/archive_scan.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include "drivers/sensor/drop_folder.h"
#include "drivers/sensor/read_frame.h"

namespace datum {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t ns_per_s = 1'000'000'000;

struct Read {
  std::optional<ArchivedFrame> frame;
  std::string why;  // none
};

Read read_one(const fs::path& folder, const fs::path& file, const SensorProfile& sensor) {
  try {
    const HeightFrame frame = read_frame(folder / file, sensor);
    ArchivedFrame found{file.string(), frame.frame_id, frame.content_sha256, frame.unit_id, {}};
    if (frame.captured.clock == ClockDomain::utc) found.utc_s = frame.captured.ns / ns_per_s;
    return {found, ""};
  } catch (const std::exception& error) {
    return {std::nullopt, error.what()};
  }
}

}  // namespace

std::vector<ArchivedFrame> scan_archive(const fs::path& folder, const SensorProfile& sensor, unsigned threads,
                                        std::vector<Unmeasurable>& unmeasurable) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const fs::path file = entry.path().lexically_relative(folder);
    if (!DropFolder::is_trigger(file.filename().string())) continue;
    if (entry.is_symlink())
      unmeasurable.push_back({file.string(), "is a symbolic link, which is not followed"});
    else if (entry.is_regular_file())
      files.push_back(file);
  }
  std::sort(files.begin(), files.end());
  std::vector<Read> read(files.size());
  std::atomic<std::size_t> next{0};
  std::vector<std::thread> readers;
  for (unsigned i = 0; i < std::max(threads, 1U); ++i)
    readers.emplace_back([&] {
      for (std::size_t at = next++; at < files.size(); at = next++)
        read[at] = read_one(folder, files[at], sensor);
    });
  for (std::thread& reader : readers) reader.join();
  std::vector<ArchivedFrame> frames;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (read[i].frame)
      frames.push_back(*std::move(read[i].frame));
    else
      unmeasurable.push_back({files[i].string(), read[i].why});
  }
  return frames;
}

}  // namespace datum
