// A unit of work: one result to be made, named by everything that its bytes depend on.
//
// A unit is written as the verdict that it asks for, without what is measured: frames by SHA-256, pose, recipe, calibration,
// sensor profile, code, backend. Its key is the SHA-256 of that text and of the numeric contract's version.
#pragma once

#include <optional>
#include <string>

#include "daemon/inspection/verdict/verdict.h"

namespace datum {

/// Backends of a unit, as BoardVerdict::backend of `asked`.
inline constexpr const char *cpu_backend_name = "cpu", *cuda_backend_name = "cuda";

struct BatchUnit {
  BoardVerdict asked;  // inputs alone; frame_source: file, relative to the folder of frames
  std::optional<BoardVerdict>
      before;  // the stored result: decisions, values and u of its checks; none: of an archive
  std::string key;
};

/// Version and commit of this program; of a tree with changes, which they do not tell apart, with the SHA-256 of the program too.
std::string measuring_code();

/// The inputs of a stored result, by which it can be measured again: frames, poses, touches of holes, serial numbers, time.
BoardVerdict inputs_of_result(const BoardVerdict& result);

/// 64 hexadecimal digits. Where frames lie is left out: the same bytes elsewhere are the same unit.
std::string key_of(const BoardVerdict& asked);
bool is_key(const std::string& text);

/// Of a measured verdict: without what differs between two machines that measure the same (place of the frames, backend,
/// controller) and without what only a store of record gives (sequence number, store).
BoardVerdict comparable(BoardVerdict verdict);

/// "frame NAME" or "frames NAME, NAME ..." of a unit, for messages.
std::string frames_text(const BoardVerdict& asked);

/// Where it can't be told from a verdict's JSON: decisions, values and u of each check as a short JSON text, and back.
std::string before_to_json(const BoardVerdict& result);
/// Throws std::runtime_error that names the fault.
BoardVerdict before_from_json(const std::string& text);

}  // namespace datum
