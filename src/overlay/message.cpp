// The names of the kinds of messages, in the order of Message.

#include <array>

#include <mirab/model/assert.hpp>
#include <mirab/overlay/message.hpp>

namespace mirab::overlay {
namespace {

constexpr std::array<std::string_view, kMessageKinds> kNames = {"peer-request",
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
  MIRAB_ASSERT(kind < kNames.size(), "one of the alternatives of Message");
  return kNames[kind];
}

}  // namespace mirab::overlay
