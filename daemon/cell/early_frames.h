// EarlyFrames: a frame that was there before its trigger shows another board, and is refused. Where an exposure of an earlier trigger
// is outstanding it is read first, since it may be that one. On the loop's thread, except for the reading.
#pragma once

#include "daemon/cell/board_orders.h"
#include "daemon/cell/frame_acceptance.h"
#include "daemon/cell/frame_deliveries.h"
#include "daemon/system/worker.h"

namespace datum {

class EarlyFrames {
 public:
  EarlyFrames(FrameDeliveries& deliveries, FrameAcceptance& acceptance, const BoardOrders& orders,
              Worker& loader)
      : deliveries_(deliveries), acceptance_(acceptance), orders_(orders), loader_(loader) {}

  /// True: it is read, and no other is to be taken meanwhile.
  bool refuse(const ClaimedFrame& claim);

 private:
  FrameDeliveries& deliveries_;
  FrameAcceptance& acceptance_;
  const BoardOrders& orders_;
  Worker& loader_;
};

}  // namespace datum
