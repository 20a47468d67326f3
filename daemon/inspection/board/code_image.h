// The picture of a recipe's code region, from a frame's intensity image.
#pragma once

#include <optional>
#include <string>

#include "daemon/inspection/board/site_map.h"
#include "daemon/inspection/recipe/code_region.h"
#include "drivers/codes/grey_image.h"

namespace datum {

struct CodePicture {
  std::optional<GreyImage> image;
  std::string why;  // why there is none
};

/// The region in board coordinates, x to the right and y upwards, by square pixels of the frame's finer pitch, linear between the frame's;
/// grey values between the region's darkest and brightest 1/200 span 0 to 255. None: no intensity image, or the region leaves the frame.
CodePicture code_picture(const HeightFrame& frame, const BoardView& view, const CodeRegion& region);

}  // namespace datum
