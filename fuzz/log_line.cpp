// Whatever lines stand in a log whose hashes are right, each is an error with its line or a record, which is
// written as it was read; a reader takes the batch or says what is wrong with it.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <mirab/model/assert.hpp>

#include "live/decider.hpp"
#include "live/reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mirab;
  using namespace mirab::live;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const Result<std::vector<Record>> records = records_of(bytes);
  if (!records) {
    MIRAB_ASSERT(!records.error().message.empty() && records.error().line > 0,
                 "an error says what and where");
    return 0;
  }
  for (const Record& record : *records) {
    const Json json = json_of(record);
    const Result<Record> again = record_of(json);
    MIRAB_ASSERT(again && json_of(*again) == json, "a record is read as it is written");
    (void)audit_of(record);
  }
  if (records->empty()) return 0;
  const Settings settings =
      *make_settings({"cpu:milli", "memory:bytes", "gpu"}, "drf", "best-fit", 7, "fuzz");
  Reader reader = *Reader::from(settings);
  Batch batch{.first = records->front().stamp.revision,
              .last = records->back().stamp.revision,
              .wall = records->back().stamp.wall,
              .body = std::string(bytes)};
  batch.hash = chain_hash(first_hash(settings.cluster_id), batch.body);
  if (const auto changes = reader.apply(batch)) {
    MIRAB_ASSERT(reader.broken_invariant().empty(), "the invariants hold");
  } else {
    MIRAB_ASSERT(!changes.error().message.empty(), "a batch that is refused is refused with a reason");
  }
  return 0;
}
