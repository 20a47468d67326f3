// Frames between the two processes.
#pragma once

#include "daemon/parse/parse_output.h"
#include "drivers/sensor/raster.h"

namespace datum {

/// `raster` outlives the output.
void put_raster(ParseOutput& to, const Raster& raster);
/// Throws FlatError: no sides, more than `most_pixels`, samples of no kind, another number of them.
Raster take_raster(ParsedOutput& from, std::uint64_t most_pixels);

/// A frame of a CSV export: what such a file says. `frame` outlives the output.
void put_csv_frame(ParseOutput& to, const HeightFrame& frame);
/// Throws FlatError, as take_raster; what its values may be is check()'s to say.
HeightFrame take_csv_frame(ParsedOutput& from, std::uint64_t most_pixels);

void put_noise(FlatWriter& to, const NoiseProfile& noise);
NoiseProfile take_noise(FlatReader& from);

}  // namespace datum
