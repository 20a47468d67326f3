#include "drivers/volume/volume.h"

#include <fmt/format.h>

namespace datum {

const char* name_of(VoxelType type) {
  constexpr const char* names[] = {"int8", "uint8", "int16", "uint16", "int32", "uint32", "float", "double"};
  return names[static_cast<std::size_t>(type)];
}

std::size_t bytes_of(VoxelType type) {
  return with_type(type, [](auto sample) { return sizeof sample; });
}

void check_sizes(const std::uint64_t size[3], const std::string& name) {
  const std::string stated = fmt::format("{}: sizes {} x {} x {}", name, size[0], size[1], size[2]);
  std::uint64_t voxels = 1;
  for (int k = 0; k < 3; ++k) {
    if (size[k] == 0) throw VolumeError(stated + ": one is 0; wanted: at least 1 voxel along each axis");
    if (size[k] > most_voxels || voxels * size[k] > most_voxels)
      throw VolumeError(stated + ": more than 2^30 voxels; cut the volume into several");
    voxels *= size[k];
  }
}

std::string header_with(const VolumeHeader& header, const std::string& key, const std::string& done) {
  return header.format == VolumeFormat::nrrd ? nrrd_with(header, key, done) : nifti_with(header, done);
}

}  // namespace datum
