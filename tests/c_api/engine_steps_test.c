/* From C: jobs with terms, all that comes of a step, and servers that are kept. */
#include <mirab/engine.h>

#include <string.h>

#include "expect.h"

#define MOST 16

/* What was told, in its order; a task that ended is NOWHERE. */
typedef struct told {
  size_t count;
  size_t ended;
  mirab_placed tasks[MOST];
} told;

#define NOWHERE UINT64_MAX

static void note_start(void* context, const mirab_placed* placed) {
  told* all = context;
  if (all->count < MOST) all->tasks[all->count++] = *placed;
}

static void note_end(void* context, mirab_id task, mirab_id job) {
  told* all = context;
  const mirab_placed ended = {task, job, 0, NOWHERE};
  ++all->ended;
  note_start(context, &ended);
}

static mirab_engine* engine_of(const char* more) {
  static const char* const kBegin =
      "{\"resources\": [\"cpu\"], \"discipline\": {\"name\": \"drf\", \"options\": {}}, \"placement\": {\"name\": "
      "\"first-fit\", \"options\": {}}, \"tie\": \"first\", \"oversized\": \"refuse\"";
  char options[400] = "";
  char error[200] = "";
  mirab_engine* engine;
  strcat(strcat(strcat(options, kBegin), more), "}");
  engine = mirab_engine_new_with(options, error, sizeof error);
  EXPECT(engine != NULL);
  return engine;
}

static mirab_terms no_terms(void) {
  mirab_terms terms;
  memset(&terms, 0, sizeof terms);
  terms.size = sizeof terms;
  return terms;
}

static void a_gang_starts_with_all_its_tasks(void) {
  const int64_t two[] = {2}, one[] = {1};
  mirab_id s = 0, t = 0, user = 0, job = 0, kept_as_it_was = 77;
  mirab_terms terms = no_terms();
  mirab_placed placed;
  char text[400];
  told all = {0};

  mirab_engine* engine = engine_of("");
  EXPECT(mirab_last_step(engine, note_start, note_end, &all) == MIRAB_NOTHING);
  EXPECT(mirab_server_added(engine, 0, "s", two, NULL, 0, &s) == MIRAB_OK);
  EXPECT(mirab_user_added(engine, 0, "u", "1", &user) == MIRAB_OK);
  terms.gang = 3;
  EXPECT(mirab_job_submitted_with(engine, 0, user, one, 3, NULL, 0, NULL, 0, &terms, &kept_as_it_was) ==
         MIRAB_REFUSED);
  EXPECT(strstr(mirab_engine_error(engine), "gang") != NULL && kept_as_it_was == 77);
  EXPECT(mirab_server_added(engine, 0, "t", two, NULL, 0, &t) == MIRAB_OK);
  EXPECT(mirab_job_submitted_with(engine, 0, user, one, 3, NULL, 0, NULL, 0, &terms, &job) == MIRAB_OK);

  EXPECT(mirab_step(engine, 0, &placed) == MIRAB_OK && placed.server == s);
  EXPECT(mirab_last_step(engine, note_start, note_end, &all) == MIRAB_OK);
  EXPECT(all.count == 3 && all.ended == 0);
  EXPECT(memcmp(&all.tasks[0], &placed, sizeof placed) == 0);
  EXPECT(all.tasks[1].server == s && all.tasks[2].server == t);
  EXPECT(all.tasks[2].job == job && all.tasks[2].user == user);
  EXPECT(all.tasks[1].task != placed.task && all.tasks[2].task != all.tasks[1].task);
  EXPECT(mirab_last_step(engine, NULL, NULL, NULL) == MIRAB_OK);
  EXPECT(mirab_step(engine, 0, &placed) == MIRAB_NOTHING);
  EXPECT(mirab_last_step(engine, note_start, note_end, &all) == MIRAB_NOTHING && all.count == 3);

  EXPECT(mirab_job_cancelled(engine, 1, job, NULL, NULL) == MIRAB_OK);
  EXPECT(mirab_job_submitted_with(engine, 1, user, one, 4, NULL, 0, NULL, 0, &terms, &job) == MIRAB_OK);
  memset(&all, 0, sizeof all);
  EXPECT(mirab_step_and_why(engine, 1, &placed, text, sizeof text) == MIRAB_OK);
  EXPECT(mirab_last_step(engine, note_start, NULL, &all) == MIRAB_OK && all.count == 3);
  EXPECT(mirab_step(engine, 1, &placed) == MIRAB_OK); /* beyond the gang tasks start one by one */
  memset(&all, 0, sizeof all);
  EXPECT(mirab_last_step(engine, note_start, NULL, &all) == MIRAB_OK && all.count == 1);
  mirab_engine_free(engine);
}

