// One pass over the file of an uncompressed image: each piece is read, hashed, converted and classed while it
// is in the cache, by several threads.
#pragma once

#include "drivers/frame/read_settings.h"
#include "drivers/sensor/delivered_file.h"
#include "drivers/sensor/frame_hash.h"
#include "drivers/sensor/pixel_pass.h"
#include "drivers/sensor/stored_image.h"

namespace datum {

struct PassedFile {
  HashedPart hash;
  Bytes bytes;  // the whole file, where they are to be kept
};

/// Reads each byte of `file` once, hashes it as one leaf's, and puts the samples of `image`, which is in order
/// (StoredImage::is_in_order). `described` recorded what the image's places were read from: the same bytes must
/// come again. Throws FrameError, also for bytes that changed meanwhile, and what `pixels` throws.
PassedFile pass_over(const DeliveredFile& file, const RecordedBytes& described, const StoredImage& image,
                     PixelPass& pixels, const ReadSettings& settings, bool keep_bytes);

/// Vectors for a frame of this size and stored number, of a former frame where settings.buffers has them. Whoever wants its
/// pixels early gets them from its PixelPass.
void make_room(HeightFrame& frame, const StoredNumber& as, const ReadSettings& settings,
               bool with_counts = true);

}  // namespace datum
