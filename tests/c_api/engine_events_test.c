/* Every event as a struct: each member reaches the engine, and what may be left out is. */
#include <stddef.h>
#include <string.h>

#include <mirab/engine.h>

#include "expect.h"

static const char* const resources[] = {"cpu"};
static const int64_t one[] = {1}, two[] = {2}, four[] = {4};

typedef struct ended {
  size_t count;
  mirab_id job;
} ended;

static void count_lost(void* context, mirab_id task, mirab_id job) {
  ended* lost = context;
  (void)task;
  ++lost->count;
  lost->job = job;
}

static mirab_id added_server(mirab_engine* engine, const char* name, const int64_t* capacity, const char* rack) {
  const mirab_label label = {"rack", rack};
  mirab_server_added_event server = {0};
  mirab_id id = 0;
  server.size = sizeof server;
  server.name = name;
  server.capacity = capacity;
  server.labels = &label;
  server.labels_count = 1;
  EXPECT(mirab_apply_server_added(engine, 0, &server, &id) == MIRAB_OK);
  return id;
}

static mirab_id added_user(mirab_engine* engine, const char* name, const char* weight) {
  mirab_user_added_event user = {0};
  mirab_id id = 0;
  user.size = sizeof user;
  user.name = name;
  user.weight = weight;
  EXPECT(mirab_apply_user_added(engine, 0, &user, &id) == MIRAB_OK);
  return id;
}

static mirab_job_submitted_event job_of(mirab_id user, const int64_t* demand, int64_t tasks) {
  mirab_job_submitted_event job;
  memset(&job, 0, sizeof job);
  job.size = sizeof job;
  job.user = user;
  job.demand = demand;
  job.tasks = tasks;
  return job;
}

static mirab_engine* engine_with_two_racks(mirab_id* a, mirab_id* b, mirab_id* user) {
  mirab_engine* engine = mirab_engine_new(resources, 1, "drf", "first-fit", NULL, 0);
  EXPECT(engine != NULL);
  *a = added_server(engine, "a", four, "1");
  *b = added_server(engine, "b", four, "2");
  *user = added_user(engine, "u", "1");
  return engine;
}

static int placed_on(mirab_engine* engine, mirab_id server) {
  mirab_placed placed;
  int count = 0;
  while (mirab_step(engine, 0, &placed) == MIRAB_OK) count += placed.server == server;
  return count;
}

/* Each optional member of a job, alone, against the two servers with room for four tasks each. */
static void terms_of_jobs(void) {
  const char* const only_b[] = {"b"};
  const mirab_label rack_2 = {"rack", "2"};
  const mirab_amounts more_on_a = {"a", four};
  mirab_spread even = {.size = sizeof even, .label = "rack", .most_apart = 1};
  mirab_job_submitted_event job;
  mirab_id a = 0, b = 0, user = 0, id = 0;
  int member;
  for (member = 0; member < 8; ++member) {
    mirab_engine* engine = engine_with_two_racks(&a, &b, &user);
    int on_a = 4, on_b = 0; /* what becomes of four tasks under first-fit */
    job = job_of(user, one, 4);
    if (member == 1) { job.servers = only_b; job.servers_count = 1; on_a = 0; on_b = 4; }
    if (member == 2) { job.select = &rack_2; job.select_count = 1; on_a = 0; on_b = 4; }
    if (member == 3) { job.demand_on = &more_on_a; job.demand_on_count = 1; on_a = 1; on_b = 3; }
    if (member == 4) { job.gang = 4; on_a = 1; on_b = 0; } /* one step, of which the first task is given */
    if (member == 5) { job.per_server = 3; on_a = 3; on_b = 1; }
    if (member == 6) { job.spread = &even; on_a = 2; on_b = 2; }
    if (member == 7) { job.pack = "rack"; job.tasks = 5; } /* the fifth has no room in that rack */
    EXPECT(mirab_apply_job_submitted(engine, 0, &job, &id) == MIRAB_OK);
    {
      mirab_placed placed;
      int seen_a = 0, seen_b = 0;
      while (mirab_step(engine, 0, &placed) == MIRAB_OK) {
        seen_a += placed.server == a;
        seen_b += placed.server == b;
      }
      if (seen_a != on_a || seen_b != on_b)
        fprintf(stderr, "member %d: %d tasks on a, %d on b\n", member, seen_a, seen_b);
      EXPECT(seen_a == on_a && seen_b == on_b);
    }
    mirab_engine_free(engine);
  }
}

