#include "daemon/rules/rule_watch.h"

#include <algorithm>
#include <stdexcept>

namespace datum::quality {
namespace {

int sign(double x) { return (x > 0) - (x < 0); }

}  // namespace

void RuleWatch::count_runs(double z) {
  side_ = sign(z) == 0 ? 0 : sign(side_) == sign(z) ? side_ + sign(z) : sign(z);
  inside_ = std::abs(z) < 1 ? inside_ + 1 : 0;
  outside_ = std::abs(z) > 1 ? outside_ + 1 : 0;
  const int step = last_ ? sign(z - *last_) : 0;
  trend_ = step == 0 ? 0 : sign(trend_) == step ? trend_ + step : step;
  alternating_ = step == 0 ? 0 : step == -step_ ? alternating_ + 1 : 1;
  step_ = step;
  last_ = z;
}

/// Points of the last `of` beyond the limit on the side of the newest one; 0 where that one is not, or a member is missing.
int RuleWatch::beyond(double limit, std::size_t of) const {
  const int side = sign(*window_[0]);
  if (!(side * *window_[0] > limit)) return 0;
  int n = 0;
  for (std::size_t i = 0; i < of; ++i) {
    if (!window_[i]) return 0;
    n += side * *window_[i] > limit;
  }
  return n;
}

RuleSet rule_set_of(const std::string& text) {
  if (text == "nelson") return {{1, 2, 3, 4, 5, 6, 7, 8}, 9};
  if (text == "western-electric") return {{1, 2, 5, 6}, 8};
  RuleSet set{{}, 9};
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find(',', from), text.size());
    const std::string rule = text.substr(from, end - from);
    if (rule.size() != 1 || rule[0] < '1' || rule[0] > '8')
      throw std::invalid_argument("rules '" + text +
                                  "'; allowed: numbers 1 to 8 such as 1,2,5, or nelson, or western-electric");
    set.rules.insert(rule[0] - '0');
    from = end + 1;
  }
  return set;
}

RuleSet chart_rule_set_of(const std::string& text) {
  std::string others;
  std::set<int> drift;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find(',', from), text.size());
    const std::string word = text.substr(from, end - from);
    if (word == "ewma")
      drift.insert(ewma_rule);
    else if (word == "cusum")
      drift.insert(cusum_rule);
    else
      others += (others.empty() ? "" : ",") + (word.empty() ? std::string("none") : word);
    from = end + 1;
  }
  RuleSet set{{}, 9};
  if (drift.empty() || !others.empty()) set = rule_set_of(others);
  set.rules.merge(drift);
  return set;
}

std::string rule_name(int rule) {
  return rule == ewma_rule ? "EWMA" : rule == cusum_rule ? "CUSUM" : std::to_string(rule);
}

const char* rule_text(int rule) {
  static const char* const texts[] = {"",
                                      "beyond 3 sigma",
                                      "a run on one side",
                                      "six points rising or falling",
                                      "fourteen points alternating",
                                      "two of three beyond 2 sigma on one side",
                                      "four of five beyond 1 sigma on one side",
                                      "fifteen points within 1 sigma",
                                      "eight points beyond 1 sigma",
                                      "beyond the limits of the weighted mean",
                                      "beyond h sigma of the sum"};
  return rule >= 1 && rule <= cusum_rule ? texts[rule] : "";
}

}  // namespace datum::quality
