// Places of labels beside the parts of a picture: over no body and no other label, with a line to their part where it is away.
#pragma once

#include <optional>
#include <vector>

#include "daemon/pictures/page.h"

namespace datum {

struct Label {
  PageBox part;  // what it names; the label stays off it, or lies wholly inside where `inside` says so
  struct Shape {
    double width = 0, height = 0;
  };
  std::vector<Shape> shapes;  // the first that finds a place is taken
  bool important = false;     // is placed first, and may stand away from its part
  bool inside = false;        // a part that is large enough may carry its own label
};

struct PlacedLabel {
  PageBox box;
  std::size_t shape = 0;
  std::vector<PagePoint> leader;  // from the label to the part; empty where it stands beside it
};

/// One place for each label, in their order; none where there is no room within `page`. `bodies` stay free.
std::vector<std::optional<PlacedLabel>> place_labels(const std::vector<Label>& labels,
                                                     const std::vector<PageBox>& bodies, const PageBox& page);

}  // namespace datum
