// Statistics of the results of a QIF file, by the same rules and with the same numbers as datumctl spc.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "daemon/exchange/qif.h"

namespace datum {

/// Calls for each result of the file, in its order.
using EachResult = std::function<void(const std::function<void(const BoardVerdict&)>&)>;

/// Writes the study of a file whose components are written. Results of studies beside `store` and further attempts of a unit are left out.
/// Memory: a few words for each value. Throws std::invalid_argument: nothing was measured, or the build leaves statistics out.
void write_qif_study(QifFile& file, const EachResult& each, const std::filesystem::path& store,
                     const std::string& store_id, const std::function<void(const std::string&)>& write);

}  // namespace datum
