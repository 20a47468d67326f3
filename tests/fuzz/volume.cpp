// Volumes: the first byte selects the ending of the name, the rest is the file.
#include <filesystem>
#include <map>

#include "drivers/volume/volume_file.h"
#include "tests/fresh_folder.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/memory_file.h"

namespace {

/// A link to a file of memory for each ending.
struct Names {
  datum::testing::FreshFolder folder;
  datum::fuzz::MemoryFile file;
  std::filesystem::path holding(const char* ending, std::string_view bytes) {
    const std::filesystem::path link = folder / (std::string("a") + ending).c_str();
    const std::filesystem::path memory = file.holding(bytes);
    if (!std::filesystem::is_symlink(link)) std::filesystem::create_symlink(memory, link);
    return link;
  }
};

}  // namespace

DATUM_FUZZ_TARGET(volume) {
  using namespace datum;
  static Names names;
  if (bytes.empty()) return;
  const char* ending = bytes[0] == 'n' ? ".nrrd" : bytes[0] == 'g' ? ".nii.gz" : ".nii";
  try {
    const auto file = names.holding(ending, bytes.substr(1));
    const VolumeHeader header = read_volume_header(file);
    fuzz::expect(header.voxels() > 0 && header.voxels() <= most_voxels,
                 "a volume has voxels, of limited number");
    const std::string done = header_with(header, "datumd", "x");
    const VolumeHeader again = header.format == VolumeFormat::nrrd ? nrrd_from_bytes(done, "again")
                                                                   : nifti_from_bytes(done, "again");
    fuzz::expect(again.voxels() == header.voxels() && again.type == header.type,
                 "a header written is one read");
    const Volume volume = read_samples(file, header);
    fuzz::expect(volume.samples.size() == header.sample_bytes(), "each voxel has its sample");
  } catch (const VolumeError&) {
  }
}
