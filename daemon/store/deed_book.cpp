#include "daemon/store/deed_book.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "daemon/store/result_chain.h"
#include "drivers/frame/bounded_text.h"

namespace datum {

void DeedBook::add(const Doer& who, std::string_view what, const std::string& utc, MonotonicNs now) {
  const std::string key = who.host.substr(0, who.host.rfind(':'));
  if (accounts_.size() >= most_accounts && accounts_.count(key) == 0) accounts_.erase(accounts_.begin());
  Account& account = accounts_[key];
  if (waiting_.size() >= most_waiting || !account.deeds.take(now)) {
    ++account.left_out;
    return;
  }
  waiting_.push_back(
      to_statement(Deed{who.host, who.role, bounded_text(std::string(what)),
                        std::exchange(account.left_out, 0), utc, who.certificate, who.person}));
}

std::vector<std::string> DeedBook::take() { return std::exchange(waiting_, {}); }

void DeedBook::put_back(std::vector<std::string> statements) {
  std::move(waiting_.begin(), waiting_.end(), std::back_inserter(statements));
  waiting_ = std::move(statements);
}

}  // namespace datum
