// The lines of a watch, however they are cut, and the pages of a list.
#include "kubernetes/api/watch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubernetes/node_rows.hpp"
#include "kubernetes/objects.hpp"

namespace mirab::kubernetes {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Type = WatchEvent::Type;

const std::string kEvents =
    R"({"type":"ADDED","object":{"kind":"Pod","metadata":{"name":"a","resourceVersion":"11",)"
    R"("managedFields":[{"manager":"kubectl"}],"annotations":{"say":"{\"type\":\"\\n\"} \u00e9 }"}}}})"
    "\n"
    R"({"type":"MODIFIED","object":{"kind":"Pod","metadata":{"name":"a","resourceVersion":"12"}}})"
    "\r\n\n"
    R"({"type":"SOMETHING_NEW","object":7})"
    "\n"
    R"({"type":"DELETED","object":{"kind":"Pod","metadata":{"name":"a","resourceVersion":"13"}}})"
    "\n"
    R"({"type":"BOOKMARK","object":{"kind":"Pod","metadata":{"resourceVersion":"20"}}})"
    "\n"
    R"({"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired","message":"too old"}})"
    "\n";

/// What came of the bytes, an event a text.
std::vector<std::string> texts_of(const std::vector<std::string_view>& pieces) {
  WatchReader reader("/watch");
  std::vector<std::string> texts;
  for (const std::string_view piece : pieces) {
    const Check wrong = reader.take(piece, [&](const WatchEvent& event) {
      const Node* const name = value_at(event.object, "/metadata/name");
      texts.push_back(std::to_string(static_cast<int>(event.type)) + " " + event.version + " " +
                      (name == nullptr ? "" : name->text) + event.status.reason);
    });
    EXPECT_FALSE(wrong) << wrong->message;
  }
  EXPECT_FALSE(reader.is_within_line());
  return texts;
}

TEST(Watch, AnEventIsTheSameWhereverItsBytesAreCut) {
  const std::vector<std::string> whole = texts_of({kEvents});
  EXPECT_THAT(whole, ElementsAre("0 11 a", "1 12 a", "2 13 a", "3 20 ", "4  Expired"));
  const std::string_view all = kEvents;
  for (std::size_t cut = 0; cut <= all.size(); ++cut)
    EXPECT_EQ(texts_of({all.substr(0, cut), all.substr(cut)}), whole) << "cut at byte " << cut;
  std::vector<std::string_view> bytes;
  for (std::size_t i = 0; i < all.size(); ++i) bytes.push_back(all.substr(i, 1));
  EXPECT_EQ(texts_of(bytes), whole);
}

TEST(Watch, AnErrorCarriesItsStatusAndAnObjectLosesItsManagedFields) {
  WatchReader reader("/watch");
  EXPECT_FALSE(reader.take(kEvents, [](const WatchEvent& event) {
    EXPECT_EQ(value_at(event.object, "/metadata/managedFields"), nullptr);
    if (event.type == Type::added) {
      EXPECT_EQ(value_at(event.object, "/metadata/annotations/say")->text, "{\"type\":\"\\n\"} \u00e9 }");
    }
    if (event.type != Type::error) return;
    EXPECT_EQ(event.status.code, 410);
    EXPECT_EQ(event.status.message, "too old");
  }));
}

TEST(Watch, OnlyTheManagedFieldsOfMetadataAreLeftOut) {
  WatchReader reader("/watch");
  const std::string line =
      R"({"type":"ADDED","object":{"metadata":{"name":"a","managedFields":[{"fieldsV1":)"
      R"({"f:spec":{"k:{\"name\":\"c\"}":{".":{}}}},"time":null},7,[]],"resourceVersion":"3",)"
      R"("labels":{"managedFields":"x"}},"managedFields":1,"spec":{"managedFields":[1,2]}}})"
      "\n";
  int events = 0;
  EXPECT_FALSE(reader.take(line, [&](const WatchEvent& event) {
    ++events;
    EXPECT_EQ(event.version, "3");
    EXPECT_EQ(value_at(event.object, "/metadata")->entries.size(), 3U);
    EXPECT_EQ(value_at(event.object, "/metadata/labels/managedFields")->text, "x");
    EXPECT_EQ(value_at(event.object, "/managedFields")->text, "1");
    EXPECT_EQ(value_at(event.object, "/spec/managedFields")->entries.size(), 2U);
  }));
  EXPECT_EQ(events, 1);
}

TEST(Watch, AnObjectIsReadAsThatOfAFile) {
  WatchReader reader("/watch");
  std::string line =
      R"({"type":"ADDED","object":{"kind":"Node","metadata":{"name":"n1","resourceVersion":"3"},)"
      R"("status":{"allocatable":{"cpu":"4","memory":"8Gi"}}}})"
      "\n";
  int events = 0;
  EXPECT_FALSE(reader.take(line, [&](const WatchEvent& event) {
    ++events;
    const auto row = read_node_row({.kind = "Node", .root = &event.object, .pointer = ""}, "/watch");
    ASSERT_TRUE(row) << row.error().message;
    EXPECT_EQ(row->name, "n1");
    EXPECT_EQ(row->allocatable.at("cpu"), 4000);
  }));
  EXPECT_EQ(events, 1);
}

