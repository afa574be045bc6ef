// Whatever bytes come, the readers of what an API server sends answer with an error that says where, or with
// events: the same events however the bytes are cut. And a kubeconfig is read, or refused with file and key.
//
// The first line says what reads the rest: `kubeconfig`, `list`, `watch N` with the bytes of a piece;
// anything else tries all.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <mirab/model/assert.hpp>

#include "kubernetes/api/kubeconfig.hpp"
#include "kubernetes/api/reflector.hpp"

namespace {

using namespace mirab;
using namespace mirab::kubernetes;

/// What a reflector gives to its sink, as text.
class Calls final : public ObjectSink {
 public:
  void begin_list() override { text += "begin\n"; }
  void put(Node object) override { text += "put " + std::to_string(object.entries.size()) + "\n"; }
  void remove(Node object) override { text += "remove " + std::to_string(object.entries.size()) + "\n"; }
  void end_list() override { text += "end\n"; }
  std::string text;
};

/// All that came of a watch of these bytes, and what is asked next.
std::string watched(std::string_view text, std::size_t piece) {
  Reflector reflector(kPods, 1);
  Calls calls;
  reflector.next();
  reflector.take_answer(200, {}, R"({"kind":"PodList","metadata":{"resourceVersion":"1"},"items":[]})",
                        calls);
  reflector.next();
  bool goes_on = true;
  for (std::size_t at = 0; at < text.size() && goes_on; at += piece)
    goes_on = reflector.take_bytes(text.substr(at, piece), calls);
  reflector.end();
  const std::string trouble = reflector.trouble() ? describe(*reflector.trouble()) : "";
  const Reflector::Step step = reflector.next();
  const bool is_watch = step.what == Reflector::Do::watch;
  MIRAB_ASSERT(is_watch || !reflector.is_current(), "a list is due only where the copy is in doubt");
  return calls.text + trouble + "\n" + (is_watch ? step.query[1].second : "list");
}

void check_kubeconfig(const std::string& text, Syntax syntax) {
  const std::vector<InputText> files{{.name = "input", .text = text, .syntax = syntax}};
  const Result<ApiAccess> access = read_kubeconfig(files, "");
  if (access) {
    MIRAB_ASSERT(!access->server.empty(), "an access has a server");
    return;
  }
  MIRAB_ASSERT(!access.error().message.empty() && access.error().file == "input", "an error says where");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string_view which = text.substr(0, text.find('\n'));
  const bool is_named = which == "kubeconfig" || which == "list" || which.starts_with("watch ");
  if (is_named) text.remove_prefix(std::min(which.size() + 1, text.size()));
  if (!is_named || which == "kubeconfig") {
    check_kubeconfig(std::string(text), Syntax::yaml);
    check_kubeconfig(std::string(text), Syntax::json);
  }
  if (!is_named || which == "list") {
    const Result<ListPage> page = read_list_page(text, "input");
    MIRAB_ASSERT(!page || !page->version.empty(), "a list has a version");
    static_cast<void>(read_status(500, text));
  }
  if (!is_named || which.starts_with("watch ")) {
    const std::size_t piece = which.size() == 7 ? static_cast<unsigned char>(which[6]) : 1;
    MIRAB_ASSERT(watched(text, std::max<std::size_t>(1, piece)) == watched(text, size + 1),
                 "events do not depend on where they are cut");
  }
  return 0;
}
