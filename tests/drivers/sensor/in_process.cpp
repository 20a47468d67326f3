// The formats' tests, parsed in the test program; tests/daemon/parse runs them with parsers in another
// process.
#include "tests/drivers/sensor/other_formats.h"

std::shared_ptr<const datum::FrameParser> datum::testing::parser_under_test() { return nullptr; }