TEST(Watch, ALineHasEightMebibytesAtMost) {
  const std::string head = R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"1"},"x":")";
  const std::string tail = R"("}})";
  for (const std::size_t more : {0U, 1U}) {
    const std::string line =
        head + std::string(WatchReader::kLongestLine - head.size() - tail.size() + more, 'x') + tail + "\n";
    WatchReader reader("/watch");
    int events = 0;
    Check wrong;
    for (std::size_t at = 0; at < line.size() && !wrong; at += 65'536)
      wrong = reader.take(std::string_view(line).substr(at, 65'536), [&](const WatchEvent&) { ++events; });
    EXPECT_EQ(wrong.has_value(), more == 1);
    EXPECT_EQ(events, more == 1 ? 0 : 1);
    if (wrong) {
      EXPECT_EQ(wrong->message, "a line has more than 8388608 bytes");
    }
  }
}

TEST(Watch, WhatIsNoEventIsAnErrorWithItsLine) {
  const std::string good = R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"1"}}})"
                           "\n";
  for (const auto& [bad, key] : std::vector<std::pair<std::string, std::string>>{
           {"{\"type\":\"ADDED\"", ""},
           {"<html>", ""},
           {"7", "type"},
           {R"({"type":{}})", "type"},
           {R"({"type":"ADDED"})", "object"},
           {R"({"type":"ADDED","object":[]})", "object"},
           {R"({"type":"ADDED","object":{}})", "object.metadata.resourceVersion"},
           {R"({"type":"ADDED","object":{"metadata":7}})", "object.metadata.resourceVersion"}}) {
    WatchReader reader("/watch");
    int events = 0;
    const auto count = [&](const WatchEvent&) { ++events; };
    const Check wrong = reader.take(good + bad + "\n" + good, count);
    ASSERT_TRUE(wrong) << bad;
    EXPECT_EQ(wrong->file, "/watch");
    EXPECT_EQ(wrong->line, 2) << bad;
    if (!key.empty()) {
      EXPECT_EQ(wrong->key, key);
    }
    EXPECT_EQ(events, 1) << "after an error nothing is taken";
    EXPECT_FALSE(reader.take(good, count));
    EXPECT_EQ(events, 1);
  }
}

TEST(ListPage, HasItsObjectsItsVersionAndTheTokenOfTheNext) {
  const auto page =
      read_list_page(R"({"kind":"PodList","metadata":{"resourceVersion":"9","continue":"abc"},"items":[)"
                     R"({"metadata":{"name":"a","managedFields":[]}},{"metadata":{"name":"b"}}]})",
                     "/pods");
  ASSERT_TRUE(page);
  EXPECT_EQ(page->version, "9");
  EXPECT_EQ(page->continued, "abc");
  ASSERT_EQ(page->items.size(), 2U);
  EXPECT_EQ(value_at(page->items[1], "/metadata/name")->text, "b");
  EXPECT_EQ(value_at(page->items[0], "/metadata/managedFields"), nullptr);
  const auto empty =
      read_list_page(R"({"kind":"PodList","metadata":{"resourceVersion":"9"},"items":null})", "/pods");
  ASSERT_TRUE(empty);
  EXPECT_TRUE(empty->items.empty());
  EXPECT_EQ(empty->continued, "");
}

TEST(ListPage, WhatIsNoListIsAnErrorWithItsKey) {
  for (const auto& [body, key] : std::vector<std::pair<std::string, std::string>>{
           {"", ""},
           {"{", ""},
           {R"({"kind":"Pod","metadata":{"resourceVersion":"1"}})", "kind"},
           {R"({"kind":"PodList","metadata":{}})", "metadata.resourceVersion"},
           {R"({"kind":"PodList","metadata":{"resourceVersion":"1"},"items":7})", "items"},
           {R"({"kind":"PodList","metadata":{"resourceVersion":"1"},"items":[{},7]})", "items[1]"}}) {
    const auto page = read_list_page(body, "/pods");
    ASSERT_FALSE(page) << body;
    EXPECT_EQ(page.error().file, "/pods");
    EXPECT_EQ(page.error().key, key) << body;
  }
}

TEST(ApiStatus, IsThatOfTheBodyOrTheBodyItself) {
  const ApiStatus status = read_status(
      409, R"({"kind":"Status","code":409,"reason":"AlreadyExists","message":"pod is already assigned"})");
  EXPECT_EQ(status.code, 409);
  EXPECT_EQ(status.reason, "AlreadyExists");
  EXPECT_EQ(status.message, "pod is already assigned");
  EXPECT_EQ(read_status(502, "<html>\x1b[2J bad gateway").message, "<html>?[2J bad gateway");
  EXPECT_EQ(read_status(502, std::string(5000, 'x')).message.size(), 200U);
}

}  // namespace
}  // namespace mirab::kubernetes
