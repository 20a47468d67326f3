// How the lowest pixel of a window is distributed.
#pragma once

namespace datum {

/// The lowest of `parts` independent normal values, less its mean, over its standard deviation: P(above y) = Q(y)^parts. With one
/// part it is the normal distribution; `parts` need not be whole, and are 1 at least.
class LowestOf {
 public:
  explicit LowestOf(double parts);
  /// Logarithm of the probability that it stays below z.
  double log_share_below(double z) const;

 private:
  double parts_, mean_ = 0, sigma_ = 1;
};

}  // namespace datum
