// Whatever bytes come, decode() answers with a reason or with a letter that encodes to the very same bytes:
// the bytes as they are, and with a checksum that fits them, so that what stands behind it is reached.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <libdeflate.h>
#include <span>
#include <variant>
#include <vector>

#include <mirab/model/assert.hpp>
#include <mirab/overlay/wire.hpp>

namespace {

using namespace mirab::overlay;

constexpr NodeId kReader = 9;
constexpr mirab::Time kNow{std::chrono::milliseconds(3'600'001)};  // when the letters of the corpus were sent
constexpr WireLimits kAnyTime{.lifetime = mirab::Duration::max(), .skew = mirab::Duration::max()};

void read(std::span<const std::uint8_t> bytes, const WireLimits& limits) {
  const std::variant<AddressedMessage, Drop> read = decode(bytes, kReader, kNow, limits);
  if (const Drop* reason = std::get_if<Drop>(&read)) {
    MIRAB_ASSERT(!name_of(*reason).empty(), "a reason has a name");
    return;
  }
  std::vector<std::uint8_t> again;
  MIRAB_ASSERT(encode(std::get<AddressedMessage>(read), again) == bytes.size(), "a letter has one length");
  MIRAB_ASSERT(std::ranges::equal(again, bytes), "a letter has one encoding");
}

// With the last bytes replaced by the checksum of those before.
std::vector<std::uint8_t> sealed(std::span<const std::uint8_t> bytes) {
  std::vector<std::uint8_t> all(bytes.begin(), bytes.end());
  std::uint32_t checksum = 0;
  if (all.size() < sizeof checksum) return all;
  const std::size_t covered = all.size() - sizeof checksum;
  checksum = libdeflate_crc32(0, all.data(), covered);
  std::memcpy(all.data() + covered, &checksum, sizeof checksum);
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::uint8_t> bytes(data, size);
  read(bytes, {});
  read(sealed(bytes), kAnyTime);
  return 0;
}
