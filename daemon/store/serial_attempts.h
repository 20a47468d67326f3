// Attempts of a serial number: how often a recipe measured it. The table has a row for each number and outlives its results; it is made
// with the first result of a recipe with [serial].
#pragma once

#include <filesystem>

#include "daemon/inspection/verdict/verdict.h"
#include "daemon/store/sqlite.h"

namespace datum {

/// Within the transaction that stores `verdict`, whose sequence and serial are known: sets its attempt, and that of each board of a panel by
/// the board's own number. An INVALID result, or board, does not count, so that the next one is the same attempt. A board without number
/// becomes "unknown-N". One that comes again more often than its recipe allows, without a repair, becomes INVALID (SERIAL), of a panel it
/// alone. A repair that is stated with a panel is one of each of its boards. Throws StoreError.
void number_attempt(sqlite3* db, const std::filesystem::path& file, BoardVerdict& verdict);

/// "by code, attempt 3, retest 1 of at most 2; repaired: U1 replaced".
std::string words_of(const SerialEvidence& serial);

}  // namespace datum