static void terms_say_where_tasks_may_go(void) {
  const int64_t four[] = {4}, one[] = {1};
  const mirab_label left = {"zone", "left"}, right = {"zone", "right"};
  mirab_id s = 0, t = 0, user = 0, job = 0;
  mirab_terms terms = no_terms();
  told all = {0};

  mirab_engine* engine = engine_of("");
  EXPECT(mirab_server_added(engine, 0, "s", four, &left, 1, &s) == MIRAB_OK);
  EXPECT(mirab_server_added(engine, 0, "t", four, &right, 1, &t) == MIRAB_OK);
  EXPECT(mirab_user_added(engine, 0, "u", "1", &user) == MIRAB_OK);
  terms.per_server = 1;
  EXPECT(mirab_job_submitted_with(engine, 0, user, one, 4, NULL, 0, NULL, 0, &terms, &job) == MIRAB_OK);
  EXPECT(mirab_step_all(engine, 0, SIZE_MAX, note_start, note_end, &all) == MIRAB_OK);
  EXPECT(all.count == 2 && all.tasks[0].server == s && all.tasks[1].server == t);
  EXPECT(mirab_job_cancelled(engine, 0, job, NULL, NULL) == MIRAB_OK);

  memset(&all, 0, sizeof all);
  terms = no_terms();
  terms.spread = "zone"; /* one apart: they alternate, though first-fit would fill s */
  EXPECT(mirab_job_submitted_with(engine, 0, user, one, 4, NULL, 0, NULL, 0, &terms, &job) == MIRAB_OK);
  EXPECT(mirab_step_all(engine, 0, 3, note_start, note_end, &all) == MIRAB_OK);
  EXPECT(all.count == 3 && all.tasks[1].server == t && all.tasks[2].server == s);
  EXPECT(mirab_job_cancelled(engine, 0, job, NULL, NULL) == MIRAB_OK);

  memset(&all, 0, sizeof all);
  terms.most_apart = 2;
  EXPECT(mirab_job_submitted_with(engine, 0, user, one, 4, NULL, 0, NULL, 0, &terms, &job) == MIRAB_OK);
  EXPECT(mirab_step_all(engine, 0, 3, note_start, note_end, &all) == MIRAB_OK);
  EXPECT(all.tasks[0].server == s && all.tasks[1].server == s && all.tasks[2].server == t);
  EXPECT(mirab_job_cancelled(engine, 0, job, NULL, NULL) == MIRAB_OK);

  memset(&all, 0, sizeof all);
  terms = no_terms();
  terms.pack = "zone";
  EXPECT(mirab_job_submitted_with(engine, 0, user, one, 9, NULL, 0, NULL, 0, &terms, &job) == MIRAB_OK);
  EXPECT(mirab_step_all(engine, 0, SIZE_MAX, note_start, note_end, &all) == MIRAB_OK);
  EXPECT(all.count == 4 && all.tasks[3].server == all.tasks[0].server);

  EXPECT(mirab_step_all(engine, 0, SIZE_MAX, note_start, note_end, &all) == MIRAB_NOTHING);
  EXPECT(mirab_step_all(engine, 0, 0, note_start, note_end, &all) == MIRAB_NOTHING);
  terms.spread = "zone"; /* by the label that the job is packed by */
  EXPECT(mirab_job_submitted_with(engine, 0, user, one, 1, NULL, 0, NULL, 0, &terms, &job) == MIRAB_REFUSED);
  terms = no_terms();
  terms.gang = -1;
  EXPECT(mirab_job_submitted_with(engine, 0, user, one, 1, NULL, 0, NULL, 0, &terms, &job) == MIRAB_REFUSED);
  terms = no_terms();
  terms.size = sizeof terms - 1;
  EXPECT(mirab_job_submitted_with(engine, 0, user, one, 1, NULL, 0, NULL, 0, &terms, &job) == MIRAB_REFUSED);
  EXPECT(strstr(mirab_engine_error(engine), "size") != NULL);
  EXPECT(mirab_job_submitted_with(engine, 0, user, one, 1, NULL, 0, NULL, 0, NULL, &job) == MIRAB_OK);
  mirab_engine_free(engine);
}

