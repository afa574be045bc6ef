/* The engine from C: every function once, and what is refused. */
#include <mirab/engine.h>

#include <stdlib.h>
#include <string.h>

#include "expect.h"

typedef struct seen {
  size_t count;
  mirab_id job;
} seen;

static void count_lost(void* context, mirab_id task, mirab_id job) {
  seen* lost = context;
  (void)task;
  ++lost->count;
  lost->job = job;
}

/* The slides' table 1: 9 CPUs and 18 GB, tasks (1, 4) and (3, 1): B and A are served in turn, 3 and 2 tasks. */
static void the_slides(void) {
  const char* const resources[] = {"cpu", "memory"};
  const int64_t capacity[] = {9, 18};
  const int64_t demand_a[] = {1, 4};
  const int64_t demand_b[] = {3, 1};
  char error[200] = "";
  mirab_id server = 0, a = 0, b = 0, job_a = 0, job_b = 0;
  mirab_placed placed;
  int64_t used[2] = {0, 0}, running = 0, waiting = 0, left[2] = {0, 0};
  double share = 0;
  int steps = 0;

  mirab_engine* engine = mirab_engine_new(resources, 2, "drf", "first-fit", error, sizeof error);
  EXPECT(engine != NULL);
  EXPECT(mirab_server_added(engine, 0, "pool", capacity, NULL, 0, &server) == MIRAB_OK);
  EXPECT(mirab_user_added(engine, 0, "A", "1", &a) == MIRAB_OK);
  EXPECT(mirab_user_added(engine, 0, "B", "1", &b) == MIRAB_OK);
  EXPECT(mirab_job_submitted(engine, 0, a, demand_a, 100, NULL, 0, NULL, 0, &job_a) == MIRAB_OK);
  EXPECT(mirab_job_submitted(engine, 0, b, demand_b, 100, NULL, 0, NULL, 0, &job_b) == MIRAB_OK);
  while (mirab_step(engine, 1, &placed) == MIRAB_OK) {
    EXPECT(placed.server == server);
    ++steps;
  }
  EXPECT(steps == 5);
  EXPECT(mirab_user_state(engine, a, used, &running, &share) == MIRAB_OK);
  EXPECT(used[0] == 3 && used[1] == 12 && running == 3);
  EXPECT(share > 0.6666 && share < 0.6667);
  EXPECT(mirab_job_state(engine, job_b, &waiting, &running) == MIRAB_OK);
  EXPECT(waiting == 98 && running == 2);
  EXPECT(mirab_server_free(engine, server, left) == MIRAB_OK);
  EXPECT(left[0] == 0 && left[1] == 4);

  EXPECT(mirab_task_failed(engine, 2, placed.task) == MIRAB_OK);
  EXPECT(mirab_task_finished(engine, 2, placed.task) == MIRAB_REFUSED);
  EXPECT(strstr(mirab_engine_error(engine), "task") != NULL);
  EXPECT(mirab_step(engine, 2, &placed) == MIRAB_OK);
  EXPECT(mirab_task_finished(engine, 3, placed.task) == MIRAB_OK);
  EXPECT(mirab_engine_error(engine)[0] == '\0');
  mirab_engine_free(engine);
}

static void servers_come_and_go(void) {
  const char* const resources[] = {"cpu"};
  const int64_t one[] = {1}, two[] = {2}, negative[] = {-1};
  const mirab_label fast = {"disk", "ssd"}, slow = {"disk", "hdd"};
  const char* const named[] = {"s"};
  seen lost = {0, 0};
  mirab_id s = 0, t = 0, user = 0, job = 0, other = 0;
  mirab_placed placed;

  mirab_engine* engine = mirab_engine_new(resources, 1, "fifo", "random", NULL, 0);
  EXPECT(engine != NULL);
  mirab_engine_seed(engine, 7);
  EXPECT(mirab_server_added(engine, 0, "s", one, &fast, 1, &s) == MIRAB_OK);
  EXPECT(mirab_server_added(engine, 0, "t", one, &slow, 1, &t) == MIRAB_OK);
  EXPECT(mirab_server_added(engine, 0, "u", negative, NULL, 0, &other) == MIRAB_REFUSED);
  EXPECT(mirab_user_added(engine, 0, "u", "half", &user) == MIRAB_REFUSED);
  EXPECT(mirab_user_added(engine, 0, "u", "0.5", &user) == MIRAB_OK);
  EXPECT(mirab_user_reweighted(engine, 0, user, "2") == MIRAB_OK);
  EXPECT(mirab_job_submitted(engine, 0, user, two, 1, NULL, 0, NULL, 0, &job) == MIRAB_REFUSED);
  EXPECT(mirab_job_submitted(engine, 0, user, one, 2, named, 1, &fast, 1, &job) == MIRAB_OK);
  EXPECT(mirab_job_submitted(engine, 0, user, one, 1, named, 1, &slow, 1, &other) == MIRAB_REFUSED);
  EXPECT(mirab_step(engine, 0, &placed) == MIRAB_OK && placed.server == s && placed.job == job);
  EXPECT(mirab_step(engine, 0, &placed) == MIRAB_NOTHING);
  EXPECT(mirab_server_removed(engine, 0, s) == MIRAB_REFUSED);
  EXPECT(mirab_server_changed(engine, 0, s, two) == MIRAB_OK);
  EXPECT(mirab_server_drained(engine, 0, s) == MIRAB_OK);
  EXPECT(mirab_step(engine, 0, &placed) == MIRAB_NOTHING);
  EXPECT(mirab_server_reopened(engine, 0, s) == MIRAB_OK);
  EXPECT(mirab_step(engine, 0, &placed) == MIRAB_OK);
  EXPECT(mirab_server_failed(engine, 1, s, count_lost, &lost) == MIRAB_OK);
  EXPECT(lost.count == 2 && lost.job == job);
  EXPECT(mirab_server_removed(engine, 1, t) == MIRAB_OK);
  EXPECT(mirab_user_removed(engine, 1, user) == MIRAB_REFUSED);
  EXPECT(mirab_job_cancelled(engine, 0, job, NULL, NULL) == MIRAB_REFUSED); /* time goes back */
  EXPECT(mirab_job_cancelled(engine, 2, job, NULL, NULL) == MIRAB_OK);
  EXPECT(mirab_job_state(engine, job, NULL, NULL) == MIRAB_NOTHING);
  EXPECT(mirab_user_removed(engine, 2, user) == MIRAB_OK);
  EXPECT(mirab_user_state(engine, user, NULL, NULL, NULL) == MIRAB_NOTHING);
  EXPECT(mirab_server_free(engine, s, NULL) == MIRAB_NOTHING);
  mirab_engine_free(engine);
}

