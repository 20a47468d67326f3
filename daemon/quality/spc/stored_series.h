// Series of a store: its results, and the sums of those that retention has removed.
#pragma once

#include "daemon/series/series.h"
#include "daemon/store/result_store.h"

namespace datum::quality {

/// All results of a filter, oldest first, from one state of a store that was opened for reading. A result whose text is no verdict counts as
/// unreadable. Throws StoreError.
SeriesBook read_series(ResultStore& store, const ResultFilter& results, const SeriesFilter& filter);

}  // namespace datum::quality
