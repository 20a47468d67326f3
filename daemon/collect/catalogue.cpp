#include "daemon/collect/catalogue.h"

#include <algorithm>

namespace datum {

int Numbered::of(const std::string& key) {
  const auto [at, is_new] = numbers_.try_emplace(key, last_ + 1);
  if (is_new) {
    ++last_;
    fresh_.emplace_back(key, last_);
  }
  return at->second;
}

void Numbered::known(const std::string& key, int number) {
  numbers_.emplace(key, number);
  last_ = std::max(last_, number);
}

void Catalogue::add(CatalogueCell cell) {
  cell_numbers_[cell.handle] = cell.cell;
  cells_.push_back(std::move(cell));
}

void Catalogue::add(CatalogueStore store) {
  store_numbers_[{store.cell, store.store_id}] = store.store;
  stores_.push_back(std::move(store));
  if (stores_.back().begun_us != 0) begin(stores_.back(), stores_.back().begun_us);
}

CatalogueCell& Catalogue::cell(const std::string& handle) {
  if (const auto found = cell_numbers_.find(handle); found != cell_numbers_.end())
    return cell_of(found->second);
  CatalogueCell cell;
  cell.cell = static_cast<int>(cells_.size()) + 1;
  cell.handle = handle;
  add(std::move(cell));
  return cells_.back();
}

CatalogueStore* Catalogue::find_store(int cell, const std::string& store_id) {
  const auto found = store_numbers_.find({cell, store_id});
  return found == store_numbers_.end() ? nullptr : &store_of(found->second);
}

CatalogueStore& Catalogue::store(int cell, const std::string& store_id) {
  if (CatalogueStore* known = find_store(cell, store_id)) return *known;
  CatalogueStore store;
  store.store = static_cast<int>(stores_.size()) + 1;
  store.cell = cell;
  store.store_id = store_id;
  add(std::move(store));
  return stores_.back();
}

void Catalogue::begin(CatalogueStore& store, std::int64_t utc_us) {
  store.begun_us = utc_us;
  CatalogueCell& cell = cell_of(store.cell);
  if (cell.current == 0 || store_of(cell.current).begun_us <= utc_us) cell.current = store.store;
}

int Catalogue::recipe(const std::string& name, const std::string& sha256) {
  return recipes.of(joined(std::to_string(product(name)), sha256));
}

int Catalogue::making(const std::string& calibration_sha256, const std::string& code) {
  return makings.of(joined(calibration_sha256, code));
}

int Catalogue::characteristic(int recipe, const MeasuredCharacteristic& what, const std::string& key) {
  const std::size_t before = characteristics.size();
  const int number = characteristics.of(joined(std::to_string(recipe), key));
  if (characteristics.size() != before) fresh_characteristics.push_back({number, recipe, what});
  return number;
}

}  // namespace datum
