// PartHoles: the holes of a part in its snapshots, sought, touched one after the other, and recorded in the part's order. On
// the loop's thread.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "daemon/cell/board.h"
#include "daemon/holes/hole_tour.h"

namespace datum {

class PartHoles {
 public:
  PartHoles(HoleProcedure& procedure, const ProcedureDependencies& parts,
            const std::optional<HoleSettings>& holes)
      : tour_(procedure, parts, holes) {}

  bool active() const { return tour_.active(); }
  std::string detail() const { return tour_.detail(); }
  /// Touches the holes of a part whose snapshots are complete. `ended` is called once order->holes is there, unless aborted.
  void start(const std::shared_ptr<BoardOrder>& order, std::function<void()> ended);
  void abort() { tour_.abort(); }
  void after_round() { tour_.after_round(); }

 private:
  HoleTour tour_;
};

}  // namespace datum
