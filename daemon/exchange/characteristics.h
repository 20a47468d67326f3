// One description of the characteristics of a recipe's stored results, for each format of exchange.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "daemon/inspection/verdict/verdict.h"

namespace datum {

/// Printable ASCII: any other byte, and '%', is %XX. A text can't begin a line or a mark of its own, and is never cut.
std::string ascii_of(const std::string& bytes);

/// A component's requirement.
struct ExchangedCharacteristic {
  /// "U7 median"; a requirement that a component states twice has its number behind, "U7 median #2".
  std::string name;
  std::string reference, package;  // as in the verdict
  int times = 1;                   // the number of its statement
  Check check;
  int decimals = 0;  // largest of its values, by their uncertainty, in the check's unit
};

/// Characteristics of results of one recipe text, in the order in which they come first.
class CharacteristicTable {
 public:
  /// `file`: "a DFQ file", for errors.
  explicit CharacteristicTable(std::string file) : file_(std::move(file)) {}

  /// Throws std::invalid_argument where the result is of another recipe text than the first.
  void describe(const BoardVerdict& verdict);
  /// Throws std::invalid_argument where nothing was described.
  const std::vector<ExchangedCharacteristic>& all() const;
  /// Rows of a result that was described, one for each characteristic; null: the result has none of it.
  std::vector<const CheckVerdict*> rows_of(const BoardVerdict& verdict) const;

  const std::string& recipe() const { return recipe_; }
  const std::string& recipe_sha256() const { return recipe_sha256_; }

 private:
  std::string file_, recipe_, recipe_sha256_;
  std::uint64_t first_ = 0;
  std::map<std::string, std::size_t> indices_;  // by name
  std::vector<ExchangedCharacteristic> characteristics_;
};

}  // namespace datum
