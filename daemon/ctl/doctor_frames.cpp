// The doctor's look into the drop folder: images that no sidecar announces are never measured.
#include <fmt/format.h>
#include <sys/stat.h>

#include "daemon/ctl/doctor_cell.h"
#include "drivers/sensor/drop_folder.h"
#include "drivers/sensor/file_drop.h"

namespace datum::doctor {

std::vector<Finding> examine_drop(const std::filesystem::path& folder, std::int64_t now_utc_s) {
  constexpr std::size_t most_examined = 10'000;
  const std::int64_t old_s = FileDropSettings{}.lone_image_ms / 1000;
  std::error_code ignored;
  if (folder.empty() || !std::filesystem::is_directory(folder, ignored)) return {};
  const DropFolder drop(folder);
  std::vector<std::string> lone;
  try {
    for (const std::string& image : drop.images(most_examined)) {
      struct stat info {};
      const bool is_old =
          ::lstat((folder / image).c_str(), &info) == 0 && now_utc_s - info.st_ctim.tv_sec >= old_s;
      if (is_old && !drop.is_announced(image)) lone.push_back(image);
    }
  } catch (const std::runtime_error&) {  // a folder that can't be listed is a finding of its own
    return {};
  }
  if (lone.empty()) return {};
  return {{"frames", lone_images_text(lone, folder.string()), State::doubtful,
           fmt::format("datumctl frame describe {}", (folder / lone.front()).string())}};
}

}  // namespace datum::doctor
