// What any path has to do, or usual tools do, with the same bytes: the floor beside the daemon's times.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace datum::bench {

struct FloorRow {
  std::string what;
  std::optional<std::vector<double>> ms;  // none: it can't be done here
};

/// `image`: a file in the page cache; `disk`: the folder of the store. In turns, so that what else runs slows all alike.
struct Floor {
  FloorRow cat, openssl, read, append;
};
Floor floor_of(const std::filesystem::path& image, const std::filesystem::path& disk, int repeats);

/// Upload of so many bytes to the CUDA device, from pageable and from pinned memory; empty: no device, or built without CUDA.
std::vector<FloorRow> upload_rows(std::size_t bytes, int repeats);

}  // namespace datum::bench