/* A caller that was compiled with a later version of the struct, and with none of its new members set. */
static void terms_of_a_later_version_are_honoured(void) {
  struct {
    mirab_terms terms;
    int64_t later[2];
  } grown;
  const int64_t four[] = {4}, one[] = {1};
  mirab_id s = 0, t = 0, user = 0, job = 0;
  told all = {0};

  mirab_engine* engine = engine_of("");
  EXPECT(mirab_server_added(engine, 0, "s", four, NULL, 0, &s) == MIRAB_OK);
  EXPECT(mirab_server_added(engine, 0, "t", four, NULL, 0, &t) == MIRAB_OK);
  EXPECT(mirab_user_added(engine, 0, "u", "1", &user) == MIRAB_OK);
  memset(&grown, 0, sizeof grown);
  grown.terms.size = sizeof grown;
  grown.terms.per_server = 1;
  EXPECT(mirab_job_submitted_with(engine, 0, user, one, 4, NULL, 0, NULL, 0, &grown.terms, &job) == MIRAB_OK);
  EXPECT(mirab_step_all(engine, 0, SIZE_MAX, note_start, note_end, &all) == MIRAB_OK && all.count == 2);
  mirab_engine_free(engine);
}

static void a_task_tells_its_role(void) {
  const int64_t four[] = {4}, one[] = {1}, two[] = {2};
  const mirab_role roles[] = {{.tasks = 1, .demand = one}, {.tasks = 1, .demand = two}};
  mirab_id s = 0, user = 0, job = 0;
  int64_t role = 9;
  told all = {0};

  mirab_engine* engine = engine_of("");
  EXPECT(mirab_server_added(engine, 0, "s", four, NULL, 0, &s) == MIRAB_OK);
  EXPECT(mirab_user_added(engine, 0, "u", "1", &user) == MIRAB_OK);
  mirab_job_submitted_event event = {.size = sizeof event, .user = user, .tasks = 1, .roles = roles, .roles_count = 2};
  EXPECT(mirab_apply_job_submitted(engine, 0, &event, &job) == MIRAB_OK);
  EXPECT(mirab_step_all(engine, 0, SIZE_MAX, note_start, note_end, &all) == MIRAB_OK && all.count == 2);
  int64_t sum = 0;
  for (int k = 0; k < 2; ++k) {
    EXPECT(mirab_task_role(engine, all.tasks[k].task, &role) == MIRAB_OK);
    sum += role == 0 ? 1 : role == 1 ? 10 : 100;
  }
  EXPECT(sum == 11);
  EXPECT(mirab_task_role(engine, all.tasks[0].task, NULL) == MIRAB_OK);
  EXPECT(mirab_task_finished(engine, 1, all.tasks[0].task) == MIRAB_OK);
  EXPECT(mirab_task_role(engine, all.tasks[0].task, &role) == MIRAB_NOTHING);
  mirab_engine_free(engine);
}

typedef struct seen_tasks {
  mirab_task tasks[4];
  size_t count;
} seen_tasks;

static void see_task(void* context, const mirab_task* task) {
  seen_tasks* seen = context;
  if (seen->count < 4) seen->tasks[seen->count] = *task;
  ++seen->count;
}

typedef struct seen_jobs {
  mirab_id job;
  int64_t waiting, running;
  size_t count;
} seen_jobs;

static void see_job(void* context, mirab_id job, int64_t waiting, int64_t running) {
  seen_jobs* seen = context;
  seen->job = job;
  seen->waiting = waiting;
  seen->running = running;
  ++seen->count;
}

