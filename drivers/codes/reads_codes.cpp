#include "drivers/codes/code_reader.h"

namespace datum {

bool reads_codes() { return DATUM_READS_CODES; }

}  // namespace datum
