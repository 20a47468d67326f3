#include "daemon/store/signing_client.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "daemon/sign/sign_stream.h"
#include "daemon/store/chain_reader.h"

namespace datum {
namespace {

namespace fs = std::filesystem;

int connected(const fs::path& path) {
  sockaddr_un at{};
  at.sun_family = AF_UNIX;
  const std::string name = path.string();
  if (name.size() >= sizeof at.sun_path)
    throw SigningError(fmt::format("{}: a socket's path has fewer than {} bytes", name, sizeof at.sun_path));
  std::memcpy(at.sun_path, name.c_str(), name.size() + 1);
  // Non-blocking: a signer with a full queue must not block this thread.
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd >= 0 && ::connect(fd, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0) return fd;
  const int why = errno;
  if (fd >= 0) ::close(fd);
  throw SigningError(fmt::format("{}: the signer is not there: {}; systemctl status 'datumd-sign*'", name,
                                 std::strerror(why)));
}

class Conversation {
 public:
  Conversation(const SigningRequest& request)
      : request_(request), chain_(request.store), signer_(connected(request.socket), request.timeout) {}

  Signatures run() {
    signer_.send(fmt::format("LAST {}\n", chain_.store_id()));
    const std::optional<SignedHead> last = told();
    Signatures got;
    const ChainPlace head = chain_.head();
    if (last) {
      compare(*last, head);
      got.heads.push_back(*last);
      if (last->head == head) return got;
    }
    if (head.link == 0) return got;
    const ChainPlace from = last ? last->head : head;
    signer_.send(fmt::format("SIGN {} {} {}\n", chain_.store_id(), from.link, from.sha256));
    const ChainPlace to = show_between(from, head);
    const auto next = told();
    if (!next) throw SigningError("the signer answers NONE to SIGN");
    if (next->head != to)
      throw SigningError(fmt::format(
          "the signer's hash of link {} is not the store's: what was stored since link {} was altered; "
          "'datumctl verify results' shows what",
          to.link, from.link));
    if (next->after != (last ? last->head : ChainPlace{}))
      throw SigningError(name_of(*next) + " does not follow the one before it");
    got.heads.push_back(*next);
    got.more = to != head;
    return got;
  }

 private:
  /// The answer of the signer: none, or a valid signed head of this store.
  std::optional<SignedHead> told() {
    const std::string line = signer_.line();
    if (line == "NONE") return std::nullopt;
    if (line.rfind("REFUSED ", 0) == 0) throw SigningError("the signer refuses: " + line.substr(8));
    const std::size_t space = line.find(' ');
    if (space == std::string::npos) throw SigningError("the signer says what it never does");
    std::string text;
    signer_.take(SignStream::number_of(line.substr(space + 1), most_signed_head_bytes),
                 [&](std::string_view part) { text += part; });
    SignedHead head = signed_head_of(text);
    if (!is_good(head) || head.store != chain_.store_id())
      throw SigningError("the signer's signature is not good, or of another store");
    return head;
  }

  /// The chain must contain the signed entry; otherwise it was changed since.
  void compare(const SignedHead& last, const ChainPlace& head) const {
    if (last.head.link > head.link)
      throw SigningError(
          fmt::format("{} is of link {}, the chain ends with {}: the store was cut, or set back",
                      name_of(last), last.head.link, head.link));
    const auto here = chain_.place(last.head.link);
    if (here && *here != last.head)
      throw SigningError(
          fmt::format("link {} is not what {} says: the store was rewritten", last.head.link, name_of(last)));
    if (!here)
      throw SigningError(
          fmt::format("link {}, which {} is of, was removed before the next signature; datumd(8), "
                      "SIGNATURES, says how to "
                      "begin again",
                      last.head.link, name_of(last)));
  }

  /// Sends the bodies, and returns the place of the last one.
  ChainPlace show_between(const ChainPlace& from, const ChainPlace& head) {
    ChainPlace to = from;
    std::uint64_t links = 0, bytes = 0;
    chain_.bodies_after(from.link, [&](const ChainPlace& place, const std::string& body) {
      if (place.link > head.link) return false;
      signer_.send(fmt::format("{}\n", body.size()));
      signer_.send(body);
      to = place;
      return ++links < request_.most_links && (bytes += body.size()) < request_.most_bytes;
    });
    signer_.send("0\n");
    return to;
  }

  const SigningRequest& request_;
  ChainReader chain_;
  SignStream signer_;
};

}  // namespace

Signatures ask_for_signature(const SigningRequest& request) try {
  return Conversation(request).run();
} catch (const SignStreamError& error) {
  throw SigningError(fmt::format("{}: the signer: {}", request.socket.string(), error.what()));
} catch (const SignedHeadError& error) {
  throw SigningError(fmt::format("{}: the signer's record: {}", request.socket.string(), error.what()));
}

}  // namespace datum
