#include <itkGradientAnisotropicDiffusionImageFilter.h>
#include <itkImage.h>
#include <itkMultiThreaderBase.h>

#include <algorithm>
#include <cmath>

#include "tests/bench/diffusion_peers.h"

namespace datum::bench {

bool has_itk() { return true; }

// Its conductance is exp(-|gradient|^2 / (2 c^2 a^2)), a the mean gradient's size: fixed at 1 here, so c = kappa / sqrt 2.
std::vector<float> diffused_by_itk(const std::vector<float>& u, const DiffusionGrid& g, double kappa,
                                   double lambda, unsigned iterations, unsigned threads) {
  using Image = itk::Image<float, 3>;
  itk::MultiThreaderBase::SetGlobalDefaultNumberOfThreads(threads);
  itk::MultiThreaderBase::SetGlobalMaximumNumberOfThreads(threads);
  const auto image = Image::New();
  image->SetRegions(Image::SizeType{{g.nx, g.ny, g.nz}});
  image->Allocate();
  std::copy(u.begin(), u.end(), image->GetBufferPointer());
  const auto filter = itk::GradientAnisotropicDiffusionImageFilter<Image, Image>::New();
  filter->SetInput(image);
  filter->SetConductanceParameter(kappa / std::sqrt(2.0));
  filter->SetFixedAverageGradientMagnitude(1);
  filter->UseImageSpacingOff();
  filter->SetTimeStep(lambda);
  filter->SetNumberOfIterations(iterations);
  filter->SetNumberOfWorkUnits(threads);
  filter->Update();
  const float* out = filter->GetOutput()->GetBufferPointer();
  return {out, out + u.size()};
}

}  // namespace datum::bench
