// Who measures a board: the CPU, a device, or one after the other. All give the same bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gpu/core/board_plan.h"
#include "gpu/core/early_frame.h"

namespace datum {

struct SiteRecord;   // gpu/board/site_record.h
struct SiteScratch;  // gpu/board/site_pixels.h

/// z of one site's pixels for the host to read: um from the nominal board at the site's centre, in the order of its runs, NaN
/// where there is no height; pixel_padding (gpu/board/site_pixels.h) more mean nothing. Null where the fit is not ok.
struct SiteHeights {
  const float* ring = nullptr;
  const float* body = nullptr;
  /// The body's heights over the record's floor in nm, height::no_height where there is none.
  const std::int32_t* body_nm = nullptr;
};

/// What the host does with a site whose record is complete: called once a site, from several threads; must not call
/// parallel_for.
using SiteWork = std::function<void(std::size_t site, const SiteHeights& heights)>;

/// The host's work on a site whose record is complete.
void work_on_site(const BoardPlan& plan, const FrameView& frame, const SiteRecord& record, std::size_t site,
                  SiteScratch& scratch, const SiteWork& work);
/// On all sites, on at most `threads` threads: reads their pixels once.
void work_on_sites(const BoardPlan& plan, const FrameView& frame, const SiteRecord* records, unsigned threads,
                   const SiteWork& work);
/// On those of `sites`, in this order.
void work_on_sites(const BoardPlan& plan, const FrameView& frame, const SiteRecord* records,
                   const std::vector<std::uint32_t>& sites, unsigned threads, const SiteWork& work);

class BoardMeasurer {
 public:
  virtual ~BoardMeasurer() = default;
  /// Measures all sites of a plan on one frame: plan.site_count records. Ring and body of a record are
  /// defined where its fit is ok. Throws std::invalid_argument for a plan that contradicts itself or its
  /// frame.
  virtual void measure(const BoardPlan& plan, const FrameView& frame, SiteRecord* records) = 0;
  /// measure(), and the host's work on each site on at most `threads` threads: work_on_sites(), except where a measurer reads
  /// the pixels on the host and does the work while they are at hand.
  virtual void measure(const BoardPlan& plan, const FrameView& frame, SiteRecord* records, unsigned threads,
                       const SiteWork& work);
  /// Frames that arrive from now on are probably of this plan, which was measured last: each has work that `make` makes. `of`: what
  /// that work is made from; the same one again changes nothing. Without effect where nobody measures frames that arrive.
  virtual void expect(const BoardPlan& plan, const std::shared_ptr<const void>& of,
                      const EarlyWorkMaker& make);
  /// "cpu avx512 x2", "cuda NVIDIA H200 sm_90": who measured the last board, for its verdict.
  virtual std::string describe() const = 0;
};

}  // namespace datum
