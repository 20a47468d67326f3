// One data set: the messages of one exposure, between two "last" marks.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "drivers/frame/height_frame.h"
#include "drivers/gocator/data_messages.h"

namespace datum::gocator {

/// Work on a surface's heights while they arrive. Its end ends every access to them.
class SurfaceWork {
 public:
  virtual ~SurfaceWork() = default;
  /// Number of their bytes that are there.
  virtual void arrived(std::size_t bytes) = 0;
};

struct DataSet {
  std::vector<std::uint8_t> stamp_message;  // as sent
  std::optional<Stamp> stamp;

  std::vector<std::uint8_t> surface_head;  // as sent, up to the payload
  std::optional<Grid> surface;
  std::vector<std::int16_t> heights;  // rows x cols, -32768 where not measured

  std::vector<std::uint8_t> intensity_head;
  std::optional<Grid> intensity;
  // rows x cols bytes as sent, in the upper half of the buffer; expanded to 16 bits in place.
  std::vector<std::uint16_t> grey;

  std::vector<Measurement> measurements;
  /// Why a valid data set is no frame (a point cloud, two surfaces); empty: it is one.
  std::string refusal;
  /// On `heights`; null: none. Last, since it ends before their memory.
  std::unique_ptr<SurfaceWork> work{};

  bool empty() const { return !stamp && !surface && measurements.empty() && refusal.empty(); }
  ByteView grey_bytes() const;
  /// The frame's source bytes as sent: their SHA-256 is the frame's identity, and they form a .gdp file.
  std::array<ByteView, 5> content() const;
};

/// Heights and grey values with the axes in mm; neither mirrored nor checked. The caller sets identity, job
/// and handedness. Throws FrameError: the set's refusal, no stamp, no surface, an intensity of another size.
HeightFrame frame_of(DataSet&& set, const std::string& source);
/// The same without counts and classes; the set keeps its heights.
HeightFrame frame_without_heights(DataSet& set, const std::string& source);
/// Of a surface's counts, in mm.
AxisScale height_axis(const Grid& surface);

/// The data set of a .gdp file, which holds the bytes of the data channel. The file's end ends the set.
/// Throws ProtocolError.
DataSet data_set_of_file(ByteView bytes);

}  // namespace datum::gocator
