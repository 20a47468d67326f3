// Memory that this process may still take.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace datum {

/// Bytes: the kernel's MemAvailable, or less where a control group (cgroup v2) or a limit of its parents allows less. None
/// where the kernel does not say. `root` holds proc/ and sys/.
std::optional<std::uint64_t> available_memory(const std::filesystem::path& root = "/");

}  // namespace datum
