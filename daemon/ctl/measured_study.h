// A study that the cell measured: its values by series, and what follows from them.
#pragma once

#include <functional>

#include "daemon/ctl/command_line.h"
#include "daemon/ctl/study_files.h"
#include "daemon/ctl/study_solve.h"

namespace datum {

struct StudyPlace {
  std::string id, store, config = "/etc/datumd/datumd.toml", folder;

  std::filesystem::path store_file() const;
  std::filesystem::path studies() const { return studies_folder(store_file(), folder); }
};
void add_place_options(CommandLine& line, CLI::App& command, StudyPlace& place);

/// Solves each series of a study, or those of `component` and `characteristic` where they are not empty. `whole`: each in full, else one
/// alone in full and several in a table; kinds with a table of their own are always in full.
SolvedStudy solve_live(const StudyPlace& place, const StudyOptions& options, const std::string& component,
                       const std::string& characteristic, bool whole);

/// The series of a study by component and characteristic, where these are not empty. Of type1 and bias those that are certified; of
/// linearity one of each characteristic, with all its masters. Throws StudyRefused where there is none.
std::vector<StudySeries> chosen_series(const quality::StudyFile& study, ResultStore& store,
                                       const std::string& component, const std::string& characteristic);
/// The options of solving one of them: its kind and certified value, and its recipe's limits where `options` has none.
StudyOptions options_of(const StudySeries& series, const StudyOptions& options,
                        const quality::StudyPlan& plan);
/// "U1 median".
std::string label_of(const StudySeries& series);

/// Standard uncertainty of a value by a study, in um: sigma_GRR of the worst component with values in um, or of `component`.
struct Reproducibility {
  std::string study, component;
  double um = 0;
};
Reproducibility reproducibility_of(const StudyPlace& place, const StudyOptions& options,
                                   const std::string& component);

/// Runs a study's command with its exit status and messages.
int guarded_study(const std::function<void()>& run);

}  // namespace datum
