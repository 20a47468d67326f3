#include "drivers/genicam/payload.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "drivers/genicam/payload_error.h"
#include "drivers/genicam/planes.h"

namespace datum::genicam {
namespace {

/// In steps: a point farther from its grid place is nearer to a neighbour's, or half-way there with the
/// neighbour's own deviation.
inline constexpr double most_deviation_steps = 0.25;

template <class Visit>
void each_ok(const Planes& planes, const std::vector<PixelClass>& classes, Visit visit) {
  for (std::size_t row = 0; row < planes.rows; ++row)
    for (std::size_t col = 0; col < planes.cols; ++col)
      if (classes[row * planes.cols + col] == PixelClass::ok) visit(row, col);
}

/// The axis along the columns (axis 0, A) or the rows (axis 1, B), fitted by least squares to the `ok`
/// pixels, in mm. Throws PayloadError (irregular_grid): fewer than two columns or rows with data, or a point
/// with a larger deviation.
AxisScale grid_axis(const Plane& plane, const Scan3d& scan3d, std::size_t axis, const Planes& planes,
                    const std::vector<PixelClass>& classes) {
  const AxisScale mm = axis_mm(scan3d, axis);
  const auto index = [&](std::size_t row, std::size_t col) {
    return static_cast<double>(axis == 0 ? col : row);
  };
  double n = 0, mean_i = 0, mean_v = 0;
  each_ok(planes, classes, [&](std::size_t row, std::size_t col) {
    n += 1;
    mean_i += (index(row, col) - mean_i) / n;
    mean_v += (mm.at(plane.number(row, col)) - mean_v) / n;
  });
  double ii = 0, iv = 0;  // about the means: coordinates may be far from 0
  each_ok(planes, classes, [&](std::size_t row, std::size_t col) {
    const double i = index(row, col) - mean_i;
    ii += i * i;
    iv += i * (mm.at(plane.number(row, col)) - mean_v);
  });
  const char* along = axis == 0 ? "columns" : "rows";
  const double step = iv / ii;
  if (!(ii > 0) || !std::isfinite(step) || step == 0)
    throw PayloadError(Fault::irregular_grid,
                       fmt::format("coordinate {} says nothing of the {}' distance", "AB"[axis], along));
  const AxisScale fit{step, mean_v - step * mean_i};
  each_ok(planes, classes, [&](std::size_t row, std::size_t col) {
    const double off = mm.at(plane.number(row, col)) - fit.at(index(row, col));
    if (std::abs(off) <= most_deviation_steps * std::abs(step)) return;
    throw PayloadError(
        Fault::irregular_grid,
        fmt::format("the points are no regular grid: row {}, column {} lies {:.3g} mm off its place among {} "
                    "{:.3g} mm apart; have the camera rectify its output (RectifiedC)",
                    row, col, off, along, std::abs(step)));
  });
  return fit;
}

/// A mark outside the sample type would hide every invalid pixel.
template <class T>
std::optional<T> mark_of(const Coordinate& c, char letter) {
  if (!c.invalid || std::isnan(*c.invalid)) return std::nullopt;
  const double least = static_cast<double>(std::numeric_limits<T>::lowest()),
               most = static_cast<double>(std::numeric_limits<T>::max());
  const bool whole = std::is_floating_point_v<T> || *c.invalid == std::floor(*c.invalid);
  if (*c.invalid >= least && *c.invalid <= most && whole) return static_cast<T>(*c.invalid);
  throw PayloadError(Fault::scan3d, fmt::format("coordinate {}: no count can be Scan3dInvalidDataValue {}",
                                                letter, *c.invalid));
}

/// Marked pixels and NaN become no_data, in counts.
template <class T>
void class_plane(const Plane& plane, const Coordinate& coordinate, char letter, const Planes& planes,
                 std::vector<PixelClass>& classes) {
  const std::optional<T> mark = mark_of<T>(coordinate, letter);
  const bool marked = mark.has_value();
  const T nothing = mark.value_or(T{});
  for (std::size_t row = 0; row < planes.rows; ++row) {
    PixelClass* const line = classes.data() + row * planes.cols;
    bool infinite = false;
    plane.each_of_line<T>(row, planes.cols, [&](std::size_t col, T v) {
      bool none = marked & (v == nothing);
      if constexpr (std::is_floating_point_v<T>) {
        none = none | (v != v);
        infinite = infinite | (!none & (std::fabs(v) > std::numeric_limits<T>::max()));
      }
      line[col] = none ? PixelClass::no_data : line[col];
    });
    if (!infinite) continue;
    plane.each_of_line<T>(row, planes.cols, [&](std::size_t col, T v) {
      if (std::isinf(static_cast<double>(v)) && !(marked && v == nothing))
        throw PayloadError(Fault::scan3d,
                           fmt::format("coordinate {} is infinite at row {}, column {}", letter, row, col));
    });
  }
}

void class_axis(const Planes& planes, std::size_t axis, const Scan3d& scan3d,
                std::vector<PixelClass>& classes) {
  const Plane& plane = *planes.axes[axis];
  const char letter = "ABC"[axis];
  if (plane.sample == Sample::u16)
    class_plane<std::uint16_t>(plane, scan3d.axes[axis], letter, planes, classes);
  else
    class_plane<float>(plane, scan3d.axes[axis], letter, planes, classes);
}

void class_confidence(const Planes& planes, std::vector<PixelClass>& classes) {
  if (!planes.confidence) return;
  std::size_t i = 0;
  for (std::size_t row = 0; row < planes.rows; ++row)
    for (std::size_t col = 0; col < planes.cols; ++col, ++i)
      if (classes[i] == PixelClass::ok && !(planes.confidence->number(row, col) > 0))
        classes[i] = PixelClass::low_modulation;
}

template <class T, class Count>
std::vector<Count> counts_of(const Plane& plane, const Planes& planes) {
  std::vector<Count> counts(std::size_t{planes.rows} * planes.cols);
  for (std::size_t row = 0; row < planes.rows; ++row) {
    Count* const line = counts.data() + row * planes.cols;
    plane.each_of_line<T>(row, planes.cols, [&](std::size_t col, T v) { line[col] = static_cast<Count>(v); });
  }
  return counts;
}

IntensityImage grey_of(const Plane& plane, const Planes& planes) {
  IntensityImage image{static_cast<int>(planes.rows), static_cast<int>(planes.cols), {}, 8};
  image.bits = plane.sample == Sample::u8 ? 8 : 16;
  image.grey = plane.sample == Sample::u8 ? counts_of<std::uint8_t, std::uint16_t>(plane, planes)
                                          : counts_of<std::uint16_t, std::uint16_t>(plane, planes);
  return image;
}

template <class Values>
void reverse_rows(Values& values, int cols) {
  for (auto row = values.begin(); row != values.end(); row += cols) std::reverse(row, row + cols);
}
template <class Values>
void reverse_columns(Values& values, int cols) {
  std::reverse(values.begin(), values.end());
  reverse_rows(values, cols);
}

AxisScale upwards(const AxisScale& axis, int count) { return {-axis.scale_mm, axis.at(count - 1)}; }

/// Reverses a coordinate that decreases with its index: the points are unchanged.
void turn_upwards(HeightFrame& frame) {
  const auto apply = [&](auto act) {
    std::visit([&](auto& v) { act(v, frame.cols); }, frame.counts);
    act(frame.classes, frame.cols);
    if (frame.intensity) act(frame.intensity->grey, frame.cols);
  };
  if (frame.x.scale_mm < 0) {
    frame.x = upwards(frame.x, frame.cols);
    apply([](auto& v, int cols) { reverse_rows(v, cols); });
  }
  if (frame.y.scale_mm < 0) {
    frame.y = upwards(frame.y, frame.rows);
    apply([](auto& v, int cols) { reverse_columns(v, cols); });
  }
}

HeightFrame frame_of(const Planes& planes, const Scan3d& scan3d) {
  HeightFrame frame;
  frame.rows = static_cast<int>(planes.rows);
  frame.cols = static_cast<int>(planes.cols);
  const bool by_index = places_by_index(scan3d);
  if (!by_index && !(planes.axes[0] && planes.axes[1]))
    throw PayloadError(Fault::pixel_format,
                       fmt::format("Scan3dOutputMode is {} and the pixels have no x and y; set PixelFormat "
                                   "to Coord3D_ABC32f",
                                   scan3d.output_mode));
  frame.classes.assign(frame.size(), PixelClass::ok);
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (planes.axes[axis]) class_axis(planes, axis, scan3d, frame.classes);
  class_confidence(planes, frame.classes);
  const auto place = [&](std::size_t axis) {
    return planes.axes[axis] ? grid_axis(*planes.axes[axis], scan3d, axis, planes, frame.classes)
                             : axis_mm(scan3d, axis);
  };
  frame.x = place(0);
  frame.y = place(1);
  frame.z = axis_mm(scan3d, 2);
  const Plane& c = *planes.axes[2];
  if (c.sample == Sample::u16)
    frame.counts = counts_of<std::uint16_t, std::int32_t>(c, planes);
  else
    frame.counts = counts_of<float, float>(c, planes);
  if (planes.grey) frame.intensity = grey_of(*planes.grey, planes);
  turn_upwards(frame);
  return frame;
}

}  // namespace

namespace {

void check_payload(const Payload& payload) {
  if (!payload.incomplete.empty()) throw PayloadError(Fault::incomplete, payload.incomplete);
  if (payload.timestamp_ns > static_cast<std::uint64_t>(INT64_MAX))
    throw PayloadError(Fault::size_mismatch, "its time is beyond every clock");
}

void describe(HeightFrame& frame, const Payload& payload, const std::string& source) {
  frame.frame_id = fmt::format("{}@{}", payload.block_id, payload.timestamp_ns);
  frame.captured.clock = ClockDomain::sensor;
  frame.captured.ns = static_cast<std::int64_t>(payload.timestamp_ns);
  frame.stamp = SensorStamp{payload.block_id, 0, 0, 0};
  frame.source = source;
}

}  // namespace

namespace {

/// With the size and axes of the frame. None: the general reader treats them otherwise, or refuses them.
std::optional<PlainHeights> plain_of(const Planes& planes, const Setup& setup, HeightFrame& frame) {
  const Plane& c = *planes.axes[2];
  const bool others = planes.axes[0] || planes.axes[1] || planes.confidence || planes.grey;
  const bool padded = c.pixel_bytes != bytes_of(c.sample) || c.line_bytes != planes.cols * c.pixel_bytes;
  if (others || padded || c.sample == Sample::u8 || !places_by_index(setup.scan3d)) return std::nullopt;
  PlainHeights plain;
  plain.floats = c.sample == Sample::f32;
  if (!plain.floats)
    plain.mark = mark_of<std::uint16_t>(setup.scan3d.axes[2], 'C');
  else if (mark_of<float>(setup.scan3d.axes[2], 'C'))
    return std::nullopt;
  frame.rows = static_cast<int>(planes.rows);
  frame.cols = static_cast<int>(planes.cols);
  frame.x = axis_mm(setup.scan3d, 0);
  frame.y = axis_mm(setup.scan3d, 1);
  frame.z = axis_mm(setup.scan3d, 2);
  if (!(frame.y.scale_mm > 0)) return std::nullopt;
  plain.reversed = frame.x.scale_mm < 0;
  if (plain.reversed) frame.x = upwards(frame.x, frame.cols);
  return plain;
}

}  // namespace

std::optional<PlainHeights> expected_heights(const Setup& setup, std::size_t payload_bytes,
                                             HeightFrame& frame) {
  constexpr std::int64_t most_side = std::int64_t{1} << 28;  // as of a HeightFrame's pixels
  Plane c;
  if (setup.pixel_format == "Coord3D_C32f")
    c.sample = Sample::f32;
  else if (setup.pixel_format != "Coord3D_C16")
    return std::nullopt;
  if (setup.width < 1 || setup.height < 1 || setup.width > most_side || setup.height > most_side)
    return std::nullopt;
  const auto width = static_cast<std::size_t>(setup.width), height = static_cast<std::size_t>(setup.height);
  c.pixel_bytes = bytes_of(c.sample);
  c.line_bytes = width * c.pixel_bytes;
  if (height > payload_bytes / c.line_bytes) return std::nullopt;
  Planes planes;
  planes.cols = static_cast<std::uint32_t>(width);
  planes.rows = static_cast<std::uint32_t>(height);
  planes.axes[2] = c;
  try {
    return plain_of(planes, setup, frame);
  } catch (const PayloadError&) {
    return std::nullopt;
  }
}

std::optional<PlainHeights> plain_heights(const Payload& payload, const Setup& setup,
                                          const std::string& source, HeightFrame& frame) {
  try {
    check_payload(payload);
    const Planes planes = planes_of(payload);
    std::optional<PlainHeights> plain = plain_of(planes, setup, frame);
    if (!plain) return std::nullopt;
    plain->begin = static_cast<std::size_t>(planes.axes[2]->bytes.data() - payload.bytes.data());
    describe(frame, payload, source);
    return plain;
  } catch (const PayloadError&) {
    return std::nullopt;
  }
}

HeightFrame frame_of(const Payload& payload, const Setup& setup, const std::string& source) {
  try {
    check_payload(payload);
    HeightFrame frame = frame_of(planes_of(payload), setup.scan3d);
    describe(frame, payload, source);
    return frame;
  } catch (const PayloadError& error) {
    throw PayloadError(error.fault(), source + ": " + error.what());
  }
}

}  // namespace datum::genicam