static void the_other_events(void) {
  ended lost = {0, 0};
  mirab_id a = 0, b = 0, user = 0, id = 0;
  mirab_placed placed;
  mirab_engine* engine = engine_with_two_racks(&a, &b, &user);
  const mirab_job_submitted_event job = job_of(user, two, 3);
  const mirab_server_changed_event smaller = {.size = sizeof smaller, .server = a, .capacity = two};
  const mirab_server_drained_event drained = {.size = sizeof drained, .server = b};
  const mirab_server_reopened_event reopened = {.size = sizeof reopened, .server = b};
  const mirab_server_removed_event removed = {.size = sizeof removed, .server = a};
  const mirab_server_failed_event failed = {.size = sizeof failed, .server = b};
  const mirab_user_reweighted_event heavier = {.size = sizeof heavier, .user = user, .weight = "2.5"};
  const mirab_user_removed_event gone = {.size = sizeof gone, .user = user};
  mirab_task_failed_event again = {.size = sizeof again, .task = 0};
  mirab_task_finished_event over = {.size = sizeof over, .task = 0};
  mirab_job_cancelled_event cancelled = {.size = sizeof cancelled, .job = 0};

  EXPECT(mirab_apply_server_changed(engine, 0, &smaller) == MIRAB_OK);
  EXPECT(mirab_apply_server_drained(engine, 0, &drained) == MIRAB_OK);
  EXPECT(mirab_apply_user_reweighted(engine, 0, &heavier) == MIRAB_OK);
  EXPECT(mirab_apply_job_submitted(engine, 0, &job, &id) == MIRAB_OK);
  EXPECT(mirab_step(engine, 0, &placed) == MIRAB_OK && placed.server == a && placed.job == id);
  EXPECT(mirab_step(engine, 0, NULL) == MIRAB_NOTHING);
  again.task = placed.task;
  EXPECT(mirab_apply_task_failed(engine, 1, &again) == MIRAB_OK);
  EXPECT(mirab_apply_task_failed(engine, 1, &again) == MIRAB_REFUSED);
  EXPECT(mirab_step(engine, 1, &placed) == MIRAB_OK && placed.server == a);
  over.task = placed.task;
  EXPECT(mirab_apply_task_finished(engine, 1, &over) == MIRAB_OK);
  EXPECT(mirab_apply_server_removed(engine, 1, &removed) == MIRAB_OK);
  EXPECT(mirab_apply_server_reopened(engine, 1, &reopened) == MIRAB_OK);
  EXPECT(placed_on(engine, b) == 2);
  EXPECT(mirab_apply_server_failed(engine, 2, &failed, count_lost, &lost) == MIRAB_OK);
  EXPECT(lost.count == 2 && lost.job == id);
  cancelled.job = id;
  EXPECT(mirab_apply_user_removed(engine, 2, &gone) == MIRAB_REFUSED);
  EXPECT(mirab_apply_job_cancelled(engine, 2, &cancelled, NULL, NULL) == MIRAB_OK);
  EXPECT(mirab_apply_user_removed(engine, 2, &gone) == MIRAB_OK);
  mirab_engine_free(engine);
}

/* An answer with this name? */
#define EXPECT_NULL(call, name)                                                 \
  do {                                                                          \
    EXPECT((call) == MIRAB_INVALID);                                            \
    EXPECT(strcmp(mirab_engine_error(engine), name ": must not be NULL") == 0); \
  } while (0)

