#include "drivers/sensor/stored_image.h"

namespace datum {

void StoredImage::add(const Run& run) {
  if (!runs.empty() && runs.back().end(as.bytes) == run.at &&
      runs.back().first + runs.back().samples == run.first) {
    runs.back().samples += run.samples;
  } else {
    runs.push_back(run);
  }
}

bool StoredImage::is_in_order() const {
  std::uint64_t end = 0;
  for (const Run& run : runs) {
    if (run.at < end || run.at % as.bytes != 0) return false;
    end = run.end(as.bytes);
  }
  return true;
}

}  // namespace datum
