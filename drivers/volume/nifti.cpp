// NIfTI-1 (NIfTI Data Format Working Group, nifti1.h, 2003) and NIfTI-2 (nifti2.h, 2011): a header of 348 or 540 bytes,
// extensions, then the samples.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "drivers/volume/volume.h"

namespace datum {
namespace {

/// Where the fields stand, and their types: 'h' int16, 'i' int32, 'l' int64, 'f' float, 'd' double.
struct Layout {
  std::size_t bytes;
  char dim_type;
  std::size_t dim, datatype, bitpix;
  char real_type;
  std::size_t pixdim;
  char offset_type;
  std::size_t vox_offset, slope, inter, units;
  bool wide_units;  // four bytes
  std::size_t descrip, magic;
};
constexpr Layout first{348, 'h', 40, 70, 72, 'f', 76, 'f', 108, 112, 116, 123, false, 148, 344};
constexpr Layout second{540, 'l', 16, 12, 14, 'd', 104, 'l', 168, 176, 184, 500, true, 240, 4};
constexpr std::size_t descrip_bytes = 80;

template <class T>
T swapped(T value) {
  auto* bytes = reinterpret_cast<unsigned char*>(&value);
  std::reverse(bytes, bytes + sizeof value);
  return value;
}

class Header {
 public:
  Header(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {
    if (bytes.size() < 4) refuse(fmt::format("{} bytes", bytes.size()), "a header of 348 or 540 bytes");
    std::int32_t size = 0;
    std::memcpy(&size, bytes.data(), sizeof size);
    const std::int32_t other = swapped(size);
    swap_ = other == 348 || other == 540;
    if (swap_) size = other;
    if (size != 348 && size != 540)
      refuse(fmt::format("it begins with {}", size), "348 (NIfTI-1) or 540 (NIfTI-2), in either byte order");
    layout_ = size == 348 ? &first : &second;
    if (bytes.size() < layout_->bytes)
      refuse(fmt::format("{} bytes", bytes.size()), fmt::format("a header of {} bytes", size));
    const std::string_view magic = bytes.substr(layout_->magic, 4);
    if (magic == std::string_view("ni1\0", 4) || magic == std::string_view("ni2\0", 4))
      refuse("a pair of .hdr and .img", "one file, .nii or .nii.gz (convert: nib-convert or fslchfiletype)");
    if (magic != std::string_view("n+1\0", 4) && magic != std::string_view("n+2\0", 4))
      refuse("no magic n+1 or n+2", "NIfTI in one file; Analyze 7.5 does not state its orientation");
  }
  [[noreturn]] void refuse(const std::string& what, const std::string& wanted) const {
    throw VolumeError(fmt::format("{}: {}; wanted: {}", name_, what, wanted));
  }
  const Layout& layout() const { return *layout_; }
  bool is_big() const { return swap_ == (std::endian::native == std::endian::little); }

  double number(char type, std::size_t at) const {
    switch (type) {
      case 'h':
        return raw<std::int16_t>(at);
      case 'i':
        return raw<std::int32_t>(at);
      case 'l':
        return static_cast<double>(raw<std::int64_t>(at));
      case 'f':
        return static_cast<double>(raw<float>(at));
      default:
        return raw<double>(at);
    }
  }
  std::int64_t dim(std::size_t k) const {
    return layout_->dim_type == 'h' ? raw<std::int16_t>(layout_->dim + 2 * k)
                                    : raw<std::int64_t>(layout_->dim + 8 * k);
  }
  double pixdim(std::size_t k) const {
    return number(layout_->real_type, layout_->pixdim + k * (layout_->real_type == 'f' ? 4 : 8));
  }
  int units() const {
    return layout_->wide_units ? raw<std::int32_t>(layout_->units) : raw<std::uint8_t>(layout_->units);
  }
  std::int64_t samples_at() const {
    const double at = number(layout_->offset_type, layout_->vox_offset);
    const double least = static_cast<double>(layout_->bytes);
    if (!(at >= least && at <= static_cast<double>(most_header_bytes) && at == std::floor(at)))
      refuse(fmt::format("vox_offset {}", at),
             fmt::format("a whole number from {} to 1048576", layout_->bytes));
    return static_cast<std::int64_t>(at);
  }

 private:
  template <class T>
  T raw(std::size_t at) const {
    T value;
    std::memcpy(&value, bytes_.data() + at, sizeof value);
    return swap_ ? swapped(value) : value;
  }

  std::string_view bytes_;
  const std::string& name_;
  bool swap_ = false;
  const Layout* layout_ = nullptr;
};

VoxelType type_of(const Header& h) {
  struct Code {
    int code;
    VoxelType type;
  };
  constexpr Code codes[] = {{2, VoxelType::u8},    {4, VoxelType::i16},  {8, VoxelType::i32},
                            {16, VoxelType::f32},  {64, VoxelType::f64}, {256, VoxelType::i8},
                            {512, VoxelType::u16}, {768, VoxelType::u32}};
  const int code = static_cast<int>(h.number('h', h.layout().datatype));
  for (const Code& c : codes) {
    if (c.code != code) continue;
    const int bits = static_cast<int>(h.number('h', h.layout().bitpix));
    if (bits != static_cast<int>(8 * bytes_of(c.type)))
      h.refuse(fmt::format("bitpix {} of datatype {}", bits, code), fmt::format("{}", 8 * bytes_of(c.type)));
    return c.type;
  }
  h.refuse(fmt::format("datatype {}", code),
           "2 uint8, 4 int16, 8 int32, 16 float, 64 double, 256 int8, 512 uint16 or 768 uint32");
}

void take_sizes(const Header& h, const std::string& name, VolumeHeader& out) {
  const std::int64_t dimensions = h.dim(0);
  if (dimensions < 2 || dimensions > 7) h.refuse(fmt::format("dim[0] {}", dimensions), "3");
  std::uint64_t size[3] = {1, 1, 1};
  for (std::size_t k = 1; k <= static_cast<std::size_t>(dimensions); ++k) {
    const std::int64_t n = h.dim(k);
    if (n < 0) h.refuse(fmt::format("dim[{}] {}", k, n), "sizes above 0");
    if (k > 3 && n != 1)
      h.refuse(fmt::format("dim[{}] {}", k, n), "1: one volume of scalars a file (cut series into volumes)");
    if (k <= 3) size[k - 1] = static_cast<std::uint64_t>(n);
  }
  check_sizes(size, name);
  for (int k = 0; k < 3; ++k) out.size[k] = static_cast<std::uint32_t>(size[k]);
}

void take_scale(const Header& h, VolumeHeader& out) {
  const double slope = h.number(h.layout().real_type, h.layout().slope);
  const double inter = h.number(h.layout().real_type, h.layout().inter);
  if (!std::isfinite(slope) || (slope != 0 && !std::isfinite(inter)))
    h.refuse(fmt::format("scl_slope {}, scl_inter {}", slope, inter), "finite numbers; slope 0: no scale");
  if (slope == 0) return;
  out.slope = slope;
  out.offset = inter;
}

void take_spacing(const Header& h, VolumeHeader& out) {
  for (std::size_t k = 0; k < 3; ++k) {
    const double v = std::abs(h.pixdim(k + 1));
    out.spacing[k] = std::isfinite(v) ? v : 0;
  }
  constexpr const char* names[] = {"", "m", "mm", "um"};
  const int code = h.units() & 7;
  if (code <= 3) out.spacing_unit = names[code];
}

}  // namespace

std::uint64_t nifti_bytes_before_samples(std::string_view bytes, const std::string& name) {
  return static_cast<std::uint64_t>(Header(bytes, name).samples_at());
}

VolumeHeader nifti_from_bytes(std::string_view bytes, const std::string& name) {
  const Header h(bytes, name);
  VolumeHeader out;
  out.format = VolumeFormat::nifti;
  out.big_endian = h.is_big();
  out.type = type_of(h);
  take_sizes(h, name, out);
  take_scale(h, out);
  take_spacing(h, out);
  out.skip = h.samples_at();
  if (bytes.size() < static_cast<std::size_t>(out.skip))
    h.refuse(fmt::format("{} bytes before the samples", bytes.size()), fmt::format("{}", out.skip));
  out.text = std::string(bytes.substr(0, static_cast<std::size_t>(out.skip)));
  return out;
}

std::string nifti_with(const VolumeHeader& header, const std::string& done) {
  std::string text = header.text;
  const std::size_t at = Header(text, "header").layout().descrip;
  std::string descrip = done.substr(0, descrip_bytes - 1);
  descrip.resize(descrip_bytes, '\0');
  text.replace(at, descrip_bytes, descrip);
  return text;
}

}  // namespace datum
