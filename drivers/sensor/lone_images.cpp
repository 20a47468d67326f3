#include "drivers/sensor/lone_images.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

namespace datum {

std::vector<std::string> LoneImages::look(const std::vector<std::string>& images,
                                          const std::function<bool(const std::string& image)>& is_announced,
                                          MonotonicNs now) {
  std::vector<std::string> lone;
  std::map<std::string, Seen> still;
  for (const std::string& image : images) {
    const auto before = seen_.find(image);
    Seen seen = before == seen_.end() ? Seen{now} : before->second;
    if (!seen.reported && now - seen.first_ns >= after_ns_) {
      seen.reported = !is_announced(image);
      if (seen.reported)
        lone.push_back(image);
      else
        seen.first_ns = now;  // its sidecar may be taken away
    }
    still.emplace(image, seen);
  }
  seen_ = std::move(still);
  return lone;
}

std::string lone_images_text(const std::vector<std::string>& images, const std::string& folder) {
  constexpr std::size_t most_named = 3;
  std::string names;
  for (std::size_t i = 0; i < images.size() && i < most_named; ++i) names += (i ? ", " : "") + images[i];
  if (images.size() > most_named) names += fmt::format(" and {} more", images.size() - most_named);
  return fmt::format(
      "{}: {} {} not measured: no sidecar names {}; write {} last (man datumd-frames), and ask: datumctl "
      "frame describe {}",
      folder, names, images.size() == 1 ? "is" : "are", images.size() == 1 ? "it" : "them",
      std::filesystem::path(images.front()).stem().string() + ".json",
      (std::filesystem::path(folder) / images.front()).string());
}

}  // namespace datum
