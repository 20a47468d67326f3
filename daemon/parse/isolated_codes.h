// Codes in a picture are looked for by datumd-parse: the decoder is a large library, and a board's print is anybody's.
#pragma once

#include "daemon/parse/parser_client.h"
#include "drivers/codes/code_reader.h"

namespace datum {

/// Of its process, which is started with the first image.
ParserClientSettings code_parse_settings();

class IsolatedCodes final : public CodeReader {
 public:
  explicit IsolatedCodes(ParserClient& link) : link_(link) {}
  std::vector<ReadCode> read(const GreyImage& image) const override;

 private:
  ParserClient& link_;
};

}  // namespace datum