static void running_tasks_and_jobs_are_visited(void) {
  const int64_t two[] = {2}, one[] = {1};
  mirab_id s = 0, t = 0, user = 0, idle = 0, job = 0;
  mirab_placed first, second, third;
  mirab_task task;

  mirab_engine* engine = engine_of("");
  EXPECT(mirab_server_added(engine, 0, "s", two, NULL, 0, &s) == MIRAB_OK);
  EXPECT(mirab_server_added(engine, 0, "t", two, NULL, 0, &t) == MIRAB_OK);
  EXPECT(mirab_user_added(engine, 0, "u", "1", &user) == MIRAB_OK);
  EXPECT(mirab_user_added(engine, 0, "idle", "1", &idle) == MIRAB_OK);
  EXPECT(mirab_job_submitted(engine, 0, user, one, 5, NULL, 0, NULL, 0, &job) == MIRAB_OK);
  EXPECT(mirab_step(engine, 1, &first) == MIRAB_OK);
  EXPECT(mirab_step(engine, 2, &second) == MIRAB_OK);
  EXPECT(mirab_step(engine, 3, &third) == MIRAB_OK);
  EXPECT(first.server == s && second.server == s && third.server == t);

  EXPECT(mirab_task_state(engine, second.task, &task) == MIRAB_OK);
  EXPECT(task.task == second.task && task.job == job && task.server == s && task.started == 2 && task.role == 0);
  EXPECT(mirab_task_state(engine, second.task, NULL) == MIRAB_OK);
  EXPECT(mirab_task_state(engine, 99, &task) == MIRAB_NOTHING);

  seen_tasks of_job = {0}, on_s = {0};
  EXPECT(mirab_job_tasks(engine, job, see_task, &of_job) == MIRAB_OK && of_job.count == 3);
  EXPECT(of_job.tasks[0].task == third.task && of_job.tasks[2].task == first.task);
  EXPECT(mirab_server_tasks(engine, s, see_task, &on_s) == MIRAB_OK && on_s.count == 2);
  EXPECT(on_s.tasks[0].task == second.task && on_s.tasks[1].task == first.task);
  EXPECT(mirab_job_tasks(engine, 99, see_task, &of_job) == MIRAB_NOTHING && of_job.count == 3);
  EXPECT(mirab_server_tasks(engine, 99, see_task, &on_s) == MIRAB_NOTHING && on_s.count == 2);
  EXPECT(mirab_job_tasks(engine, job, NULL, NULL) == MIRAB_OK);

  seen_jobs jobs = {0};
  EXPECT(mirab_user_jobs(engine, user, see_job, &jobs) == MIRAB_OK && jobs.count == 1);
  EXPECT(jobs.job == job && jobs.waiting == 2 && jobs.running == 3);
  EXPECT(mirab_user_jobs(engine, idle, see_job, &jobs) == MIRAB_OK && jobs.count == 1);
  EXPECT(mirab_user_jobs(engine, 99, see_job, &jobs) == MIRAB_NOTHING);
  mirab_engine_free(engine);
}

static void note_right(void* context, const mirab_preempted* ended) { *(mirab_preempted*)context = *ended; }

/* A has all four CPUs; B is due two of them, at most one task in ten nanoseconds. */
static void what_is_preempted_is_told_before_what_starts(void) {
  const int64_t four[] = {4}, one[] = {1};
  mirab_id s = 0, a = 0, b = 0, of_a = 0, of_b = 0;
  mirab_preempted preempted = {0};
  mirab_placed placed;
  told all = {0};

  mirab_engine* engine = engine_of(", \"preemption\": {\"tasks\": 1, \"per\": 10}");
  EXPECT(mirab_server_added(engine, 0, "s", four, NULL, 0, &s) == MIRAB_OK);
  EXPECT(mirab_user_added(engine, 0, "A", "1", &a) == MIRAB_OK);
  EXPECT(mirab_user_added(engine, 0, "B", "1", &b) == MIRAB_OK);
  EXPECT(mirab_job_submitted(engine, 0, a, one, 4, NULL, 0, NULL, 0, &of_a) == MIRAB_OK);
  EXPECT(mirab_step_all(engine, 0, SIZE_MAX, NULL, NULL, NULL) == MIRAB_OK);
  EXPECT(mirab_job_submitted(engine, 1, b, one, 4, NULL, 0, NULL, 0, &of_b) == MIRAB_OK);

  EXPECT(mirab_step_all(engine, 1, SIZE_MAX, note_start, note_end, &all) == MIRAB_OK);
  EXPECT(all.count == 2 && all.ended == 1);
  EXPECT(all.tasks[0].server == NOWHERE && all.tasks[0].job == of_a);
  EXPECT(all.tasks[1].server == s && all.tasks[1].job == of_b);

  memset(&all, 0, sizeof all);
  EXPECT(mirab_step(engine, 20, &placed) == MIRAB_OK && placed.job == of_b);
  EXPECT(mirab_last_step(engine, note_start, note_end, &all) == MIRAB_OK);
  EXPECT(all.count == 2 && all.ended == 1 && all.tasks[1].task == placed.task);
  EXPECT(mirab_task_finished(engine, 20, all.tasks[0].task) == MIRAB_REFUSED); /* it ended */
  EXPECT(mirab_last_preempted(engine, note_right, &preempted) == MIRAB_OK && preempted.right == MIRAB_BY_SHARE);
  EXPECT(preempted.task == all.tasks[0].task && preempted.job == of_a);
  EXPECT(mirab_last_preempted(engine, NULL, NULL) == MIRAB_OK);
  EXPECT(mirab_step(engine, 40, &placed) == MIRAB_NOTHING); /* each has its half */
  EXPECT(mirab_last_preempted(engine, note_right, &preempted) == MIRAB_NOTHING);
  mirab_engine_free(engine);
}

