#include "daemon/parse/flat_codes.h"

namespace datum {
namespace {

constexpr std::uint32_t most_codes = 256;
constexpr std::size_t most_bytes = 4096;  // the largest symbol holds 3116 digits

}  // namespace

void put_size(FlatWriter& to, const GreyImage& image) {
  to.put(static_cast<std::int32_t>(image.cols));
  to.put(static_cast<std::int32_t>(image.rows));
}

GreyImage take_image(std::span<const std::uint8_t> size, std::span<const std::uint8_t> pixels) {
  FlatReader head(size);
  GreyImage image;
  image.cols = head.get<std::int32_t>();
  image.rows = head.get<std::int32_t>();
  head.finish();
  if (image.cols < 0 || image.rows < 0 ||
      static_cast<std::uint64_t>(image.cols) * static_cast<std::uint64_t>(image.rows) != pixels.size())
    throw FlatError("an image whose size is not that of its pixels");
  image.grey.assign(pixels.begin(), pixels.end());
  return image;
}

void put_codes(ParseOutput& to, const std::vector<ReadCode>& codes) {
  to.head.put(static_cast<std::uint32_t>(codes.size()));
  for (const ReadCode& code : codes) {
    to.head.put_text(code.bytes);
    to.head.put(static_cast<std::uint8_t>(code.mirrored));
  }
}

std::vector<ReadCode> take_codes(ParsedOutput& from) {
  const auto count = from.head.get<std::uint32_t>();
  if (count > most_codes) throw FlatError(std::to_string(count) + " codes");
  std::vector<ReadCode> codes(count);
  for (ReadCode& code : codes) {
    code.bytes = from.head.get_text(most_bytes);
    code.mirrored = from.head.get<std::uint8_t>() != 0;
  }
  from.head.finish();
  return codes;
}

}  // namespace datum
