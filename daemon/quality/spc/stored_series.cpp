#include "daemon/quality/spc/stored_series.h"

#include <stdexcept>

namespace datum::quality {
namespace {

void add(SeriesBook& book, const StoredResult& row) {
  try {
    book.add(row.verdict());
  } catch (const StoreError&) {
    book.add_unreadable();
  } catch (const std::invalid_argument&) {  // a value that is no number
    book.add_unreadable();
  }
}

}  // namespace

SeriesBook read_series(ResultStore& store, const ResultFilter& results, const SeriesFilter& filter) {
  constexpr std::uint64_t batch = 64;  // results in memory at once
  const ResultStore::Snapshot one_state(store);
  SeriesBook book(filter, store.removed_series(results));
  ResultFilter next = results;
  for (;;) {
    const auto rows = store.list(next, batch, ResultOrder::oldest_first);
    for (const StoredResult& row : rows) add(book, row);
    if (rows.size() < batch) return book;
    next.after = rows.back().sequence;
  }
}

}  // namespace datum::quality
