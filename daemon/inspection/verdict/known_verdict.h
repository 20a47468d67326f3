// Reading of a verdict for showing it, where a newer datumd may have written it. Never for verifying a store: verdict_from_json is.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/inspection/verdict/verdict.h"

namespace datum {

/// Like verdict_from_json, but passes over what this program does not know: keys, reasons (as none), and elements of lists with a word
/// or type that it can't read. `left_out` names each of these once. Throws std::runtime_error where the text is no JSON object, or a
/// key of the board itself is missing or wrong.
BoardVerdict known_verdict(const std::string& json, std::vector<std::string>& left_out);

/// The first component of this reference, read leniently, without reading the others; none: there is none, or it can't be read.
std::optional<ComponentVerdict> known_component(std::string_view json, const std::string& reference);

}  // namespace datum
