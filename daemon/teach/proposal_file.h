// The proposal file: what golden boards taught, for a person to confirm. TOML.
#pragma once

#include <filesystem>

#include "daemon/teach/lesson.h"

namespace datum::teach {

/// A body that stands on the boards and is not in the recipe.
struct ProposedBody {
  BoardRect body;
  std::string about;  // "C7 of the design, left out there: no height is known"; empty: nothing is known of it
};

/// A proposal with what a person said of it.
struct OpenProposal {
  Proposal what;
  std::optional<ProposedBody> added;
  std::string confirmed_by, confirmed_at;  // empty: not confirmed
};

struct UsedBoard {
  std::string file, frame_id, frame_sha256, unit;
};

/// Margins of the floor's ring that measure more components, or with less uncertainty.
struct RingProposal {
  double inner_mm = 0, outer_mm = 0;
  std::size_t floors = 0, floors_now = 0;  // good ones over the boards
  double u_um = 0, u_now_um = 0;           // median standard uncertainty of the components
};

struct ProposalFile {
  std::string recipe,
      recipe_sha256;  // of the recipe's file as it was taught, or as it was last confirmed from here
  std::string sensor_serial, sensor_profile_sha256, calibration_sha256;
  std::string design, design_sha256;
  std::string made_at, made_by;
  std::vector<UsedBoard> boards;
  std::vector<OpenProposal> proposals;
  std::vector<Finding> findings;
  double noise_um = 0, noise_z_mm = 0, profile_noise_um = 0;
  std::optional<RingProposal> ring;
};

std::string proposal_text(const ProposalFile& file);
/// Throws config::ConfigError.
ProposalFile read_proposal(const std::filesystem::path& file);

}  // namespace datum::teach
