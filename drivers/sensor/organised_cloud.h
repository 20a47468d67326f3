// An organised point cloud: one point per cell of a grid whose regularity is not yet checked.
#pragma once

#include "drivers/frame/sensor_profile.h"
#include "drivers/sensor/raster.h"
#include "drivers/sensor/sidecar.h"

namespace datum {

struct OrganisedCloud {
  int rows = 0, cols = 0;
  /// Row-major, rows*cols, in the file's own unit; NaN in all three: no point.
  std::vector<float> x, y, z;
  bool printed = false;  // decimal text of at least six digits
};

/// PCD 0.7 (Point Cloud Library): ascii, binary or binary_compressed; fields x, y, z of 4- or 8-byte floats,
/// others are skipped. Throws FrameError naming `name`: HEIGHT 1 (not organised), a viewpoint other than the
/// origin, a size that does not match, damaged compression, more than `most_pixels`.
OrganisedCloud read_pcd(ByteView file, const std::string& name,
                        std::uint64_t most_pixels = most_frame_pixels);

/// PLY 1.0 (Stanford): ascii or binary of either byte order; the element vertex is first. The grid comes from
/// the properties row and col (or column), or from comment or obj_info lines "rows N" and "cols N" (num_rows,
/// num_cols) with as many vertices in row order. Throws FrameError naming `name`: no grid, a repeated cell,
/// list properties of a vertex, a size that does not match, more than `most_pixels`.
OrganisedCloud read_ply(ByteView file, const std::string& name,
                        std::uint64_t most_pixels = most_frame_pixels);

/// Heights of a cloud whose x and y match the sidecar's columns and rows. One unit of the cloud is |z.scale|
/// mm in all axes. A point may differ from its node by the standard deviation of a pixel's height in
/// `profile` at its height (on a slope of 45 degrees an equal height error), and by the rounding of the
/// stored numbers. Throws FrameError that names the first point beyond it.
Raster raster_of_cloud(OrganisedCloud&& cloud, const FrameSidecar& sidecar, const SensorProfile& profile,
                       const std::string& name);

}  // namespace datum
