// Results in the Quality Information Framework, QIF 3.0 (ISO 23952:2020): one QIFDocument, written as the results are read.
//
// Part: the recipe, its Version the SHA-256 of the recipe's text. Characteristics: those of daemon/exchange/characteristics.h, as
// Height, Thickness or Diameter where QIF has the measure, else UserDefinedLinear, UserDefinedAngular or, of percent and permille,
// UserDefinedUnit. Lengths are in mm, angles in degrees; the decimal point is shifted, so that every digit of the store stays
// (of 24, daemon/exchange/shifted_decimal.h).
// A MeasurementResults is a stored result with what made it as Attributes, and a measurement of each characteristic: PASS, FAIL,
// INDETERMINATE (INCONCLUSIVE), or NOT_ANALYZED without Value where it is INVALID, absent, or the whole board is INVALID.
// combinedUncertainty is the standard uncertainty (k = 1); meanError is 0, since known deviations are corrected.
// ActualComponent: the board by its serial number, and each board of a panel.
// Statistics, where they are wanted: a CapabilityStudyResults, with the measurements that each characteristic's numbers are of.
//
// QIF ids count from 1 in the order of the document. Its QPId is made of the SHA-256 of the results' JSON: the same results have
// the same bytes. Texts are ASCII by ascii_of.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "daemon/exchange/characteristics.h"
#include "daemon/exchange/qif_kind.h"
#include "daemon/exchange/xml_text.h"
#include "daemon/store/result_store.h"

namespace datum {

/// What a study of a QIF file says of itself.
struct QifStudy {
  std::string name, description;
  QifTexts attributes;
  std::uint64_t samples = 0;        // results that it is of, at least 1
  std::size_t characteristics = 0;  // that have statistics, at least 1
};

/// Statistics of one characteristic. Names are those of QIF's elements, such as "Average" and "Cpk".
struct QifStatistics {
  std::size_t characteristic = 0;                             // its place in characteristics().all()
  std::vector<std::uint64_t> results;                         // numbers of result() calls, from 0
  std::vector<std::uint64_t> excluded;                        // of them: INVALID
  std::vector<std::pair<const char*, std::uint64_t>> counts;  // at least one
  std::vector<std::pair<const char*, double>> values;         // in the check's unit
  std::vector<std::pair<const char*, double>> indices;        // without unit
  QifTexts attributes;
};

/// Three passes over the same results: describe(), then begin(), result(), components(), component(), end(). With a study, statistics()
/// of each of its characteristics stand between begin_study() and end().
class QifFile {
 public:
  /// Throws std::invalid_argument where the result is of another recipe text than the first.
  void describe(const StoredResult& stored, const BoardVerdict& verdict);
  /// To the first result. Throws std::invalid_argument where nothing was measured, or where it is more than QIF's ids count.
  std::string begin(bool with_study = false);
  std::string result(const BoardVerdict& verdict);
  std::string components();
  std::string component(const BoardVerdict& verdict);
  /// Throws std::invalid_argument: no sample, or no characteristic.
  std::string begin_study(const QifStudy& study);
  std::string statistics(const QifStatistics& of);
  /// Throws std::runtime_error where a pass saw other results than the first.
  std::string end();

  const CharacteristicTable& characteristics() const { return table_; }

 private:
  struct Device {
    std::string name, serial;
    auto operator<=>(const Device&) const = default;
  };

  std::uint64_t definition(std::size_t i) const { return first_definition_ + i; }
  std::uint64_t nominal(std::size_t i) const { return definition(i) + table_.all().size(); }
  std::uint64_t item(std::size_t i) const { return nominal(i) + table_.all().size(); }
  void know(const Device& device);
  void write_units();
  void write_devices();
  void write_product();
  void write_definition(std::size_t i);
  void write_nominal(std::size_t i);
  void write_item(std::size_t i);
  void close_study();
  void write_measurement(const BoardVerdict& verdict, std::size_t i, const CheckVerdict* row,
                         std::uint64_t component);

  CharacteristicTable table_{"a QIF file"};
  XmlText xml_;
  std::vector<Device> devices_;
  std::string digest_;
  std::uint64_t results_ = 0, components_ = 0;  // described
  std::uint64_t results_written_ = 0, components_written_ = 0;
  std::uint64_t part_ = 0, asm_path_ = 0, first_definition_ = 0, first_component_ = 0;
  std::uint64_t first_result_ = 0, next_result_ = 0, next_actual_ = 0;
  std::uint64_t samples_ = 0;  // of the study; 0: there is none
};

}  // namespace datum
