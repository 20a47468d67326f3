// The formats' tests, parsed by the test program itself; tests/daemon/parse has them parsed apart.
#include "tests/drivers/sensor/other_formats.h"

std::shared_ptr<const datum::FrameParser> datum::testing::parser_under_test() { return nullptr; }
