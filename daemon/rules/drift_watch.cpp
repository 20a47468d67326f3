#include "daemon/rules/drift_watch.h"

#include <algorithm>
#include <cmath>

namespace datum::quality {

EwmaPoint Ewma::take(double x) {
  z_ += rule_.lambda * (x - z_);
  left_ *= (1 - rule_.lambda) * (1 - rule_.lambda);
  const double half = rule_.width * sigma_ * std::sqrt(rule_.lambda / (2 - rule_.lambda) * (1 - left_));
  return {z_, target_ - half, target_ + half, std::abs(z_ - target_) > half};
}

Cusum::Cusum(const CusumRule& rule, double target, double sigma)
    : target_(target),
      slack_(rule.k * sigma),
      limit_(rule.h * sigma),
      start_(rule.head_start ? limit_ / 2 : 0),
      above_(start_),
      below_(start_) {}

CusumPoint Cusum::take(double x) {
  above_ = std::max(0.0, above_ + x - target_ - slack_);
  below_ = std::max(0.0, below_ + target_ - slack_ - x);
  above_n_ = above_ > 0 ? above_n_ + 1 : 0;
  below_n_ = below_ > 0 ? below_n_ + 1 : 0;
  CusumPoint p{above_, below_, above_ > limit_ || below_ > limit_, std::nullopt};
  if (above_ > limit_)
    p.shifted_to = target_ + slack_ + above_ / static_cast<double>(above_n_);
  else if (below_ > limit_)
    p.shifted_to = target_ - slack_ - below_ / static_cast<double>(below_n_);
  if (p.out) {
    above_ = below_ = start_;
    above_n_ = below_n_ = 0;
  }
  return p;
}

DriftWatch::DriftWatch(const DriftRules& rules) {
  if (rules.ewma) ewma_.emplace(*rules.ewma, 0, 1);
  if (rules.cusum) cusum_.emplace(*rules.cusum, 0, 1);
}

DriftWatch::Hits DriftWatch::take(std::uint64_t sequence, const std::optional<double>& point) {
  Hits hits;
  if (!point) return hits;
  if (ewma_) {
    const double before = ewma_->z_;
    const EwmaPoint p = ewma_->take(*point);
    if (!(before * p.z > 0)) ewma_since_ = sequence;
    if (p.out) hits.ewma = ewma_since_;
  }
  if (cusum_) {
    const CusumPoint p = cusum_->take(*point);
    if (p.above <= 0 || above_since_ == 0) above_since_ = p.above > 0 ? sequence : 0;
    if (p.below <= 0 || below_since_ == 0) below_since_ = p.below > 0 ? sequence : 0;
    if (p.out) {
      hits.cusum = *p.shifted_to > 0 ? above_since_ : below_since_;
      above_since_ = below_since_ = 0;
    }
  }
  return hits;
}

DriftState DriftWatch::state() const {
  DriftState s;
  if (ewma_) s.z = ewma_->z_, s.left = ewma_->left_;
  if (cusum_) {
    s.above = cusum_->above_;
    s.below = cusum_->below_;
    s.above_n = cusum_->above_n_;
    s.below_n = cusum_->below_n_;
  }
  s.ewma_since = ewma_since_;
  s.above_since = above_since_;
  s.below_since = below_since_;
  return s;
}

void DriftWatch::resume(const DriftState& s) {
  if (ewma_) ewma_->z_ = s.z, ewma_->left_ = s.left;
  if (cusum_) {
    cusum_->above_ = s.above;
    cusum_->below_ = s.below;
    cusum_->above_n_ = s.above_n;
    cusum_->below_n_ = s.below_n;
  }
  ewma_since_ = s.ewma_since;
  above_since_ = s.above_since;
  below_since_ = s.below_since;
}

}  // namespace datum::quality
