// The arithmetic between the two transforms and after them, once for hosts and devices. C++17.
#pragma once

#include "gpu/core/arctangent.h"
#include "gpu/fft/fft_math.h"

namespace datum::fourier {

/// Bin k of two real rows from bins k and n - k of first + i second, times `gain`; real and imaginary part changed
/// over, so that a forward transform does the inverse.
template <class S>
struct Rows {
  fft::Value<S> first, second;
};
template <class S>
DATUM_HD Rows<S> filtered(fft::Value<S> at, fft::Value<S> mirrored, float gain) {
  const typename S::F g = S::set(gain);
  return {{g * (at.im - mirrored.im), g * (at.re + mirrored.re)},
          {g * (mirrored.re - at.re), g * (at.im + mirrored.im)}};
}

/// Changed over again: squared amplitude and angle of what came back.
template <class S>
DATUM_HD typename S::F square_of(fft::Value<S> v) {
  return S::fma(v.re, v.re, v.im * v.im);
}
template <class S>
DATUM_HD typename S::F angle_of(fft::Value<S> v) {
  return atan2_radians<S>(v.re, v.im);
}

/// A sample that carries a row on.
DATUM_HD float bridged(float last, float first, float part) { return ::fmaf(first - last, part, last); }

}  // namespace datum::fourier
