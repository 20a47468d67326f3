// The formats' tests of tests/drivers/sensor once more, each file parsed by the product's datumd-parse.
#include "daemon/parse/isolated_parsers.h"
#include "tests/drivers/sensor/other_formats.h"

std::shared_ptr<const datum::FrameParser> datum::testing::parser_under_test() {
  static ParserClient link(frame_parse_settings(1'000'000));
  static const auto parser = std::make_shared<IsolatedFrames>(link);
  return parser;
}
