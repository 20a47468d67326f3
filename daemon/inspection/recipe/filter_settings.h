// [filter] of a recipe: denoising of a frame before it is measured.
#pragma once

#include "gpu/diffusion/diffusion.h"

namespace datum {

/// Perona-Malik diffusion, the only kind.
struct FilterSettings {
  Conduction conduction = Conduction::rational;
  KappaRule rule = KappaRule::robust;
  double kappa_um = 0;  // for the fixed rule
  double lambda = 0.2;  // 1/4 does not smooth a chequered pattern, 1/8 removes it
  std::uint32_t iterations = 10;
};

}  // namespace datum
