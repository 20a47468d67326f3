#include "daemon/report/read_result.h"

#include "daemon/inspection/verdict/known_verdict.h"

namespace datum {

ReadResult read_result(const StoredResult& result) {
  ReadResult read;
  try {
    read.verdict = result.verdict();
  } catch (const StoreError& error) {
    read.fault = error.what();
    try {
      read.verdict = known_verdict(result.json, read.left_out);
    } catch (const std::runtime_error&) {
      read.left_out.clear();
    }
  }
  return read;
}

}  // namespace datum
