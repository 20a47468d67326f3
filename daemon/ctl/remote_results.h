// Stored results over the command protocol.
#pragma once

#include <optional>
#include <vector>

#include "daemon/ctl/link_options.h"
#include "daemon/store/result_store.h"

namespace datum {

/// The newest matching results, newest first, at most `limit`. Throws RefusedCommand, and as connect() does.
std::vector<StoredResult> remote_results(const LinkOptions& link, const ResultFilter& filter,
                                         std::uint64_t limit);

/// None: not stored. Throws as above.
std::optional<StoredResult> remote_result(const LinkOptions& link, std::uint64_t sequence);

}  // namespace datum
