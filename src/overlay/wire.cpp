// The names of the kinds of messages, in the order of Message.
#include <array>
#include <chrono>
#include <libdeflate.h>
#include <optional>
#include <utility>

#include <mirab/model/assert.hpp>
#include <mirab/overlay/message.hpp>
#include <mirab/overlay/wire.hpp>

#include "overlay/wire_format.hpp"

namespace mirab::overlay {
namespace {

constexpr std::array<std::string_view, kMessageKinds> kKindNames = {"peer-request",
                                                                    "peer-answer",
                                                                    "gradient-request",
                                                                    "gradient-answer",
                                                                    "push-sum-share",
                                                                    "climb",
                                                                    "share-request",
                                                                    "share-answer",
                                                                    "load-request",
                                                                    "load-answer",
                                                                    "confirm-request",
                                                                    "confirm-answer",
                                                                    "register",
                                                                    "peers",
                                                                    "server-request",
                                                                    "server-answer",
                                                                    "submit",
                                                                    "pause",
                                                                    "received",
                                                                    "walk",
                                                                    "placed",
                                                                    "no-room",
                                                                    "copy",
                                                                    "free",
                                                                    "propose",
                                                                    "accept",
                                                                    "reject",
                                                                    "allocated",
                                                                    "refused",
                                                                    "ended",
                                                                    "end-seen",
                                                                    "renew",
                                                                    "running"};

}  // namespace

std::string_view name_of_kind(std::size_t kind) {
  MIRAB_ASSERT(kind < kKindNames.size(), "one of the alternatives of Message");
  return kKindNames[kind];
}

// The bytes of a letter: version, kind, from, to, time of sending, the message's fields, CRC-32
// (docs/reference/overlay-messages.md). A letter has one encoding only: numbers are as short as can be, and
// nothing follows the end.
//
// Cost: O(bytes), one growth of the buffer to write, one allocation a list to read.
// Known limit: a checksum is no signature; a node believes every peer that can reach it.

namespace {

using std::chrono::milliseconds;

constexpr std::size_t kVersionAndKind = 2;
constexpr std::size_t kChecksum = sizeof(std::uint32_t);

std::uint32_t checksum_of(const std::uint8_t* bytes, std::size_t size) {
  return libdeflate_crc32(0, bytes, size);
}

struct Envelope {
  std::uint8_t kind = 0;  ///< the alternative of Message, from 1 on
  NodeId from = 0, to = 0;
  std::uint64_t sent = 0;  ///< milliseconds since the origin

  template <class Port>
  void pass(Port& port) {
    port.number(from);
    port.number(to);
    port.number(sent);
  }
};

std::size_t room_for(const AddressedMessage& letter, Envelope envelope) {
  WireRoom room;
  envelope.pass(room);
  std::visit(MessageFields(room), letter.message);
  return kVersionAndKind + room.bytes() + kChecksum;
}

Envelope envelope_of(const AddressedMessage& letter) {
  MIRAB_ASSERT(letter.sent >= Time{}, "nothing is sent before the origin");
  const auto since_origin = std::chrono::floor<milliseconds>(letter.sent.time_since_epoch());
  return {.kind = static_cast<std::uint8_t>(letter.message.index() + 1),
          .from = letter.from,
          .to = letter.to,
          .sent = static_cast<std::uint64_t>(since_origin.count())};
}

template <class Kind>
void read_fields(WireReader& reader, Message& message) {
  const MessageFields fields(reader);
  fields(message.emplace<Kind>());
}

using ReadFields = void (*)(WireReader&, Message&);
template <std::size_t... I>
constexpr std::array<ReadFields, sizeof...(I)> readers(std::index_sequence<I...>) {
  return {read_fields<std::variant_alternative_t<I, Message>>...};
}
constexpr auto kReaders = readers(std::make_index_sequence<kMessageKinds>());

// The latest time of sending that can be told.
constexpr std::uint64_t kLatest = std::chrono::floor<milliseconds>(Duration::max()).count();

std::optional<Drop> wrong_time(Time sent, Time now, const WireLimits& limits) {
  if (sent > now) return sent - now > limits.skew ? std::optional(Drop::from_the_future) : std::nullopt;
  return now - sent > limits.lifetime ? std::optional(Drop::too_old) : std::nullopt;
}

// Whether the bytes are whole, of this version, and as they were sent.
std::optional<Drop> wrong_bytes(std::span<const std::uint8_t> bytes) {
  if (bytes.empty()) return Drop::malformed;
  if (bytes[0] != kWireVersion) return Drop::other_version;
  if (bytes.size() < kVersionAndKind + kChecksum) return Drop::malformed;
  const std::size_t covered = bytes.size() - kChecksum;
  std::uint32_t checksum = 0;
  WireReader(bytes.subspan(covered)).as_in_memory(checksum);
  return checksum == checksum_of(bytes.data(), covered) ? std::nullopt : std::optional(Drop::malformed);
}

}  // namespace

std::string_view name_of(Drop reason) {
  constexpr std::array<std::string_view, kDropCount> kNames = {"malformed", "other-version", "wrong-node",
                                                               "from-the-future", "too-old"};
  return kNames[static_cast<std::size_t>(reason)];
}

std::size_t encode(const AddressedMessage& letter, std::vector<std::uint8_t>& bytes) {
  Envelope envelope = envelope_of(letter);
  const std::size_t before = bytes.size();
  bytes.resize(before + room_for(letter, envelope));
  std::uint8_t* const begin = bytes.data() + before;
  WireWriter writer(begin);
  writer.byte(kWireVersion);
  writer.byte(envelope.kind);
  envelope.pass(writer);
  std::visit(MessageFields(writer), letter.message);
  writer.as_in_memory(checksum_of(begin, static_cast<std::size_t>(writer.at() - begin)));
  const auto size = static_cast<std::size_t>(writer.at() - begin);
  bytes.resize(before + size);
  return size;
}

std::variant<AddressedMessage, Drop> decode(std::span<const std::uint8_t> bytes, NodeId reader, Time now,
                                            const WireLimits& limits) {
  std::variant<AddressedMessage, Drop> read;
  if (const auto wrong = wrong_bytes(bytes)) return read = *wrong;
  WireReader port(bytes.subspan(1, bytes.size() - 1 - kChecksum));
  Envelope envelope{.kind = port.byte()};
  envelope.pass(port);
  if (port.failed() || envelope.sent > kLatest) return read = Drop::malformed;
  if (envelope.to != reader) return read = Drop::wrong_node;
  const Time sent(milliseconds(envelope.sent));
  if (const auto wrong = wrong_time(sent, now, limits)) return read = *wrong;
  const std::size_t alternative = envelope.kind - std::size_t{1};
  if (alternative >= kReaders.size()) return read = Drop::malformed;
  AddressedMessage& letter = std::get<AddressedMessage>(read);
  letter.from = envelope.from;
  letter.to = envelope.to;
  letter.sent = sent;
  kReaders[alternative](port, letter.message);
  if (port.failed() || port.left() > 0) read = Drop::malformed;
  return read;
}

}  // namespace mirab::overlay
