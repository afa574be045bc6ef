/* From C: why tasks wait. */
#include <mirab/engine.h>

#include <math.h>
#include <string.h>

#include "expect.h"

/* The tests of the engine prove that why_waiting() is right: these test how its answer comes to C. */
static void why_a_task_waits(void) {
  const char* const resources[] = {"cpu", "memory"};
  const int64_t capacity[] = {4, 8}, one[] = {1, 2}, four[] = {4, 2};
  int64_t to_free[] = {-1, -1};
  char text[1000] = "";
  mirab_id server = 0, a = 0, b = 0, job_a = 0, job_b = 0;
  mirab_placed placed;
  mirab_why why, older;

  mirab_engine* engine = mirab_engine_new(resources, 2, "drf", "first-fit", NULL, 0);
  EXPECT(mirab_server_added(engine, 0, "s", capacity, NULL, 0, &server) == MIRAB_OK);
  EXPECT(mirab_user_added(engine, 0, "a", "1", &a) == MIRAB_OK);
  EXPECT(mirab_user_added(engine, 0, "b", "1", &b) == MIRAB_OK);
  EXPECT(mirab_job_submitted(engine, 0, a, one, 9, NULL, 0, NULL, 0, &job_a) == MIRAB_OK);
  EXPECT(mirab_step(engine, 0, &placed) == MIRAB_OK);
  EXPECT(mirab_job_submitted(engine, 0, b, one, 1, NULL, 0, NULL, 0, &job_b) == MIRAB_OK);

  memset(&why, 0, sizeof why);
  why.size = sizeof why;
  EXPECT(mirab_why_waiting(engine, 1, job_a, &why, to_free, text, sizeof text) == MIRAB_OK);
  EXPECT(why.size == sizeof why && why.waiting == 8);
  EXPECT(why.with_room == 1 && why.full == 0 && why.drained == 0 && why.too_small == 0 && why.not_allowed == 0);
  EXPECT(!why.has_nearest && to_free[0] == 0 && to_free[1] == 0);
  EXPECT(why.users_ahead == 1 && why.users_tied == 0 && why.older_jobs == 0 && why.own_ahead == 0);
  EXPECT(why.has_next && why.next_user == b && why.next_job == job_b && why.next_key == 0);
  EXPECT(why.key == 0.25);
  EXPECT(isnan(why.with_weight)); /* nobody comes before a user with the key 0 by weight */
  EXPECT(strstr(text, "b") != NULL);

  EXPECT(mirab_job_submitted(engine, 1, b, four, 1, NULL, 0, NULL, 0, &job_b) == MIRAB_OK);
  EXPECT(mirab_why_waiting(engine, 1, job_b, &why, to_free, NULL, 0) == MIRAB_OK);
  EXPECT(why.full == 1 && why.has_nearest && why.nearest == server && to_free[0] == 1 && to_free[1] == 0);

  memset(&older, 0x7f, sizeof older);
  older.size = offsetof(mirab_why, with_room); /* an older caller gets fewer fields */
  EXPECT(mirab_why_waiting(engine, 1, job_a, &older, NULL, NULL, 0) == MIRAB_OK);
  EXPECT(older.waiting == 8 && older.with_room == 0x7f7f7f7f7f7f7f7f);
  EXPECT(older.size == offsetof(mirab_why, with_room));

  EXPECT(mirab_step_and_why(engine, 1, &placed, text, sizeof text) == MIRAB_OK && placed.user == b);
  EXPECT(strstr(text, "b") != NULL);
  EXPECT(mirab_step_and_why(engine, 1, &placed, NULL, 0) == MIRAB_OK && placed.user == a);

  EXPECT(mirab_why_waiting(engine, 1, 99, &why, NULL, NULL, 0) == MIRAB_NOTHING);
  EXPECT(mirab_why_waiting(engine, 1, job_a, NULL, NULL, NULL, 0) == MIRAB_OK);
  mirab_engine_free(engine);
}

static mirab_id submitted(mirab_engine* engine, int64_t now, mirab_id user, int64_t cpu, int64_t disk, int64_t tasks,
                          const mirab_terms* terms) {
  const int64_t demand[] = {cpu, disk};
  mirab_id job = 0;
  EXPECT(mirab_job_submitted_with(engine, now, user, demand, tasks, NULL, 0, NULL, 0, terms, &job) == MIRAB_OK);
  return job;
}

static mirab_why why_of(mirab_engine* engine, mirab_id job) {
  mirab_why why;
  memset(&why, 0, sizeof why);
  why.size = sizeof why;
  EXPECT(mirab_why_waiting(engine, 20, job, &why, NULL, NULL, 0) == MIRAB_OK);
  return why;
}

static int64_t counted(const mirab_why* why) {
  return why->with_room + why->not_allowed + why->too_small + why->drained + why->full + why->kept + why->pack +
         why->per_server + why->spread;
}

#define SERVERS 5