static void snapshots(void) {
  const char* const options =
      "{\"resources\": [\"cpu\"], \"discipline\": {\"name\": \"drf\", \"options\": {}}, \"placement\": {\"name\": "
      "\"first-fit\", \"options\": {}}, \"tie\": \"last\", \"oversized\": \"wait\", \"half_life\": 1000000000}";
  const int64_t three[] = {3}, one[] = {1};
  char error[100] = "";
  mirab_id server = 0, a = 0, b = 0, job = 0;
  mirab_placed first, again;
  size_t size;
  char* bytes;
  mirab_engine* restored;

  mirab_engine* engine = mirab_engine_new_with(options, error, sizeof error);
  EXPECT(engine != NULL);
  EXPECT(mirab_user_added(engine, 0, "a", "1", &a) == MIRAB_OK);
  EXPECT(mirab_user_added(engine, 0, "b", "1", &b) == MIRAB_OK);
  EXPECT(mirab_job_submitted(engine, 0, a, one, 2, NULL, 0, NULL, 0, &job) == MIRAB_OK); /* it waits */
  EXPECT(mirab_job_submitted(engine, 0, b, one, 2, NULL, 0, NULL, 0, &job) == MIRAB_OK);
  EXPECT(mirab_server_added(engine, 0, "s", three, NULL, 0, &server) == MIRAB_OK);
  EXPECT(mirab_step(engine, 0, &first) == MIRAB_OK && first.user == b); /* the tie goes to the last */

  size = mirab_engine_snapshot(engine, NULL, 0);
  EXPECT(size > 0);
  bytes = malloc(size);
  bytes[0] = 'x';
  EXPECT(mirab_engine_snapshot(engine, bytes, size - 1) == size && bytes[0] == 'x');
  EXPECT(mirab_engine_snapshot(engine, bytes, size) == size);
  restored = mirab_engine_restore(bytes, size, error, sizeof error);
  EXPECT(restored != NULL);
  EXPECT(mirab_step(engine, 1, &first) == MIRAB_OK && mirab_step(restored, 1, &again) == MIRAB_OK);
  EXPECT(first.task == again.task && first.user == a && again.user == a && first.job == again.job);
  EXPECT(mirab_task_finished(restored, 2, again.task) == MIRAB_OK);
  EXPECT(mirab_server_changed(restored, 2, server, one) == MIRAB_OK);
  EXPECT(mirab_engine_restore(bytes, size - 1, error, sizeof error) == NULL && error[0] != '\0');
  free(bytes);
  mirab_engine_free(restored);
  mirab_engine_free(engine);
}

static void what_cannot_be_made(void) {
  const char* const resources[] = {"cpu"};
  char error[24];
  EXPECT(mirab_engine_new(resources, 1, "drff", "first-fit", error, sizeof error) == NULL);
  EXPECT(strlen(error) == sizeof error - 1); /* cut off */
  EXPECT(mirab_engine_new(resources, 0, "drf", "first-fit", error, sizeof error) == NULL);
  EXPECT(mirab_engine_new_with("{", error, sizeof error) == NULL);
  EXPECT(mirab_engine_new_with("{\"tie\": 1}", error, sizeof error) == NULL);
  EXPECT(strlen(error) > 0);
  mirab_engine_free(NULL);
  EXPECT(mirab_engine_version() == MIRAB_ENGINE_VERSION);
  EXPECT(mirab_decision_version() > 0);
}

int main(void) {
  the_slides();
  servers_come_and_go();
  snapshots();
  what_cannot_be_made();
  return failures == 0 ? 0 : 1;
}
