// The default demodulator.
#pragma once

#include <memory>

#include "gpu/fourier_profilometry/fringe_demodulator.h"

namespace datum {

/// threads 0: one per core.
std::shared_ptr<FringeDemodulator> cpu_fringe_demodulator(unsigned threads);

}  // namespace datum
