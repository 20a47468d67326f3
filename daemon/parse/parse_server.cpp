#include "daemon/parse/parse_server.h"

#include <malloc.h>
#include <stdlib.h>
#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <new>
#include <stdexcept>
#include <system_error>

#include "config/toml_reader.h"
#include "daemon/parse/flat_toml.h"
#include "daemon/system/packets.h"
#include "daemon/version/version.h"
#include "drivers/sensor/file_bytes.h"

namespace datum {
namespace {

/// An order's parts in the input block.
ParseParts parts_in(ParseBlock& input, const ParseOrder& order) {
  std::size_t size = 0;
  for (const std::uint64_t bytes : order.part_bytes) size += bytes;
  ParseParts parts{};
  if (size == 0) return parts;
  const std::uint8_t* at = input.mapped(size);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    parts[i] = {at, order.part_bytes[i]};
    at += order.part_bytes[i];
  }
  return parts;
}

class ParseServer {
 public:
  ParseServer(int socket, const ParseHandlers& handlers) : socket_(socket), handlers_(handlers) {}

  void serve() {
    for (;;) {
      ParseOrder order;
      int fd = -1;
      const long size = receive_packet(socket_, &order, sizeof order, &fd, true);
      if (size == 0) return;
      if (size != sizeof order)
        throw std::runtime_error("a packet of " + std::to_string(size) + " bytes is no order");
      if (order.kind == ParseKind::take_input)
        input_ = ParseBlock(fd);
      else if (order.kind == ParseKind::take_output)
        output_ = ParseBlock(fd);
      else
        send(done(order));
    }
  }

 private:
  void send(const ParseAnswer& answer) { send_packet(socket_, &answer, sizeof answer); }

  ParseAnswer done(const ParseOrder& order) {
    ParseAnswer answer;
    answer.number = order.number;
    try {
      output_.write_mapped(0, &order.number, sizeof order.number);
      const auto handler = handlers_.find(order.kind);
      if (handler == handlers_.end()) throw std::runtime_error("an order of an unknown kind");
      handler->second(order, parts_in(input_, order),
                      [&](const ParseOutput& output) { put(output, answer); });
    } catch (const config::ConfigError& error) {
      refuse_text(error, answer);
    } catch (const std::bad_alloc&) {
      put_text(answer.text, "needs more memory to be read than it may take");
    } catch (const std::exception& error) {
      put_text(answer.text, error.what());
    }
    return answer;
  }

  void put(const ParseOutput& output, ParseAnswer& answer) {
    const auto& head = output.head.bytes();
    output_.write_mapped(parse_output_at, head.data(), head.size());
    answer.head_bytes = head.size();
    std::uint64_t at = parse_output_at + head.size();
    for (std::size_t i = 0; i < output.arrays.size(); ++i) {
      output_.write_mapped(at, output.arrays[i].data(), output.arrays[i].size());
      at += answer.array_bytes[i] = output.arrays[i].size();
    }
    answer.status = ParseStatus::done;
  }

  void refuse_text(const config::ConfigError& error, ParseAnswer& answer) {
    ParseOutput output;
    put_refusal(output.head, error);
    put(output, answer);
    answer.status = ParseStatus::refused;
  }

  const int socket_;
  const ParseHandlers& handlers_;
  ParseBlock input_, output_;
};

/// What libraries look for in the file system, or ask the kernel, when they are used first.
void warm_up() {
  static_cast<void>(sha256_hex({}));
  ::setenv("TZ", "UTC0", 1);  // else libzip's times look for a zone's file
  ::tzset();
  int many[512] =
      {};  // above 1024 bytes glibc's qsort, which libtiff calls, asks once how much memory there is
  std::qsort(many, std::size(many), sizeof *many, [](const void* a, const void* b) {
    return *static_cast<const int*>(a) - *static_cast<const int*>(b);
  });
#ifdef __GLIBC__
  constexpr int kept = 1 << 28;  // of freed memory, so that the next frame finds it there
  mallopt(M_MMAP_THRESHOLD, kept);
  mallopt(M_TRIM_THRESHOLD, kept);
#endif
}

}  // namespace

int run_parse_server(int socket, const ConfinementLimits& limits, const ParseHandlers& handlers) {
  warm_up();
  ParseGreeting greeting;
  put_text(greeting.code, code_id());
  greeting.confined = can_confine();
  try {
    confine(limits);
  } catch (const std::system_error& error) {
    std::fprintf(stderr, "datumd-parse: %s\n", error.what());
    return exit_unconfined;
  }
  send_packet(socket, &greeting, sizeof greeting);
  ParseServer(socket, handlers).serve();
  return 0;
}

}  // namespace datum
