// Images in a drop folder that no sidecar announces: nobody would measure them, and nobody would say so.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "drivers/frame/probe_point.h"

namespace datum {

class LoneImages {
 public:
  /// An image is lone once it has lain there for `after_ns` without a sidecar.
  explicit LoneImages(MonotonicNs after_ns) : after_ns_(after_ns) {}

  /// Compares with what was there before: `images` are the names there now. Returns the names that became lone, each once for
  /// as long as it lies there. `is_announced` is asked only of those whose time is over.
  std::vector<std::string> look(const std::vector<std::string>& images,
                                const std::function<bool(const std::string& image)>& is_announced,
                                MonotonicNs now);

 private:
  struct Seen {
    MonotonicNs first_ns = 0;
    bool reported = false;
  };
  MonotonicNs after_ns_;
  std::map<std::string, Seen> seen_;
};

/// "a.tif, b.tif and 7 more lie in FOLDER ...", with what to do; `images` is not empty.
std::string lone_images_text(const std::vector<std::string>& images, const std::string& folder);

}  // namespace datum
