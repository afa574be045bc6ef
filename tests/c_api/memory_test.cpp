// When memory runs out the functions of the C API say so, and no exception leaves them.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#include <mirab/engine.h>

#include "expect.h"

namespace {

bool memory_is_out = false;

/// What `call` returns when nothing can be allocated.
template <class Call>
mirab_status without_memory(const Call& call) {
  memory_is_out = true;
  const mirab_status status = call();
  memory_is_out = false;
  return status;
}

}  // namespace

void* operator new(std::size_t size) {
  void* const bytes = memory_is_out ? nullptr : std::malloc(size);
  if (bytes == nullptr) throw std::bad_alloc();
  return bytes;
}
void operator delete(void* bytes) noexcept { std::free(bytes); }
void operator delete(void* bytes, std::size_t) noexcept { std::free(bytes); }

int main() {
  const char* const resources[] = {"cpu", "memory"};
  const std::int64_t four[] = {4, 4}, one[] = {1, 1};
  std::int64_t amounts[] = {7, 7}, running = 7;
  mirab_id server = 0, user = 0, job = 0;
  mirab_placed placed;

  mirab_engine* engine = mirab_engine_new(resources, 2, "drf", "first-fit", nullptr, 0);
  EXPECT(mirab_server_added(engine, 0, "s", four, nullptr, 0, &server) == MIRAB_OK);
  EXPECT(mirab_user_added(engine, 0, "u", "1", &user) == MIRAB_OK);
  EXPECT(mirab_job_submitted(engine, 0, user, one, 9, nullptr, 0, nullptr, 0, &job) == MIRAB_OK);
  EXPECT(mirab_step(engine, 0, &placed) == MIRAB_OK);

  EXPECT(without_memory([&] { return mirab_user_state(engine, user, amounts, &running, nullptr); }) ==
         MIRAB_FAILED);
  EXPECT(without_memory([&] { return mirab_server_free(engine, server, amounts); }) == MIRAB_FAILED);
  EXPECT(amounts[0] == 7 && running == 7);
  EXPECT(without_memory([&] { return mirab_job_state(engine, job, nullptr, &running); }) == MIRAB_OK);
  EXPECT(without_memory([&] { return mirab_why_waiting(engine, 0, job, nullptr, amounts, nullptr, 0); }) ==
         MIRAB_FAILED);
  EXPECT(mirab_server_free(engine, server, amounts) == MIRAB_OK && amounts[0] == 3);
  mirab_engine_free(engine);
  return failures == 0 ? 0 : 1;
}
