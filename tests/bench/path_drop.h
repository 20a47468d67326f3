// Frames of a board or a part in a drop folder: an uncompressed int16 TIFF and its sidecar, which is renamed last.
#pragma once

#include <filesystem>
#include <string>

#include "drivers/frame/height_frame.h"
#include "tests/bench/path_cell.h"

namespace datum::bench {

/// A folder for deliveries on a given file system, removed at the end.
class DropPlace {
 public:
  /// `frame`: int16 counts; its invalid pixels are delivered as -32768.
  DropPlace(const std::filesystem::path& parent, HeightFrame frame);
  ~DropPlace();
  DropPlace(const DropPlace&) = delete;
  DropPlace& operator=(const DropPlace&) = delete;

  std::filesystem::path drop() const { return path_ / "drop"; }
  /// The table of the configuration.
  std::string sensor() const;
  /// Writes frame `n`'s image into the drop folder, on the disk, and its sidecar beside the folder.
  void prepare(int n);
  /// Renames the sidecar of frame `n` into the folder.
  Clock::time_point deliver(int n) const;
  /// Removes the delivery of frame `n` from done/.
  void forget(int n) const;
  /// The last written image.
  std::filesystem::path image_of(int n) const { return drop() / (name_of(n) + ".tif"); }

 private:
  static std::string name_of(int n);
  std::string sidecar_of(int n) const;

  std::filesystem::path path_;
  AxisScale x_, y_, z_;
  std::string image_;  // a TIFF's bytes
};

}  // namespace datum::bench
