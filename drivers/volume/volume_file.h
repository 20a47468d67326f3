// Files of volumes: reading with checks before any memory is taken, and writing.
#pragma once

#include <functional>

#include "drivers/volume/volume.h"

namespace datum {

/// True: the name ends with one that holds volumes: .nrrd, .nhdr, .nii or .nii.gz, in any case.
bool is_volume_name(const std::filesystem::path& file);

/// Reads the header of FILE.nrrd, FILE.nhdr, FILE.nii or FILE.nii.gz and compares the sizes with the length of the file
/// that holds the samples. Reads at most 1 MiB. Throws VolumeError.
VolumeHeader read_volume_header(const std::filesystem::path& file);

/// Reads the samples that the header of this file states, no more and no less; takes header.sample_bytes() of memory.
/// Throws VolumeError: cut off, damaged, followed by other bytes.
Volume read_samples(const std::filesystem::path& file, const VolumeHeader& header);

/// Gives `put` the bytes of a file with this header before samples in the header's byte order, compressed where `gzip`.
/// Bytes depend on the arguments and zlib's version alone.
void write_volume(const Volume& volume, const std::string& header_text, bool gzip,
                  const std::function<void(const std::string& bytes)>& put);

}  // namespace datum