static void what_is_not_valid(void) {
  const mirab_amounts unnamed = {NULL, one}, empty = {"a", NULL};
  mirab_spread nothing = {.size = 0, .label = "rack", .most_apart = 1};
  mirab_id a = 0, b = 0, user = 0;
  mirab_engine* engine = engine_with_two_racks(&a, &b, &user);
  mirab_job_submitted_event job = job_of(user, NULL, 1);
  mirab_server_added_event server = {0};
  mirab_user_added_event more = {0};

  EXPECT_NULL(mirab_apply_job_submitted(engine, 0, NULL, NULL), "event");
  EXPECT_NULL(mirab_apply_job_submitted(engine, 0, &job, NULL), "demand");
  job.demand = one;
  job.demand_on_count = 1;
  EXPECT_NULL(mirab_apply_job_submitted(engine, 0, &job, NULL), "demand_on");
  job.demand_on = &unnamed;
  EXPECT_NULL(mirab_apply_job_submitted(engine, 0, &job, NULL), "demand_on[0].name");
  job.demand_on = &empty;
  EXPECT_NULL(mirab_apply_job_submitted(engine, 0, &job, NULL), "demand_on[0].amounts");
  job = job_of(user, one, 1);
  job.spread = &nothing; /* without its size */
  EXPECT(mirab_apply_job_submitted(engine, 0, &job, NULL) == MIRAB_REFUSED);
  nothing.size = sizeof nothing;
  nothing.label = NULL;
  EXPECT_NULL(mirab_apply_job_submitted(engine, 0, &job, NULL), "label");
  job = job_of(user, one, 0);
  EXPECT(mirab_apply_job_submitted(engine, 0, &job, NULL) == MIRAB_REFUSED); /* no tasks */

  EXPECT(mirab_apply_server_added(engine, 0, &server, NULL) == MIRAB_REFUSED); /* no size */
  server.size = sizeof server;
  EXPECT_NULL(mirab_apply_server_added(engine, 0, &server, NULL), "name");
  more.size = sizeof more;
  more.name = "v";
  EXPECT_NULL(mirab_apply_user_added(engine, 0, &more, NULL), "weight");
  more.weight = "half";
  EXPECT(mirab_apply_user_added(engine, 0, &more, NULL) == MIRAB_REFUSED);
  EXPECT(mirab_apply_user_added(NULL, 0, &more, NULL) == MIRAB_INVALID);
  mirab_engine_free(engine);
}

/* Of a struct that the caller knows up to `select`, what follows is not read. */
static void an_older_program(void) {
  mirab_id a = 0, b = 0, user = 0;
  mirab_engine* engine = engine_with_two_racks(&a, &b, &user);
  mirab_job_submitted_event job = job_of(user, one, 4);
  job.per_server = 1;
  job.size = offsetof(mirab_job_submitted_event, select);
  EXPECT(mirab_apply_job_submitted(engine, 0, &job, NULL) == MIRAB_OK);
  EXPECT(placed_on(engine, a) == 4);
  job.size = offsetof(mirab_job_submitted_event, tasks); /* no version was so small */
  EXPECT(mirab_apply_job_submitted(engine, 0, &job, NULL) == MIRAB_REFUSED);
  mirab_engine_free(engine);
}

/* What is known of a cluster that others change too. */
static void a_shared_cluster(void) {
  mirab_id a = 0, b = 0, user = 0, low = 0, high = 0, task = 0, servers[1];
  int64_t free_amount = 0;
  mirab_placed placed;
  const mirab_label rack = {"rack", "2"};
  const mirab_rank first = {.size = sizeof first, .priority = 1, .time = -5, .tie = 3};
  mirab_engine* engine = engine_with_two_racks(&a, &b, &user);
  mirab_engine* copy = NULL;
  mirab_job_submitted_event job = job_of(user, two, 4);
  mirab_task_adopted_event adopted = {.size = sizeof adopted, .server = a, .since = -9};
  mirab_server_held_event held = {.size = sizeof held, .server = b, .amounts = four};
  const mirab_server_relabelled_event relabelled = {
      .size = sizeof relabelled, .server = b, .labels = &rack, .labels_count = 1};
  mirab_set_changed_event set = {.size = sizeof set, .set = "ours", .add = servers, .add_count = 1};
  mirab_server_changed_event smaller = {.size = sizeof smaller, .server = a, .capacity = one};

  EXPECT(mirab_apply_job_submitted(engine, 0, &job, &low) == MIRAB_OK);
  adopted.job = low;
  EXPECT(mirab_apply_task_adopted(engine, 0, &adopted, &task) == MIRAB_OK);
  EXPECT(mirab_server_free(engine, a, &free_amount) == MIRAB_OK && free_amount == 2);
  adopted.since = 1;
  EXPECT(mirab_apply_task_adopted(engine, 0, &adopted, &task) == MIRAB_REFUSED);
  EXPECT(mirab_apply_server_changed(engine, 0, &smaller) == MIRAB_REFUSED);
  smaller.allow_below_use = 1;
  EXPECT(mirab_apply_server_changed(engine, 0, &smaller) == MIRAB_OK);
  EXPECT(mirab_server_free(engine, a, &free_amount) == MIRAB_OK && free_amount == 0);
  EXPECT(mirab_apply_server_held(engine, 0, &held) == MIRAB_OK);
  EXPECT(mirab_step(engine, 0, &placed) == MIRAB_NOTHING);

  copy = mirab_engine_copy(engine);
  EXPECT(copy != NULL && mirab_engine_copy(NULL) == NULL);
  held.amounts = one;
  EXPECT(mirab_apply_server_held(copy, 0, &held) == MIRAB_OK);
  EXPECT(mirab_step(copy, 0, &placed) == MIRAB_OK && placed.server == b);
  EXPECT(mirab_step(engine, 0, &placed) == MIRAB_NOTHING);
  mirab_engine_free(copy);

  servers[0] = b;
  EXPECT(mirab_apply_set_changed(engine, 0, &set) == MIRAB_OK);
  EXPECT(mirab_apply_server_relabelled(engine, 0, &relabelled) == MIRAB_OK);
  job.within = "ours";
  job.rank = &first;
  job.may_be_preempted = -1;
  job.select = &rack;
  job.select_count = 1;
  EXPECT(mirab_apply_job_submitted(engine, 0, &job, &high) == MIRAB_OK);
  EXPECT(mirab_apply_server_held(engine, 0, &held) == MIRAB_OK);
  EXPECT(mirab_step(engine, 0, &placed) == MIRAB_OK && placed.server == b && placed.job == high);
  job.within = "theirs";
  EXPECT(mirab_apply_job_submitted(engine, 0, &job, NULL) == MIRAB_REFUSED);
  set.add = NULL;
  EXPECT_NULL(mirab_apply_set_changed(engine, 0, &set), "add");
  mirab_engine_free(engine);
}

