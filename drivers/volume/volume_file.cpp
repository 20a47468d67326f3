#include "drivers/volume/volume_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cctype>
#include <memory>

namespace datum {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t piece = std::size_t{1} << 20;
constexpr std::uint64_t most_deflated = 1032;  // bytes from one byte (RFC 1951: 258 from two bits)

class File {
 public:
  explicit File(const fs::path& path)
      : name_(path.string()), fd_(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {
    struct stat about {};
    if (fd_ < 0 || ::fstat(fd_, &about) != 0) {
      const std::string why = std::strerror(errno);
      if (fd_ >= 0) ::close(fd_);
      throw VolumeError(fmt::format("{}: can't be read: {}", name_, why));
    }
    if (!S_ISREG(about.st_mode)) {
      ::close(fd_);
      throw VolumeError(name_ + ": no file; wanted: a volume's file, no folder and no pipe");
    }
    size_ = static_cast<std::uint64_t>(about.st_size);
  }
  ~File() { ::close(fd_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  const std::string& name() const { return name_; }
  std::uint64_t size() const { return size_; }
  int copy_at(std::uint64_t offset) const {
    const int copy = ::dup(fd_);
    if (copy < 0 || ::lseek(copy, static_cast<off_t>(offset), SEEK_SET) < 0)
      throw VolumeError(name_ + ": can't be read: " + std::strerror(errno));
    return copy;
  }

 private:
  std::string name_;
  int fd_;
  std::uint64_t size_ = 0;
};

/// The bytes of a file from an offset on, as they are or decompressed.
class Stream {
 public:
  Stream(const File& file, std::uint64_t offset, bool gzip)
      : name_(file.name()), compressed_(gzip), fd_(file.copy_at(offset)) {
    if (!gzip) return;
    unzipped_ = gzdopen(fd_, "rb");
    if (!unzipped_) {
      ::close(fd_);
      throw VolumeError(name_ + ": no memory to decompress it");
    }
    gzbuffer(unzipped_, piece);
    if (gzdirect(unzipped_) != 0) {
      gzclose(unzipped_);
      throw VolumeError(name_ + ": the header says gzip, the samples are not; wanted: encoding raw");
    }
  }
  ~Stream() {
    if (unzipped_)
      gzclose(unzipped_);
    else
      ::close(fd_);
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// As many bytes as there are, `wanted` at most.
  std::size_t read(void* to, std::size_t wanted) {
    std::size_t got = 0;
    while (got < wanted) {
      const auto n = static_cast<unsigned>(std::min(wanted - got, piece));
      void* at = static_cast<char*>(to) + got;
      const auto more = compressed_ ? static_cast<ssize_t>(gzread(unzipped_, at, n)) : ::read(fd_, at, n);
      if (more < 0) fail();
      if (more == 0) break;
      got += static_cast<std::size_t>(more);
    }
    if (compressed_ && got < wanted) {
      int error = Z_OK;
      gzerror(unzipped_, &error);
      if (error != Z_OK && error != Z_STREAM_END) fail();
    }
    return got;
  }

 private:
  [[noreturn]] void fail() {
    int error = Z_OK;
    std::string why = compressed_ ? gzerror(unzipped_, &error) : std::strerror(errno);
    if (why.rfind("<fd:", 0) == 0) why.erase(0, why.find(": ") + 2);  // zlib's own name of the file
    throw VolumeError(
        fmt::format("{}: {}: {}; fetch the file again", name_,
                    compressed_ ? "the compressed samples are cut off or damaged" : "can't be read", why));
  }

  std::string name_;
  bool compressed_;
  int fd_;
  gzFile unzipped_ = nullptr;
};

std::string first_bytes(Stream& stream, std::size_t most) {
  std::string bytes(most, '\0');
  bytes.resize(stream.read(bytes.data(), most));
  return bytes;
}

std::string lower_name(const fs::path& file) {
  std::string name = file.filename().string();
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name;
}

bool is_nifti(const fs::path& file) {
  const std::string name = lower_name(file);
  return name.ends_with(".nii") || name.ends_with(".nii.gz");
}

VolumeHeader read_nifti(const File& file, const fs::path& path) {
  unsigned char magic[2] = {};
  const bool gzip = Stream(file, 0, false).read(magic, 2) == 2 && magic[0] == 0x1f && magic[1] == 0x8b;
  if (gzip != lower_name(path).ends_with(".gz"))
    throw VolumeError(fmt::format("{}: its name says that it is {}compressed, its bytes do not; wanted: {}",
                                  file.name(), gzip ? "not " : "", gzip ? ".nii.gz" : ".nii"));
  Stream stream(file, 0, gzip);
  std::string bytes = first_bytes(stream, 540);
  const std::uint64_t before = nifti_bytes_before_samples(bytes, file.name());
  if (before > bytes.size()) bytes += first_bytes(stream, before - bytes.size());
  VolumeHeader header = nifti_from_bytes(bytes, file.name());
  header.gzip = gzip;
  return header;
}

fs::path samples_of(const fs::path& file, const VolumeHeader& h) {
  return h.data_file.empty() ? file : file.parent_path() / h.data_file;
}

/// Byte of the file at which the stream of samples begins.
std::uint64_t stream_begin(const VolumeHeader& h) {
  return h.format == VolumeFormat::nrrd && h.data_file.empty() ? h.text.size() : 0;
}

/// A claim that the file can't keep is refused before memory is taken for it.
void check_length(const File& file, const VolumeHeader& h) {
  const std::uint64_t begin = stream_begin(h), there = file.size() - std::min(file.size(), begin);
  const std::uint64_t wanted =
      h.sample_bytes() + static_cast<std::uint64_t>(std::max<std::int64_t>(0, h.skip));
  if (h.gzip) {
    if (wanted / most_deflated > there)
      throw VolumeError(
          fmt::format("{}: {} compressed bytes can't hold the {} bytes that its sizes state; the file "
                      "is cut off, or its sizes are wrong",
                      file.name(), there, wanted));
    return;
  }
  if (there < wanted || (h.skip >= 0 && there > wanted))
    throw VolumeError(fmt::format(
        "{}: {} bytes from the {} on, its header states {} ({} x {} x {} {}); the file is {}", file.name(),
        there, h.format == VolumeFormat::nifti ? "header" : "samples", wanted, h.size[0], h.size[1],
        h.size[2], name_of(h.type),
        there < wanted ? "cut off, or its sizes are wrong" : "longer: its sizes, type or skip are wrong"));
}

template <std::size_t bytes>
void swap_each(std::byte* samples, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) std::reverse(samples + i * bytes, samples + (i + 1) * bytes);
}

void swap_samples(std::byte* samples, std::size_t n, VoxelType type) {
  if (bytes_of(type) == 2) swap_each<2>(samples, n);
  if (bytes_of(type) == 4) swap_each<4>(samples, n);
  if (bytes_of(type) == 8) swap_each<8>(samples, n);
}

bool is_foreign(const VolumeHeader& h) { return h.big_endian != (std::endian::native == std::endian::big); }

/// Compresses what is given to it, and gives it on.
class Compressor {
 public:
  Compressor(bool gzip, const std::function<void(const std::string&)>& put) : gzip_(gzip), put_(put) {
    // 15 bits of window, 16: with gzip's header, which has neither a name nor a time.
    if (gzip && deflateInit2(&stream_, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
      throw std::runtime_error("no memory to compress the volume");
  }
  ~Compressor() {
    if (gzip_) deflateEnd(&stream_);
  }
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;

  void add(std::string bytes, bool last) {
    if (!gzip_) return put_(bytes);
    stream_.next_in = reinterpret_cast<Bytef*>(bytes.data());
    stream_.avail_in = static_cast<uInt>(bytes.size());
    do {
      std::string out(piece, '\0');
      stream_.next_out = reinterpret_cast<Bytef*>(out.data());
      stream_.avail_out = static_cast<uInt>(out.size());
      deflate(&stream_, last ? Z_FINISH : Z_NO_FLUSH);
      out.resize(out.size() - stream_.avail_out);
      if (!out.empty()) put_(out);
    } while (stream_.avail_out == 0);
  }

 private:
  const bool gzip_;
  const std::function<void(const std::string&)>& put_;
  z_stream stream_{};
};

}  // namespace

bool is_volume_name(const fs::path& file) {
  const std::string name = lower_name(file);
  return is_nifti(file) || name.ends_with(".nrrd") || name.ends_with(".nhdr");
}

VolumeHeader read_volume_header(const fs::path& path) {
  if (!is_volume_name(path))
    throw VolumeError(
        path.string() +
        ": its name's ending is none of a volume; wanted: .nrrd, .nii, .nii.gz, or .nhdr, a NRRD header "
        "that states type, dimension, sizes, encoding, endian and data file of raw samples beside it");
  const File file(path);
  VolumeHeader header;
  if (is_nifti(path)) {
    header = read_nifti(file, path);
  } else {
    Stream stream(file, 0, false);
    header = nrrd_from_bytes(first_bytes(stream, most_header_bytes), file.name());
  }
  if (header.data_file.empty())
    check_length(file, header);
  else
    check_length(File(samples_of(path, header)), header);
  return header;
}

Volume read_samples(const fs::path& path, const VolumeHeader& header) {
  const File file(samples_of(path, header));
  check_length(file, header);
  const std::uint64_t begin = header.skip < 0 ? file.size() - header.sample_bytes() : stream_begin(header);
  Stream stream(file, begin, header.gzip);
  for (auto left = static_cast<std::uint64_t>(std::max<std::int64_t>(0, header.skip)); left > 0;) {
    const std::size_t some = static_cast<std::size_t>(std::min<std::uint64_t>(left, piece));
    if (first_bytes(stream, some).size() < some)
      throw VolumeError(file.name() + ": ends before its samples; the file is cut off");
    left -= some;
  }
  Volume volume{header, std::vector<std::byte>(header.sample_bytes())};
  const std::size_t got = stream.read(volume.samples.data(), volume.samples.size());
  if (got < volume.samples.size())
    throw VolumeError(
        fmt::format("{}: {} of {} bytes of samples; the file is cut off, or its sizes are wrong", file.name(),
                    got, volume.samples.size()));
  if (std::byte more; stream.read(&more, 1) > 0)
    throw VolumeError(
        fmt::format("{}: more than the {} bytes of samples that its sizes state; its sizes or type are "
                    "wrong",
                    file.name(), volume.samples.size()));
  if (is_foreign(header)) swap_samples(volume.samples.data(), header.voxels(), header.type);
  return volume;
}

void write_volume(const Volume& volume, const std::string& header_text, bool gzip,
                  const std::function<void(const std::string& bytes)>& put) {
  const VolumeHeader& h = volume.header;
  const bool whole = h.format == VolumeFormat::nifti && gzip;
  Compressor compressor(gzip, put);
  if (whole)
    compressor.add(header_text, false);
  else
    put(header_text);
  std::string some;
  for (std::size_t at = 0; at < volume.samples.size(); at += some.size()) {
    const std::size_t n = std::min(piece, volume.samples.size() - at);
    some.assign(reinterpret_cast<const char*>(volume.samples.data()) + at, n);
    if (is_foreign(h)) swap_samples(reinterpret_cast<std::byte*>(some.data()), n / bytes_of(h.type), h.type);
    compressor.add(some, at + n == volume.samples.size());
  }
}

}  // namespace datum
