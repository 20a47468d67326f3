// An organised point cloud: reader and resampling to a grid.
#pragma once

#include "drivers/sensor/organised_cloud.h"
#include "tests/fuzz/frame_bytes.h"

namespace datum::fuzz {

inline void read_cloud(OrganisedCloud (*read)(ByteView, const std::string&, std::uint64_t),
                       std::string_view bytes) {
  FrameSidecar sidecar;
  sidecar.x = sidecar.y = {0.02, -0.5};
  sidecar.z = {1000, 0};
  expect_frame_or_refusal([&] {
    OrganisedCloud cloud = read(view(bytes), "a", most_frame_pixels);
    const std::size_t cells = static_cast<std::size_t>(cloud.rows) * static_cast<std::size_t>(cloud.cols);
    expect(cloud.x.size() == cells && cloud.y.size() == cells && cloud.z.size() == cells,
           "a point for each cell");
    raster_of_cloud(std::move(cloud), sidecar, any_profile(), "a");
  });
}

}  // namespace datum::fuzz
