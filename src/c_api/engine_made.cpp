// How an engine comes to be: from names, from options in JSON, from a snapshot; and the snapshot.
#include <utility>

#include <mirab/scheduling/snapshot.hpp>

#include "c_api/engine_handle.hpp"
#include "c_api/text.hpp"
#include "scheduling/engine_json.hpp"

namespace {

using namespace mirab::scheduling;
using mirab::Error;
using mirab::Result;
using mirab::c_api::made;

Result<mirab_engine*> handle(Result<Engine> engine) {
  if (!engine) return std::move(engine).error();
  return new mirab_engine{.engine = *std::move(engine)};
}

Result<mirab_engine*> from_names(const char* const* resources, std::size_t resource_count,
                                 const char* discipline, const char* placement) {
  Result<mirab::Choice> whom = mirab::choose_discipline(discipline);
  if (!whom) return whom.error();
  Result<mirab::Choice> where = mirab::choose_placement(placement);
  if (!where) return where.error();
  return handle(Engine::from({.resources = {resources, resources + resource_count},
                              .discipline = *std::move(whom),
                              .placement = *std::move(where)}));
}

Result<mirab_engine*> from_json(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return Error{.message = "this is not JSON"};
  std::optional<Error> wrong;
  EngineOptions options = options_of(JsonReader(json, wrong));
  if (wrong) return *std::move(wrong);
  return handle(Engine::from(std::move(options)));
}

}  // namespace

int mirab_engine_version() { return MIRAB_ENGINE_VERSION; }

mirab_engine* mirab_engine_new(const char* const* resources, size_t resource_count, const char* discipline,
                               const char* placement, char* error, size_t size) {
  return made([&] { return from_names(resources, resource_count, discipline, placement); }, error, size);
}

mirab_engine* mirab_engine_new_with(const char* options, char* error, size_t size) {
  return made([&] { return from_json(options); }, error, size);
}

mirab_engine* mirab_engine_restore(const void* bytes, size_t length, char* error, size_t size) {
  return made([&] { return handle(restore({static_cast<const char*>(bytes), length})); }, error, size);
}

void mirab_engine_free(mirab_engine* engine) { delete engine; }

size_t mirab_engine_snapshot(const mirab_engine* engine, void* bytes, size_t size) {
  try {
    const std::string all = snapshot(engine->engine);
    if (bytes != nullptr && all.size() <= size) std::copy(all.begin(), all.end(), static_cast<char*>(bytes));
    return all.size();
  } catch (const std::exception&) {
    return 0;
  }
}
