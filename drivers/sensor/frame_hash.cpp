#include "drivers/sensor/frame_hash.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "drivers/frame/frame_error.h"
#include "gpu/core/parallel_for.h"

namespace datum {
namespace {

using Context = std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)>;
using Tag = std::array<std::uint8_t, 64>;  // one block of SHA-256

Tag tag_of(std::string_view kind) {
  const std::string text = fmt::format("datumd sha256-tree-256KiB {}", kind);
  Tag tag{};
  std::copy(text.begin(), text.end(), tag.begin());
  return tag;
}

[[noreturn]] void fail_hash() { throw FrameError("OpenSSL can't compute a SHA-256"); }

Context started(std::string_view kind) {
  Context context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  const Tag tag = tag_of(kind);
  if (!context || EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) != 1 ||
      EVP_DigestUpdate(context.get(), tag.data(), tag.size()) != 1)
    fail_hash();
  return context;
}

void update(EVP_MD_CTX* context, ByteView bytes) {
  if (EVP_DigestUpdate(context, bytes.data(), bytes.size()) != 1) fail_hash();
}

void update(EVP_MD_CTX* context, std::uint64_t number) {
  std::array<std::uint8_t, 8> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(number >> (8 * i));
  update(context, bytes);
}

Digest finished(EVP_MD_CTX* context) {
  Digest digest{};
  unsigned size = 0;
  if (EVP_DigestFinal_ex(context, digest.data(), &size) != 1 || size != digest.size()) fail_hash();
  return digest;
}

}  // namespace

struct LeafHasher::Contexts {
  Context tag = started("leaf"), leaf = Context(EVP_MD_CTX_new(), EVP_MD_CTX_free);

  /// A leaf's hash behind its tag.
  EVP_MD_CTX* begin() const {
    if (!leaf || EVP_MD_CTX_copy_ex(leaf.get(), tag.get()) != 1) fail_hash();
    return leaf.get();
  }
};

LeafHasher::LeafHasher() : contexts_(std::make_unique<Contexts>()) {}
LeafHasher::~LeafHasher() = default;
LeafHasher::LeafHasher(LeafHasher&&) noexcept = default;

LeafHasher& LeafHasher::of_this_thread() {
  static thread_local LeafHasher hasher;
  return hasher;
}

Digest LeafHasher::digest(const std::vector<ByteView>& pieces) {
  EVP_MD_CTX* const context = contexts_->begin();
  for (const ByteView piece : pieces) update(context, piece);
  return finished(context);
}

std::vector<ByteView> cut_of(const std::vector<ByteView>& pieces, std::uint64_t from, std::uint64_t size) {
  std::vector<ByteView> cut;
  for (const ByteView piece : pieces) {
    if (from < piece.size() && size > 0) {
      const std::uint64_t n = std::min<std::uint64_t>(piece.size() - from, size);
      cut.push_back(piece.subspan(from, n));
      size -= n;
      from = 0;
    } else {
      from -= std::min<std::uint64_t>(from, piece.size());
    }
  }
  return cut;
}

HashedPart hashed_part(const std::vector<ByteView>& pieces, unsigned threads, std::vector<Digest> known) {
  HashedPart part;
  for (const ByteView piece : pieces) part.bytes += piece.size();
  const std::size_t first = known.size();
  part.leaves = std::move(known);
  part.leaves.resize(leaves_of(part.bytes));
  parallel_for(threads, part.leaves.size() - first, [&](std::size_t k, unsigned) {
    const std::size_t i = first + k;
    part.leaves[i] =
        LeafHasher::of_this_thread().digest(cut_of(pieces, i * hash_leaf_bytes, hash_leaf_bytes));
  });
  return part;
}

std::string tree_identity(const std::vector<HashedPart>& parts) {
  const Context context = started("list");
  update(context.get(), parts.size());
  for (const HashedPart& part : parts) {
    update(context.get(), part.bytes);
    for (const Digest& leaf : part.leaves) update(context.get(), leaf);
  }
  std::string text(prefix_of(HashScheme::tree));
  for (const std::uint8_t byte : finished(context.get())) text += fmt::format("{:02x}", byte);
  return text;
}

std::string identity_of(HashScheme scheme, const std::vector<ByteView>& parts, unsigned threads) {
  if (scheme == HashScheme::sha256) return sha256_hex(parts);
  std::vector<HashedPart> hashed;
  for (const ByteView part : parts) hashed.push_back(hashed_part({part}, threads));
  return tree_identity(hashed);
}

}  // namespace datum
