// The newest boards of the first page: decision, why, picture; a reading of a reference check says that it is no product.
#pragma once

#include <filesystem>

#include "daemon/report/page_template.h"
#include "daemon/view/result_index.h"
#include "daemon/view/result_reader.h"

namespace datum {

/// Sets any, boards and cards of the template boards. `index`: of this store, or none, and then the results are read; `pictures`:
/// their folder, or empty. Throws StoreError, PageTimeout.
void set_newest_boards(PageData& data, ResultReader& store, ResultIndex* index,
                       const std::filesystem::path& pictures);

}  // namespace datum
