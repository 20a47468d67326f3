#include "daemon/sign/sign_server.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <limits>
#include <sstream>
#include <system_error>

#include "daemon/sign/hex.h"
#include "daemon/sign/sign_stream.h"

namespace datum {
namespace {

constexpr std::uint64_t most_body = std::uint64_t{1} << 30, most_links = 100'000;  // per request

std::string counted(const char* what, const SignedHead& head) {
  const std::string text = text_of(head);
  return fmt::format("{} {}\n{}", what, text.size(), text);
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

/// Reads all bodies, also for a refusal: a client that still sends would miss the answer.
std::string sign(SignStream& client, HeadSigner& signer, const std::vector<std::string>& words) {
  std::optional<Descent> way;
  std::string refusal;
  try {
    if (!is_hex(words[3], 64)) throw SignRefused("a link's hash has 64 hex digits");
    way.emplace(signer.descend(
        words[1], {SignStream::number_of(words[2], std::numeric_limits<std::int64_t>::max()), words[3]}));
  } catch (const SignRefused& refused) {
    refusal = refused.what();
  }
  std::uint64_t links = 0;
  while (const std::uint64_t bytes = SignStream::number_of(client.line(), most_body)) {
    if (++links > most_links) throw SignStreamError(fmt::format("more than {} links at once", most_links));
    if (way) way->begin_link();
    client.take(bytes, [&](std::string_view part) {
      if (way) way->add(part);
    });
    if (way) way->end_link();
  }
  if (!way) throw SignRefused(refusal);
  return counted("SIGNED", signer.sign(*way));
}

std::string answer_to(SignStream& client, HeadSigner& signer, const std::string& line) {
  const std::vector<std::string> words = words_of(line);
  if (words.size() == 2 && words[0] == "LAST") {
    const auto last = signer.last(words[1]);
    return last ? counted("HEAD", *last) : "NONE\n";
  }
  if (words.size() == 4 && words[0] == "SIGN") return sign(client, signer, words);
  throw SignStreamError("neither LAST nor SIGN");
}

}  // namespace

void answer_client(int socket, HeadSigner& signer, const SignServerSettings& settings) {
  SignStream client(socket, settings.timeout);
  const auto log = [&](const std::string& text) {
    if (settings.log) settings.log(text);
  };
  try {
    for (std::string line = client.line();; line = client.line()) {
      std::string answer;
      try {
        answer = answer_to(client, signer, line);
      } catch (const SignStreamError&) {
        throw;
      } catch (const std::exception& error) {  // refused, or the state could not be written
        log(error.what());
        answer = fmt::format("REFUSED {}\n", std::string(error.what()).substr(0, 400));
      }
      client.send(answer);
    }
  } catch (const SignStreamError& error) {
    if (std::string(error.what()) != "the other side hung up") log(fmt::format("a client: {}", error.what()));
  }
}

int listen_for_clients(const std::filesystem::path& path) {
  sockaddr_un at{};
  at.sun_family = AF_UNIX;
  const std::string name = path.string();
  if (name.size() >= sizeof at.sun_path) throw std::system_error(ENAMETOOLONG, std::generic_category(), name);
  std::memcpy(at.sun_path, name.c_str(), name.size() + 1);
  ::unlink(name.c_str());
  const int listening = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const mode_t before = ::umask(0117);
  const bool good = listening >= 0 &&
                    ::bind(listening, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0 &&
                    ::listen(listening, 8) == 0;
  const int why = errno;
  ::umask(before);
  if (!good) throw std::system_error(why, std::generic_category(), name);
  return listening;
}

void serve_clients(int listening, HeadSigner& signer, const SignServerSettings& settings) {
  for (;;) {
    const int client = ::accept4(listening, nullptr, nullptr, SOCK_CLOEXEC);
    if (client >= 0)
      answer_client(client, signer, settings);
    else if (errno != EINTR && errno != ECONNABORTED)
      throw std::system_error(errno, std::generic_category(), "accept");
  }
}

}  // namespace datum
