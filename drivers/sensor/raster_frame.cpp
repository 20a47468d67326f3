#include "drivers/sensor/raster_frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include "drivers/frame/frame_error.h"
#include "drivers/sensor/frame_hash.h"
#include "drivers/sensor/pixel_pass.h"
#include "gpu/core/parallel_for.h"

namespace datum {
namespace {

[[noreturn]] void refuse_raster(const std::string& name, const std::string& what) {
  throw FrameError(fmt::format("{}: {}", name, what));
}

/// Samples' bytes; those that are their counts already become the frame's.
struct RasterBytes {
  StoredNumber as;
  ByteView bytes;
};

template <class Sample>
StoredNumber number_of() {
  using Kind = StoredNumber::Kind;
  return {std::is_floating_point_v<Sample> ? Kind::real
          : std::is_signed_v<Sample>       ? Kind::integer
                                           : Kind::natural,
          sizeof(Sample)};
}

/// Moves samples that keep their type into the frame.
RasterBytes take_samples(Samples& samples, HeightFrame& frame) {
  return std::visit(
      [&](auto& v) -> RasterBytes {
        using Sample = typename std::decay_t<decltype(v)>::value_type;
        const ByteView bytes(reinterpret_cast<const std::uint8_t*>(v.data()), v.size() * sizeof(Sample));
        if constexpr (std::is_same_v<Sample, std::uint16_t>)
          frame.counts = std::vector<std::int32_t>(v.size());
        else if constexpr (!std::is_same_v<Sample, std::uint8_t>)
          frame.counts = std::move(v);
        return {number_of<Sample>(), bytes};
      },
      samples);
}

void put_in_pieces(PixelPass& pass, const RasterBytes& raster, unsigned threads) {
  const std::size_t pieces = leaves_of(raster.bytes.size());
  parallel_for(threads, pieces, [&](std::size_t i, unsigned) {
    const std::size_t from = i * hash_leaf_bytes;
    pass.put(from / raster.as.bytes,
             raster.bytes.subspan(from, std::min(hash_leaf_bytes, raster.bytes.size() - from)));
  });
}

}  // namespace

HeightFrame frame_of_sidecar(const FrameSidecar& sidecar, int rows, int cols, const std::string& name) {
  HeightFrame frame;
  frame.rows = rows;
  frame.cols = cols;
  frame.x = sidecar.x;
  frame.y = sidecar.y;
  frame.z = sidecar.z;
  frame.delivered = sidecar.handedness;
  frame.sensor_serial = sidecar.sensor_serial;
  frame.frame_id = sidecar.frame_id;
  frame.unit_id = sidecar.unit_id;
  frame.panel = sidecar.panel;
  frame.job = sidecar.job_name;
  frame.job_hash = sidecar.job_hash;
  frame.captured = sidecar.captured;
  frame.source = name;
  return frame;
}

HeightFrame frame_from_raster(Raster&& heights, const FrameSidecar& sidecar, const std::string& name,
                              unsigned threads) {
  HeightFrame frame = frame_of_sidecar(sidecar, heights.rows, heights.cols, name);
  const RasterBytes raster = take_samples(heights.samples, frame);
  frame.classes.resize(raster.bytes.size() / raster.as.bytes);
  const auto pass = pixel_pass(frame, raster.as, false, {sidecar.invalid, nullptr, false}, name);
  put_in_pieces(*pass, raster, threads);
  pass->finish();
  return frame;
}

IntensityImage intensity_from_raster(Raster&& image, const std::string& name) {
  IntensityImage out{image.rows, image.cols, {}, 8};
  if (const auto* grey8 = std::get_if<std::vector<std::uint8_t>>(&image.samples)) {
    out.grey.assign(grey8->begin(), grey8->end());
  } else if (auto* grey16 = std::get_if<std::vector<std::uint16_t>>(&image.samples)) {
    out.grey = std::move(*grey16);
    out.bits = 16;
  } else {
    refuse_raster(name, "an intensity image has unsigned samples of 8 or 16 bits");
  }
  return out;
}

}  // namespace datum
