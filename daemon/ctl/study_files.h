// Studies beside a store: where they lie, and the values of their results.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "daemon/quality/study/study_file.h"
#include "daemon/quality/study/study_table.h"
#include "daemon/store/result_store.h"

namespace datum {

/// `folder`, or the folder "studies" beside the store where it is empty.
std::filesystem::path studies_folder(const std::filesystem::path& store, const std::string& folder);

/// Sequence numbers of all studies' results of a store. A file that is no study is left out.
std::set<std::uint64_t> results_of_studies(const std::filesystem::path& folder, const std::string& store_id);

/// Values of one characteristic of one component over a study's runs; or decisions on a component, or on the board.
struct StudySeries {
  std::string reference, package;  // "board" of a board
  quality::Rated rated = quality::Rated::characteristic;
  Characteristic characteristic = Characteristic::median;
  double parameter = 0;
  std::optional<double> lower, upper;
  quality::StudyTable table;
  std::optional<quality::CertifiedValue> certified{};  // of a part; of several the last one
};

/// All series of a study, by component and characteristic as the recipe lists them, or of what it rates. The value of a run is that of its last attempt which
/// has one. Throws quality::StudyRefused: another store, a result that is not there any more or is not the recorded one; StoreError.
std::vector<StudySeries> series_of(const quality::StudyFile& study, ResultStore& store);

/// What a record keeps of a result.
quality::StudyRecord record_of(const StoredResult& result, const std::string& chain_sha256);

}  // namespace datum
