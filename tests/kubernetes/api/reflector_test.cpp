// List, watch, resume, list again: against a collection that forgets its history and breaks at every byte.
#include "kubernetes/api/reflector.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "kubernetes/objects.hpp"

namespace mirab::kubernetes {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using Do = Reflector::Do;

std::string text_at(const Node& object, std::string_view pointer) {
  const Node* const node = value_at(object, pointer);
  return node == nullptr ? "" : node->text;
}

/// Keeps objects as ObjectSink says: the version of each uid.
class Copy final : public ObjectSink {
 public:
  void begin_list() override {
    unseen.clear();
    for (const auto& [uid, version] : objects) unseen.insert(uid);
    ++lists_begun;
  }
  void put(Node object) override {
    const std::string uid = text_at(object, "/metadata/uid");
    objects[uid] = text_at(object, "/metadata/resourceVersion");
    unseen.erase(uid);
  }
  void remove(Node object) override { objects.erase(text_at(object, "/metadata/uid")); }
  void end_list() override {
    for (const std::string& uid : unseen) objects.erase(uid);
    unseen.clear();
    ++lists_ended;
  }

  std::map<std::string, std::string> objects;
  std::set<std::string> unseen;
  int lists_begun = 0;
  int lists_ended = 0;
};

std::string object_text(const std::string& uid, int version) {
  return fmt::format(R"({{"metadata":{{"uid":"{}","resourceVersion":"{}"}}}})", uid, version);
}

std::string event_line(const std::string& type, const std::string& uid, int version) {
  return fmt::format("{{\"type\":\"{}\",\"object\":{}}}\n", type, object_text(uid, version));
}

std::string page_text(int version, const std::vector<std::string>& items, const std::string& more = "") {
  return fmt::format(
      R"({{"kind":"PodList","metadata":{{"resourceVersion":"{}","continue":"{}"}},"items":[{}]}})", version,
      more, fmt::join(items, ","));
}

const std::string kExpired =
    "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"code\":410,\"reason\":\"Expired\"}}\n";

std::string value_of(const Reflector::Step& step, const std::string& name) {
  const auto found = std::find_if(step.query.begin(), step.query.end(),
                                  [&](const auto& each) { return each.first == name; });
  return found == step.query.end() ? "" : found->second;
}

TEST(Reflector, ListsPageByPageFromAQuorumThenWatchesFromThatVersion) {
  Reflector reflector(kPods, 1);
  Copy copy;
  EXPECT_EQ(reflector.pause(), 0ms);
  Reflector::Step step = reflector.next();
  EXPECT_EQ(step.what, Do::list);
  EXPECT_EQ(step.path, "/api/v1/pods");
  EXPECT_THAT(step.query,
              ElementsAre(std::pair("limit", "500"),
                          std::pair("fieldSelector", "status.phase!=Succeeded,status.phase!=Failed")));
  reflector.take_answer(200, {}, page_text(5, {object_text("a", 1)}, "next one"), copy);
  EXPECT_FALSE(reflector.is_current()) << "half a list";
  step = reflector.next();
  EXPECT_EQ(value_of(step, "continue"), "next one");
  EXPECT_EQ(value_of(step, "limit"), "500");
  reflector.take_answer(200, {}, page_text(5, {object_text("b", 4)}), copy);
  EXPECT_TRUE(reflector.is_current());
  EXPECT_THAT(copy.objects, ElementsAre(std::pair("a", "1"), std::pair("b", "4")));
  step = reflector.next();
  EXPECT_EQ(step.what, Do::watch);
  EXPECT_EQ(value_of(step, "watch"), "1");
  EXPECT_EQ(value_of(step, "resourceVersion"), "5");
  EXPECT_EQ(value_of(step, "allowWatchBookmarks"), "true");
  EXPECT_EQ(value_of(step, "fieldSelector"), "status.phase!=Succeeded,status.phase!=Failed");
  EXPECT_GE(std::stoi(value_of(step, "timeoutSeconds")), 300);
  EXPECT_LE(std::stoi(value_of(step, "timeoutSeconds")), 600);
  EXPECT_EQ(copy.lists_begun, 1);
  EXPECT_EQ(copy.lists_ended, 1);
}

/// A reflector that watches from version 5, with `a` of version 5.
struct Watching {
  Watching() {
    reflector.next();
    reflector.take_answer(200, {}, page_text(5, {object_text("a", 5)}), copy);
    reflector.next();
    reflector.take_bytes("", copy);
  }
  Reflector reflector{kNodes, 7};
  Copy copy;
};

TEST(Reflector, GoesOnFromTheLastVersionSeenWhereverTheWatchBreaks) {
  const std::string lines =
      event_line("ADDED", "b", 6) + event_line("MODIFIED", "a", 8) + event_line("DELETED", "b", 9) +
      "{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"30\"}}}\n";
  for (std::size_t cut = 0; cut <= lines.size(); ++cut) {
    Watching at;
    EXPECT_TRUE(at.reflector.take_bytes(std::string_view(lines).substr(0, cut), at.copy));
    const bool is_end = cut % 2 == 0;  // EOF or a broken connection
    at.reflector.end(is_end ? std::optional<Error>() : Error{.message = "reset"});
    const Reflector::Step step = at.reflector.next();
    ASSERT_EQ(step.what, Do::watch);
    const auto whole = std::count(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(cut), '\n');
    const std::vector<std::string> versions = {"5", "6", "8", "9", "30"};
    EXPECT_EQ(value_of(step, "resourceVersion"), versions[static_cast<std::size_t>(whole)]);
    const bool is_within = cut > 0 && lines[cut - 1] != '\n';
    EXPECT_EQ(at.reflector.trouble().has_value(), !is_end || is_within) << cut;
    EXPECT_EQ(at.reflector.is_current(), !at.reflector.trouble());
    EXPECT_EQ(at.copy.lists_begun, 1);
    // The rest comes again from that version, and the copy is whole.
    at.reflector.take_bytes("", at.copy);
    EXPECT_TRUE(at.reflector.is_current());
    std::size_t rest = 0;
    for (auto i = whole; i > 0; --i) rest = lines.find('\n', rest) + 1;
    EXPECT_TRUE(at.reflector.take_bytes(std::string_view(lines).substr(rest), at.copy));
    EXPECT_THAT(at.copy.objects, ElementsAre(std::pair("a", "8")));
  }
}

TEST(Reflector, ListsAgainWhenTheVersionIsTooOldAndForgetsWhatIsNoLongerThere) {
  for (const bool is_event : {true, false}) {
    Watching at;
    if (is_event) {
      EXPECT_FALSE(at.reflector.take_bytes(kExpired + event_line("ADDED", "ghost", 7), at.copy));
      at.reflector.end();
    } else {
      at.reflector.take_answer(410, {}, R"({"kind":"Status","reason":"Gone","message":"old"})", at.copy);
    }
    EXPECT_FALSE(at.reflector.is_current());
    EXPECT_EQ(at.reflector.refused_with(), 410);
    EXPECT_EQ(at.reflector.pause(), 0ms);
    EXPECT_EQ(at.reflector.next().what, Do::list);
    at.reflector.take_answer(200, {}, page_text(50, {object_text("c", 49)}), at.copy);
    EXPECT_TRUE(at.reflector.is_current());
    EXPECT_THAT(at.copy.objects, ElementsAre(std::pair("c", "49")));
    EXPECT_EQ(value_of(at.reflector.next(), "resourceVersion"), "50");
    // A server that forgets at once is not asked without end.
    at.reflector.take_bytes(kExpired, at.copy);
    at.reflector.end();
    EXPECT_GE(at.reflector.pause(), 500ms);
  }
}

TEST(Reflector, ListsWithoutPagesWhenAListExpiresBetweenTwo) {
  Reflector reflector(kPods, 1);
  Copy copy;
  copy.objects = {{"gone", "1"}};
  reflector.next();
  reflector.take_answer(200, {}, page_text(5, {object_text("a", 1)}, "more"), copy);
  EXPECT_EQ(value_of(reflector.next(), "continue"), "more");
  reflector.take_answer(410, {}, R"({"kind":"Status","reason":"Expired"})", copy);
  Reflector::Step step = reflector.next();
  EXPECT_EQ(step.what, Do::list);
  EXPECT_EQ(value_of(step, "limit"), "");
  EXPECT_EQ(value_of(step, "continue"), "");
  reflector.take_answer(200, {}, page_text(8, {object_text("b", 7)}), copy);
  EXPECT_THAT(copy.objects, ElementsAre(std::pair("b", "7")));
  EXPECT_EQ(copy.lists_begun, 2);
  EXPECT_EQ(copy.lists_ended, 1);
  // The next list has pages again.
  reflector.next();
  reflector.take_bytes(kExpired, copy);
  reflector.end();
  EXPECT_EQ(value_of(reflector.next(), "limit"), "500");
}

TEST(Reflector, WaitsAsLongAsTheServerAsksOrLongerEachTime) {
  Reflector reflector(kPods, 3);
  Copy copy;
  reflector.next();
  reflector.take_answer(429, 7s, "", copy);
  EXPECT_EQ(reflector.refused_with(), 429);
  EXPECT_GE(reflector.pause(), 7s);
  std::chrono::milliseconds least{1'000};
  for (int i = 0; i < 8; ++i) {
    reflector.take_answer(500, {}, R"({"kind":"Status","message":"etcd is away"})", copy);
    EXPECT_GE(reflector.pause(), least);
    EXPECT_LE(reflector.pause(), 30s);
    EXPECT_EQ(reflector.next().what, Do::list);
    least = std::min<std::chrono::milliseconds>(2 * least, 15'000ms);
  }
  EXPECT_THAT(reflector.trouble()->message, HasSubstr("answered 500: etcd is away"));
  reflector.take_answer(200, {}, page_text(5, {}), copy);
  EXPECT_FALSE(reflector.trouble());
  EXPECT_EQ(reflector.pause(), 0ms);
}

TEST(Reflector, AsksAgainWithinFiveSecondsWhenItsCredentialsAreRefused) {
  Reflector reflector(kPods, 3);
  Copy copy;
  for (int i = 0; i < 8; ++i) {
    reflector.next();
    reflector.take_answer(401, {}, R"({"kind":"Status","message":"Unauthorized"})", copy);
    EXPECT_GE(reflector.pause(), 500ms);
    EXPECT_LE(reflector.pause(), 5s);
  }
}

TEST(Reflector, KeepsItsPageWhenThatFailsAndItsVersionWhenAWatchIsRefusedForNow) {
  Reflector reflector(kPods, 1);
  Copy copy;
  reflector.next();
  reflector.take_answer(200, {}, page_text(5, {}, "more"), copy);
  reflector.next();
  reflector.end(Error{.message = "time-out"});
  EXPECT_EQ(value_of(reflector.next(), "continue"), "more");
  reflector.take_answer(200, {}, page_text(5, {}), copy);
  EXPECT_EQ(copy.lists_begun, 1);
  for (const int status : {401, 403, 429, 500, 503}) {
    EXPECT_EQ(value_of(reflector.next(), "resourceVersion"), "5");
    reflector.take_answer(status, {}, "no", copy);
    EXPECT_EQ(reflector.refused_with(), status);
    EXPECT_FALSE(reflector.is_current());
  }
  reflector.next();
  reflector.take_answer(400, {}, "what version?", copy);
  EXPECT_EQ(reflector.next().what, Do::list);
}

TEST(Reflector, WaitsLessAgainAfterAPageAndNeverListsWithoutEndForAServerThatForgetsAtOnce) {
  Reflector reflector(kPods, 5);
  Copy copy;
  for (int i = 0; i < 6; ++i) reflector.take_answer(500, {}, "", copy);
  EXPECT_GE(reflector.pause(), 15s);
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(reflector.next().what, Do::list);
    reflector.take_answer(200, {}, page_text(5, {}), copy);
    ASSERT_EQ(reflector.next().what, Do::watch);
    EXPECT_FALSE(reflector.take_bytes(kExpired, copy));
    reflector.end();
    EXPECT_GE(reflector.pause(), 1s);
    EXPECT_LE(reflector.pause(), 2s);
  }
}

TEST(Reflector, NamesThePermissionThatIsMissing) {
  Reflector reflector(kPods, 1);
  Copy copy;
  reflector.next();
  reflector.take_answer(403, {}, R"({"kind":"Status","message":"pods is forbidden"})", copy);
  EXPECT_EQ(reflector.trouble()->key, "list pods");
  EXPECT_EQ(reflector.trouble()->message, "answered 403: pods is forbidden");
  reflector.take_answer(200, {}, page_text(5, {}), copy);
  reflector.next();
  reflector.take_answer(403, {}, "no", copy);
  EXPECT_EQ(reflector.trouble()->key, "watch pods");
}

TEST(Reflector, ListsAgainAfterALineThatItCannotRead) {
  Watching at;
  EXPECT_FALSE(at.reflector.take_bytes(event_line("ADDED", "b", 6) + "garbage\n", at.copy));
  at.reflector.end(Error{.message = "stopped by the callback"});
  EXPECT_THAT(at.reflector.trouble()->message, HasSubstr("syntax error"));
  EXPECT_GT(at.reflector.pause(), 0ms);
  EXPECT_EQ(at.reflector.next().what, Do::list);
}

TEST(Reflector, AsksAgainAtOnceForAWatchThatIsSilentAndGrowsNoSlowerByThat) {
  Watching at;
  const std::string version = value_of(at.reflector.next(), "resourceVersion");
  for (int i = 0; i < 10; ++i) {
    at.reflector.take_bytes("", at.copy);
    at.reflector.fall_silent();
    EXPECT_EQ(at.reflector.pause(), 0ms);
    EXPECT_FALSE(at.reflector.trouble());
    const Reflector::Step step = at.reflector.next();
    EXPECT_EQ(step.what, Do::watch);
    EXPECT_EQ(value_of(step, "resourceVersion"), version);
  }
  at.reflector.end(Error{.message = "connection refused"});
  EXPECT_LE(at.reflector.pause(), 1s) << "the first failure";
  at.reflector.next();
  at.reflector.take_bytes("{\"type\":", at.copy);
  at.reflector.fall_silent();
  EXPECT_TRUE(at.reflector.trouble()) << "silence within a line";
}

TEST(Reflector, DoesNotAskAtOnceForAWatchThatEndsAtOnce) {
  Watching at;
  at.reflector.end();
  EXPECT_EQ(at.reflector.pause(), 0ms);
  at.reflector.next();
  at.reflector.end();
  EXPECT_EQ(at.reflector.pause(), 1s);
  at.reflector.next();
  at.reflector.take_bytes(event_line("MODIFIED", "a", 6), at.copy);
  at.reflector.end();
  EXPECT_EQ(at.reflector.pause(), 0ms);
  EXPECT_EQ(at.reflector.watches(), 3U);
}

}  // namespace
}  // namespace mirab::kubernetes
