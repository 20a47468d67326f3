#include "drivers/sensor/zip_entries.h"

#include <fmt/format.h>
#include <zip.h>

#include "drivers/frame/frame_error.h"

namespace datum {

struct ZipEntries::Archive {
  zip_t* zip = nullptr;
  ~Archive() {
    if (zip) zip_discard(zip);
  }
};

ZipEntries::ZipEntries(ByteView file, std::string name)
    : archive_(std::make_unique<Archive>()), name_(std::move(name)) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_source_buffer_create(file.data(), file.size(), 0, &error);
  if (source) archive_->zip = zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, &error);
  const std::string why = archive_->zip ? "" : zip_error_strerror(&error);
  if (source && !archive_->zip) zip_source_free(source);
  zip_error_fini(&error);
  if (!archive_->zip) refuse("is no zip file: " + why);
}

ZipEntries::~ZipEntries() = default;

void ZipEntries::refuse(const std::string& what) const { throw FrameError(name_ + ": " + what); }

Bytes ZipEntries::read(const std::string& entry, std::size_t most) const {
  zip_stat_t stat;
  zip_stat_init(&stat);
  if (zip_stat(archive_->zip, entry.c_str(), 0, &stat) != 0 || !(stat.valid & ZIP_STAT_SIZE))
    refuse("has no " + entry);
  if (stat.size > most) refuse(fmt::format("{} has {} bytes; at most {} belong", entry, stat.size, most));
  const std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> file(zip_fopen_index(archive_->zip, stat.index, 0),
                                                               zip_fclose);
  if (!file) refuse(fmt::format("{} can't be read: {}", entry, zip_strerror(archive_->zip)));
  Bytes bytes(stat.size);
  std::size_t at = 0;
  for (zip_int64_t got = 0; at < bytes.size(); at += static_cast<std::size_t>(got)) {
    got = zip_fread(file.get(), bytes.data() + at, bytes.size() - at);
    if (got <= 0) refuse(entry + " is damaged");
  }
  // libzip verifies the entry's checksum at the end.
  std::uint8_t beyond = 0;
  if (zip_fread(file.get(), &beyond, 1) != 0) refuse(entry + " is damaged");
  return bytes;
}

}  // namespace datum
