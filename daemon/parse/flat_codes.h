// Images and codes between the two processes.
#pragma once

#include "daemon/parse/parse_output.h"
#include "drivers/codes/code_reader.h"

namespace datum {

/// The image's size; its pixels are a part of their own.
void put_size(FlatWriter& to, const GreyImage& image);
/// Throws FlatError: sizes that do not fit the pixels.
GreyImage take_image(std::span<const std::uint8_t> size, std::span<const std::uint8_t> pixels);

void put_codes(ParseOutput& to, const std::vector<ReadCode>& codes);
/// Throws FlatError: more codes, or longer ones, than an image may have.
std::vector<ReadCode> take_codes(ParsedOutput& from);

}  // namespace datum