/* Groups bound what their members use, and tell it. */
static void groups(void) {
  mirab_engine* engine = mirab_engine_new(resources, 1, "drf", "first-fit", NULL, 0);
  mirab_group_added_event group = {0};
  mirab_group_changed_event changed = {0};
  mirab_group_moved_event moved = {0};
  mirab_group_removed_event removed = {0};
  mirab_user_added_event member = {0};
  mirab_user_changed_event other = {0};
  mirab_user_moved_event home = {0};
  mirab_job_submitted_event job;
  mirab_id team = 0, below = 0, user = 0, server = added_server(engine, "a", four, "1");
  int64_t used = 0, running = 0, guarantee = 0, unused = 0, lent = 9;
  double share = 0, key = 9;
  group.size = sizeof group;
  group.name = "team";
  group.weight = "2";
  group.guarantee = one;
  group.limit = two;
  EXPECT(mirab_apply_group_added(engine, 0, &group, &team) == MIRAB_OK);
  group.parent = team;
  group.guarantee = two;
  EXPECT(mirab_apply_group_added(engine, 0, &group, &below) == MIRAB_REFUSED);
  group.guarantee = group.limit = NULL;
  EXPECT(mirab_apply_group_added(engine, 0, &group, &below) == MIRAB_OK);
  member.size = sizeof member;
  member.name = "u";
  member.weight = "0";
  member.group = below;
  member.tier = 1;
  EXPECT(mirab_apply_user_added(engine, 0, &member, &user) == MIRAB_OK);
  job = job_of(user, one, 4);
  EXPECT(mirab_apply_job_submitted(engine, 0, &job, NULL) == MIRAB_OK);
  EXPECT(placed_on(engine, server) == 2);
  EXPECT(mirab_group_state(engine, team, &used, &running, &guarantee, &unused, &lent, &share, &key) == MIRAB_OK);
  EXPECT(used == 2 && running == 2 && guarantee == 1 && unused == 0 && lent == 0);
  EXPECT(share == 0.5 && key == 0.125); /* (2 - 1) / 4 per weight 2 */
  EXPECT(mirab_group_state(engine, 77, NULL, NULL, NULL, NULL, NULL, NULL, NULL) == MIRAB_NOTHING);
  moved.size = sizeof moved;
  moved.group = below;
  EXPECT(mirab_apply_group_moved(engine, 0, &moved) == MIRAB_OK);
  home.size = sizeof home;
  home.user = user;
  home.group = team;
  EXPECT(mirab_apply_user_moved(engine, 0, &home) == MIRAB_OK);
  removed.size = sizeof removed;
  removed.group = below;
  EXPECT(mirab_apply_group_removed(engine, 0, &removed) == MIRAB_OK);
  changed.size = sizeof changed;
  changed.group = team;
  changed.weight = "1";
  EXPECT(mirab_apply_group_changed(engine, 0, &changed) == MIRAB_OK);
  other.size = sizeof other;
  other.user = user;
  other.weight = "1";
  EXPECT(mirab_apply_user_changed(engine, 0, &other) == MIRAB_OK);
  EXPECT(placed_on(engine, server) == 2);
  mirab_engine_free(engine);
}

int main(void) {
  groups();
  terms_of_jobs();
  a_shared_cluster();
  the_other_events();
  what_is_not_valid();
  an_older_program();
  return failures != 0;
}
