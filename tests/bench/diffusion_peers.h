// What the diffusion is compared with.
#pragma once

#include <cstddef>
#include <vector>

#include "gpu/diffusion/diffusion.h"

namespace datum::bench {

/// One iteration as a plain loop over rows of floats says it, for planes [z0, z1) of a volume without gaps, compiled
/// with -Ofast -march=native: the exponential of the compiler's vector library, each face from both of its sides.
void plain_iteration(const float* from, float* to, const DiffusionGrid& grid, std::size_t z0, std::size_t z1,
                     float kappa, float lambda);

/// ITK's GradientAnisotropicDiffusionImageFilter, conductance exp(-(gradient / kappa)^2), time step lambda.
bool has_itk();
std::vector<float> diffused_by_itk(const std::vector<float>& u, const DiffusionGrid& grid, double kappa,
                                   double lambda, unsigned iterations, unsigned threads);

}  // namespace datum::bench
