// What a worker may say of a site.
#pragma once

#include "gpu/board/site_record.h"
#include "gpu/core/board_plan.h"

namespace datum {

/// Names a property of the record that no measurement of that site can give; "": none.
const char* contradiction(const SitePlan& site, const SiteRecord& record);

}  // namespace datum