/* Nothing can be placed: old is drained, north is kept for a large task, and bare has no disk. */
static void every_server_is_counted_once(void) {
  static const char* const kOptions =
      "{\"resources\": [\"cpu\", \"disk\"], \"discipline\": {\"name\": \"drf\", \"options\": {}}, "
      "\"placement\": {\"name\": \"first-fit\", \"options\": {}}, \"tie\": \"first\", \"oversized\": "
      "\"refuse\", \"reservations\": {\"after\": 18, \"servers\": 1}}";
  static const char* const kNames[SERVERS] = {"north", "south", "west", "bare", "old"};
  static const int64_t kCapacity[SERVERS][2] = {{5, 9}, {4, 9}, {2, 9}, {4, 0}, {9, 9}};
  static const char* const kZones[SERVERS] = {"a", "b", "c", "d", "d"};
  static const char* const kRegions[SERVERS] = {"N", "S", "N", "S", "S"};
  mirab_terms pack = {sizeof pack, 0, 0, NULL, 0, "region"}, spread = {sizeof spread, 0, 0, "zone", 0, NULL};
  mirab_terms per_server = {sizeof per_server, 0, 2, NULL, 0, NULL}, gang = {sizeof gang, 3, 0, NULL, 0, NULL};
  static const int64_t kOneCpu[2] = {1, 0}, kNothing[2] = {0, 0};
  mirab_server_held_event some_held = {sizeof some_held, 0, kOneCpu}, none_held = {sizeof none_held, 0, kNothing};
  mirab_id server = 0, u = 0, v = 0, jobs[SERVERS];
  mirab_placed placed;
  mirab_why why;
  char error[200] = "";
  int k;

  mirab_engine* engine = mirab_engine_new_with(kOptions, error, sizeof error);
  EXPECT(engine != NULL);
  for (k = 0; k < SERVERS; ++k) {
    const mirab_label labels[] = {{"zone", kZones[k]}, {"region", kRegions[k]}};
    EXPECT(mirab_server_added(engine, 0, kNames[k], kCapacity[k], labels, 2, &server) == MIRAB_OK);
  }
  EXPECT(mirab_server_drained(engine, 0, server) == MIRAB_OK);
  EXPECT(mirab_user_added(engine, 0, "u", "1", &u) == MIRAB_OK);
  EXPECT(mirab_user_added(engine, 0, "v", "1", &v) == MIRAB_OK);
  /* The large task has waited longest: a part of north is held until the others have started. */
  EXPECT(mirab_apply_server_held(engine, 0, &some_held) == MIRAB_OK);
  jobs[3] = submitted(engine, 0, v, 5, 0, 1, NULL);
  jobs[0] = submitted(engine, 5, u, 1, 1, 9, &pack);
  jobs[1] = submitted(engine, 5, u, 1, 1, 9, &spread);
  jobs[2] = submitted(engine, 5, u, 1, 1, 9, &per_server);
  EXPECT(mirab_step_all(engine, 5, SIZE_MAX, NULL, NULL, NULL) == MIRAB_OK);
  EXPECT(mirab_apply_server_held(engine, 5, &none_held) == MIRAB_OK);
  EXPECT(mirab_step_all(engine, 5, SIZE_MAX, NULL, NULL, NULL) == MIRAB_OK);
  jobs[4] = submitted(engine, 5, v, 2, 0, 3, &gang);
  EXPECT(mirab_step(engine, 5, &placed) == MIRAB_NOTHING);
  EXPECT(mirab_step(engine, 20, &placed) == MIRAB_NOTHING);

  for (k = 0; k < 5; ++k) {
    why = why_of(engine, jobs[k]);
    EXPECT(counted(&why) == SERVERS && why.drained == 1 && !why.is_next);
    EXPECT(why.kept == (k == 3 ? 0 : 1)); /* it is kept for the large one itself */
    EXPECT(why.together == (k == 4 ? 3 : 1) && why.together_room == (k == 4 ? 2 : 0));
    EXPECT(why.pack == (k == 0) && why.spread == (k == 1) && why.per_server == (k == 2));
  }
  EXPECT(mirab_job_cancelled(engine, 20, jobs[0], NULL, NULL) == MIRAB_OK); /* now north has room */
  why = why_of(engine, jobs[3]);
  EXPECT(counted(&why) == SERVERS && why.with_room == 1 && why.is_next);
  EXPECT(mirab_step(engine, 20, &placed) == MIRAB_OK && placed.job == jobs[3] && placed.server == 0);
  mirab_engine_free(engine);
}

/* A caller built before the terms gets the fields that it knows; one that knows more gets all. */
static void callers_of_other_versions_are_told_what_they_know(void) {
  const char* const resources[] = {"cpu"};
  const int64_t one[] = {1};
  mirab_id server = 0, user = 0, job = 0;
  struct {
    mirab_why why;
    int64_t later;
  } grown;
  mirab_why before;

  mirab_engine* engine = mirab_engine_new(resources, 1, "drf", "first-fit", NULL, 0);
  EXPECT(mirab_server_added(engine, 0, "s", one, NULL, 0, &server) == MIRAB_OK);
  EXPECT(mirab_user_added(engine, 0, "u", "1", &user) == MIRAB_OK);
  EXPECT(mirab_job_submitted(engine, 0, user, one, 2, NULL, 0, NULL, 0, &job) == MIRAB_OK);
  memset(&grown, 0x7f, sizeof grown);
  grown.why.size = sizeof grown;
  EXPECT(mirab_why_waiting(engine, 0, job, &grown.why, NULL, NULL, 0) == MIRAB_OK);
  EXPECT(grown.why.size == sizeof grown && grown.why.is_next == 1 && grown.later == 0x7f7f7f7f7f7f7f7f);
  memset(&before, 0x7f, sizeof before);
  before.size = offsetof(mirab_why, kept);
  EXPECT(mirab_why_waiting(engine, 0, job, &before, NULL, NULL, 0) == MIRAB_OK);
  EXPECT(before.with_room == 1 && before.kept == 0x7f7f7f7f7f7f7f7f && before.is_next == 0x7f7f7f7f);
  mirab_engine_free(engine);
}

int main(void) {
  why_a_task_waits();
  every_server_is_counted_once();
  callers_of_other_versions_are_told_what_they_know();
  return failures == 0 ? 0 : 1;
}
