#include "daemon/fringe/fringe_demodulator.h"

namespace datum {

std::shared_ptr<FringeDemodulator> cpu_fringe_demodulator(unsigned threads) {
  return std::make_shared<CpuFringeDemodulator>(cpu_backend(threads));
}

}  // namespace datum
