#include "daemon/parse/flat_frames.h"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace datum {
namespace {

constexpr std::size_t most_name_bytes = 4096;

struct Sides {
  int rows = 0, cols = 0;
  std::uint64_t pixels() const { return static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(cols); }
};

void put_sides(FlatWriter& to, int rows, int cols) {
  to.put(static_cast<std::int32_t>(rows));
  to.put(static_cast<std::int32_t>(cols));
}

Sides take_sides(FlatReader& from, std::uint64_t most_pixels) {
  Sides s;
  s.rows = from.get<std::int32_t>();
  s.cols = from.get<std::int32_t>();
  if (s.rows <= 0 || s.cols <= 0 || s.pixels() > most_pixels)
    throw FlatError(std::to_string(s.rows) + " rows x " + std::to_string(s.cols) + " columns");
  return s;
}

/// One of the alternatives of `Values`, by its number.
template <class Values, std::size_t kind = 0>
Values take_values(const ParsedOutput& from, std::uint32_t wanted, std::uint64_t count) {
  if constexpr (kind == std::variant_size_v<Values>) {
    throw FlatError("samples of kind " + std::to_string(wanted));
  } else {
    if (wanted != kind) return take_values<Values, kind + 1>(from, wanted, count);
    using Element = typename std::variant_alternative_t<kind, Values>::value_type;
    return from.array<Element>(0, count);
  }
}

void put_axis(FlatWriter& to, const AxisScale& axis) {
  to.put(axis.scale_mm);
  to.put(axis.offset_mm);
}

AxisScale take_axis(FlatReader& from) {
  AxisScale axis;
  axis.scale_mm = from.get<double>();
  axis.offset_mm = from.get<double>();
  return axis;
}

std::vector<PixelClass> take_classes(const ParsedOutput& from, std::uint64_t count) {
  static_assert(sizeof(PixelClass) == 1);
  const auto known = [](PixelClass c) { return c == PixelClass::ok || c == PixelClass::no_data; };
  std::vector<PixelClass> classes = from.array<PixelClass>(1, count);
  if (!std::all_of(classes.begin(), classes.end(), known))
    throw FlatError("a pixel of a class that its format has not");
  return classes;
}

}  // namespace

void put_raster(ParseOutput& to, const Raster& raster) {
  put_sides(to.head, raster.rows, raster.cols);
  to.head.put(static_cast<std::uint32_t>(raster.samples.index()));
  std::visit([&](const auto& samples) { to.put_array(0, samples); }, raster.samples);
}

Raster take_raster(ParsedOutput& from, std::uint64_t most_pixels) {
  const Sides sides = take_sides(from.head, most_pixels);
  const auto kind = from.head.get<std::uint32_t>();
  from.head.finish();
  return {sides.rows, sides.cols, take_values<Samples>(from, kind, sides.pixels())};
}

void put_csv_frame(ParseOutput& to, const HeightFrame& frame) {
  put_sides(to.head, frame.rows, frame.cols);
  for (const AxisScale* axis : {&frame.x, &frame.y, &frame.z}) put_axis(to.head, *axis);
  to.head.put_text(frame.sensor_serial);
  to.head.put_text(frame.frame_id);
  to.head.put(frame.captured.ns);
  to.head.put(static_cast<std::uint32_t>(frame.counts.index()));
  std::visit([&](const auto& counts) { to.put_array(0, counts); }, frame.counts);
  to.put_array(1, frame.classes);
}

HeightFrame take_csv_frame(ParsedOutput& from, std::uint64_t most_pixels) {
  const Sides sides = take_sides(from.head, most_pixels);
  HeightFrame frame;
  frame.rows = sides.rows;
  frame.cols = sides.cols;
  for (AxisScale* axis : {&frame.x, &frame.y, &frame.z}) *axis = take_axis(from.head);
  frame.sensor_serial = from.head.get_text(most_name_bytes);
  frame.frame_id = from.head.get_text(most_name_bytes);
  frame.captured = {from.head.get<std::int64_t>(), ClockDomain::sensor};
  const auto kind = from.head.get<std::uint32_t>();
  from.head.finish();
  frame.counts = take_values<Counts>(from, kind, sides.pixels());
  frame.classes = take_classes(from, sides.pixels());
  return frame;
}

void put_noise(FlatWriter& to, const NoiseProfile& noise) {
  to.put(static_cast<std::uint32_t>(noise.z_mm.size()));
  for (const auto* values : {&noise.z_mm, &noise.sigma_um})
    for (const double value : *values) to.put(value);
}

NoiseProfile take_noise(FlatReader& from) {
  NoiseProfile noise;
  const auto size = from.get<std::uint32_t>();
  for (auto* values : {&noise.z_mm, &noise.sigma_um})
    for (std::uint32_t i = 0; i < size; ++i) values->push_back(from.get<double>());
  return noise;
}

}  // namespace datum
