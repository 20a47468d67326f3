// DataMatrix by ZXing (https://github.com/zxing-cpp/zxing-cpp), dark on light and light on dark.
#pragma once

#include "drivers/codes/code_reader.h"

namespace datum {

/// As CodeReader::read, in this process. Throws CodeError also in a build without ZXing.
std::vector<ReadCode> read_data_matrix(const GreyImage& image);

}  // namespace datum
