// A request to send entries again, such as to a receiver whose database was restored from a dump: a file in the folder of the position. A
// datumd-plant that runs would write its own position over another one, so that the next start reads it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "daemon/plant/plant_position.h"

namespace datum {

/// Entries from `link` on are to be sent again. Throws std::runtime_error where the folder can't be written.
void ask_to_resend(const std::filesystem::path& state, std::uint64_t link);

/// The entry that was asked for; none: nobody asked, or the file says no number.
std::optional<std::uint64_t> asked_to_resend(const std::filesystem::path& state);

/// The request is done.
void forget_resend(const std::filesystem::path& state);

/// The position behind which entry `link` is the next one. Where the store no longer has the entry before it: before all. Throws StoreError.
PlantPosition position_before(const std::filesystem::path& store, std::uint64_t link);

}  // namespace datum
