// Who measures a board: the CPU, a device, or one after the other. All give the same bytes.
#pragma once

#include <string>

#include "gpu/core/board_plan.h"

namespace datum {

struct SiteRecord;  // gpu/board/site_record.h

class BoardMeasurer {
 public:
  virtual ~BoardMeasurer() = default;
  /// Measures all sites of a plan on one frame: plan.site_count records. Ring and body of a record are
  /// defined where its fit is ok. Throws std::invalid_argument for a plan that contradicts itself or its
  /// frame.
  virtual void measure(const BoardPlan& plan, const FrameView& frame, SiteRecord* records) = 0;
  /// "cpu avx512 x2", "cuda NVIDIA H200 sm_90": who measured the last board, for its verdict.
  virtual std::string describe() const = 0;
};

}  // namespace datum
