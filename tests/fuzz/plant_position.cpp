// The file in which datumd-plant keeps what a broker accepted: any bytes are a position that reads back, or are refused.
#include "daemon/plant/plant_position.h"

#include <stdexcept>

#include "tests/fuzz/fuzz_target.h"

using namespace datum;

DATUM_FUZZ_TARGET(plant_position) {
  try {
    const PlantPosition position = read_position(std::string(bytes));
    fuzz::expect(read_position(to_text(position)).place == position.place, "it reads back");
  } catch (const std::runtime_error&) {
  }
}