static void a_server_is_kept_for_who_waited_long(void) {
  const int64_t four[] = {4}, three[] = {3}, one[] = {1};
  mirab_id s = 0, small = 0, large = 0, of_small = 0, of_large = 0;
  mirab_reservation kept = {9, 9, 9, 9};
  size_t count = 9;
  mirab_placed placed;

  mirab_engine* engine = engine_of(", \"reservations\": {\"after\": 100, \"servers\": 1, \"at_most\": 1000}");
  EXPECT(mirab_reservations(engine, NULL, 0, &count) == MIRAB_OK && count == 0);
  EXPECT(mirab_server_added(engine, 0, "s", four, NULL, 0, &s) == MIRAB_OK);
  EXPECT(mirab_user_added(engine, 0, "small", "1", &small) == MIRAB_OK);
  EXPECT(mirab_user_added(engine, 0, "large", "1", &large) == MIRAB_OK);
  EXPECT(mirab_job_submitted(engine, 0, small, one, 2, NULL, 0, NULL, 0, &of_small) == MIRAB_OK);
  EXPECT(mirab_step_all(engine, 0, SIZE_MAX, NULL, NULL, NULL) == MIRAB_OK);
  EXPECT(mirab_job_submitted(engine, 0, large, three, 1, NULL, 0, NULL, 0, &of_large) == MIRAB_OK);
  EXPECT(mirab_step(engine, 0, &placed) == MIRAB_NOTHING);
  EXPECT(mirab_step(engine, 200, &placed) == MIRAB_NOTHING);

  EXPECT(mirab_reservations(engine, NULL, 0, &count) == MIRAB_OK && count == 1 && kept.server == 9);
  EXPECT(mirab_reservations(engine, &kept, 1, &count) == MIRAB_OK && count == 1);
  EXPECT(kept.server == s && kept.job == of_large && kept.user == large && kept.since == 200);
  mirab_engine_free(engine);
}

static void options_that_cannot_be(void) {
  static const char* const kOptions =
      "{\"resources\": [\"cpu\"], \"discipline\": {\"name\": \"fifo\", \"options\": {}}, \"placement\": {\"name\": "
      "\"first-fit\", \"options\": {}}, \"tie\": \"first\", \"oversized\": \"refuse\", \"preemption\": {\"tasks\": "
      "1, \"per\": 1}}";
  char error[200] = "";
  EXPECT(mirab_engine_new_with(kOptions, error, sizeof error) == NULL);
  EXPECT(strstr(error, "preemption") != NULL);
}

int main(void) {
  a_gang_starts_with_all_its_tasks();
  terms_say_where_tasks_may_go();
  terms_of_a_later_version_are_honoured();
  a_task_tells_its_role();
  running_tasks_and_jobs_are_visited();
  what_is_preempted_is_told_before_what_starts();
  a_server_is_kept_for_who_waited_long();
  options_that_cannot_be();
  return failures == 0 ? 0 : 1;
}
