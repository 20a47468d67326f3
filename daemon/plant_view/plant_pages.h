// The pages of datumd-plant-view: a request by its path and query becomes a whole document of what the plant's database holds.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "daemon/plant_view/plant_database.h"
#include "daemon/view/page_answer.h"

namespace datum {

struct PlantPagesSettings {
  std::vector<int> shift_minutes{0};
  std::function<std::int64_t()> utc_s;  // since 1970
};

/// Used by one thread.
class PlantPages {
 public:
  PlantPages(PlantDatabase& database, PlantPagesSettings settings)
      : database_(database), settings_(std::move(settings)) {}

  /// Throws nothing: a fault is a page with its cause.
  PageAnswer answer(const PageRequest& request);

 private:
  PageAnswer answered(const PageRequest& request);

  PlantDatabase& database_;
  const PlantPagesSettings settings_;
};

}  // namespace datum
