// Golden wire transcripts: tests/data/transcripts/*.txt and tests/data/bad/positions/*.txt.
//
//   # comment              >> bytes to the device       << bytes from the device       ++ ms that pass
//   preset NAME            implied_decimals N, fixed_xy_mm MM: settings required of the cell
//   == expected sample by now: "OK x y z" or "STATE detail"
//
// Bytes are text with \r \n \t \\ and \xNN.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "drivers/cmm/settings.h"

namespace datum::testing {

struct TranscriptStep {
  enum class Is { to_device, from_device, elapse, sample };
  Is is;
  std::string text;  // bytes, or the sample
  int ms = 0;
};

struct Transcript {
  std::string name;
  CmmSettings settings;
  std::vector<TranscriptStep> steps;
};

/// Throws std::runtime_error with file and line.
Transcript load_transcript(const std::filesystem::path& file);
/// All of a folder of tests/data, sorted by name; throws where it is empty.
std::vector<Transcript> load_transcripts(const std::string& folder);

/// "OK 1 2.5 -3" or "STATE detail".
std::string text_of(const ProbePoint& sample);
std::vector<std::string> expected_samples(const Transcript& transcript);

/// Result of a bare codec. `split`: offset among all bytes from the device at which a read ends; 0: none.
std::vector<std::string> run_codec(const Transcript& transcript, std::size_t split);
std::size_t device_bytes(const Transcript& transcript);

}  // namespace datum::testing
