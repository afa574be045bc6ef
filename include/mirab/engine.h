/* The online engine of Mirab for C, and for whatever can call C. See docs/reference/engine.md for what events and
 * disciplines do, mirab/scheduling/engine.hpp for the same in C++, and mirab/allocate.h for divisible shares.
 *
 * Every function that may be refused returns a status; mirab_engine_error() then tells why, and the engine is
 * as it was. Amounts are int64_t in whole units of the caller's choice, one for each resource in the order in
 * which the engine was given them. Times are nanoseconds since an origin that the caller chooses, and do not go
 * back. Text is UTF-8. An engine must not be used by two threads at once.
 *
 * What a function takes by a pointer must not be NULL unless the comment on it says so; an array may be NULL when
 * its count is 0. What a function gives by a pointer may always be NULL, and is not given then. A NULL where it is
 * not allowed answers MIRAB_INVALID, and mirab_engine_error() names the argument; the engine is as it was.
 *
 * The interface is stable: functions and values are added, never changed. */
#ifndef MIRAB_ENGINE_H
#define MIRAB_ENGINE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mirab_engine mirab_engine;

typedef enum mirab_status {
  MIRAB_OK = 0,
  MIRAB_REFUSED = 1, /* the event cannot be applied: see mirab_engine_error() */
  MIRAB_NOTHING = 2, /* there is nothing to place now, or nothing by that identifier */
  MIRAB_FAILED = 3,  /* memory ran out; an engine that was to change must only be freed now */
  MIRAB_INVALID = 4  /* an argument is NULL that must not be: see mirab_engine_error(). Since version 5 */
} mirab_status;

/* Identifiers are never given twice by one engine; those of servers, users, jobs and tasks are apart. */
typedef uint64_t mirab_id;

/* Version of this interface: grows when something is added. */
#define MIRAB_ENGINE_VERSION 11
int mirab_engine_version(void);

/* The version of the decisions: two programs with the same one decide the same, given the same events, times and
 * random numbers. Event logs and snapshots hold it. Since version 11. */
int mirab_decision_version(void);

/* A new engine. `discipline` and `placement` as on the command line ("drf", "best-fit:published=true"). NULL
 * when that is refused: then the reason is written to `error`, at most `size` bytes with the closing zero. */
mirab_engine* mirab_engine_new(const char* const* resources, size_t resource_count, const char* discipline,
                               const char* placement, char* error, size_t size);

/* The same with all options that an engine can begin with (tie, share_scale, half_life, reservations,
 * preemption, ...): JSON, as the `options` of the first line of an event log (docs/reference/engine.md). Since version 2. */
mirab_engine* mirab_engine_new_with(const char* options, char* error, size_t size);

/* Another engine in the same state, random numbers included, which shares nothing with this one: for what would be
 * if. NULL for NULL, and when memory runs out. Since version 7. */
mirab_engine* mirab_engine_copy(const mirab_engine* engine);

void mirab_engine_free(mirab_engine* engine); /* NULL is allowed */

/* Why the last call on this engine was refused, or was not valid; valid until the next call on it. Never NULL, and
 * an answer for an engine that is NULL too. */
const char* mirab_engine_error(const mirab_engine* engine);

typedef struct mirab_label {
  const char* name;
  const char* value;
} mirab_label;

mirab_status mirab_server_added(mirab_engine* engine, int64_t now, const char* name, const int64_t* capacity,
                                const mirab_label* labels, size_t label_count, mirab_id* server);
mirab_status mirab_server_changed(mirab_engine* engine, int64_t now, mirab_id server, const int64_t* capacity);
mirab_status mirab_server_drained(mirab_engine* engine, int64_t now, mirab_id server);
mirab_status mirab_server_reopened(mirab_engine* engine, int64_t now, mirab_id server);
mirab_status mirab_server_removed(mirab_engine* engine, int64_t now, mirab_id server);

/* Called for each task that was lost, stopped or preempted, before the function that it was given to returns; it
 * must not call that engine. */
typedef void (*mirab_on_lost)(void* context, mirab_id task, mirab_id job);

/* `on_lost` may be NULL. */
mirab_status mirab_server_failed(mirab_engine* engine, int64_t now, mirab_id server, mirab_on_lost on_lost,
                                 void* context);

/* `weight` as in a cluster file: "1", "0.5". */
mirab_status mirab_user_added(mirab_engine* engine, int64_t now, const char* name, const char* weight,
                              mirab_id* user);
mirab_status mirab_user_reweighted(mirab_engine* engine, int64_t now, mirab_id user, const char* weight);
mirab_status mirab_user_removed(mirab_engine* engine, int64_t now, mirab_id user);

/* `tasks` equal tasks that may run on the servers named, or on all if `servers` is NULL, whose labels have the
 * values given; several values of one label are alternatives. */
mirab_status mirab_job_submitted(mirab_engine* engine, int64_t now, mirab_id user, const int64_t* demand,
                                 int64_t tasks, const char* const* servers, size_t server_count,
                                 const mirab_label* select, size_t select_count, mirab_id* job);

/* What a job asks for beyond room for each of its tasks: docs/reference/engine.md, "Gangs and placement terms". Set it to
 * zeros before its members: what is 0 or NULL is not asked for. Since version 3. */
typedef struct mirab_terms {
  size_t size; /* sizeof(mirab_terms): more may be added at the end */

  int64_t gang;       /* this many of its tasks start together, or none */
  int64_t per_server; /* at most this many on one server at a time */
  const char* spread; /* over the servers with one value each of this label, ... */
  int64_t most_apart; /* ... at most this many more than where the fewest are; 0: 1 */
  const char* pack;   /* all that run on servers with one value of this label */
} mirab_terms;

/* mirab_job_submitted() with terms; NULL: none. Since version 3. */
mirab_status mirab_job_submitted_with(mirab_engine* engine, int64_t now, mirab_id user, const int64_t* demand,
                                      int64_t tasks, const char* const* servers, size_t server_count,
                                      const mirab_label* select, size_t select_count, const mirab_terms* terms,
                                      mirab_id* job);

mirab_status mirab_job_cancelled(mirab_engine* engine, int64_t now, mirab_id job, mirab_on_lost on_lost,
                                 void* context);
mirab_status mirab_task_finished(mirab_engine* engine, int64_t now, mirab_id task);
mirab_status mirab_task_failed(mirab_engine* engine, int64_t now, mirab_id task);

/* Amounts by the name of a server. Never grows. Since version 6, as all that follows up to mirab_placed. */
typedef struct mirab_amounts {
  const char* name;
  const int64_t* amounts; /* one for each resource */
} mirab_amounts;

/* Tasks of a job that take the same and start together with those of its other roles. Never grows. Since version 9. */
typedef struct mirab_role {
  int64_t tasks;
  const int64_t* demand; /* of each task, one for each resource */
} mirab_role;

/* Every event again, as a struct and the function that applies it: here are all members that an event has. Set a
 * struct to zeros and `size` to its sizeof before its members: more may be added at the end. What is optional and 0
 * or NULL is left out. What is yes or no is 1 or -1. Several values of one label are alternatives in `select`. */

/* events: from include/mirab/scheduling/events.hpp */
typedef struct mirab_spread {
  size_t size;        /* sizeof(mirab_spread) */
  const char* label;  /* servers with the same value of it are a domain */
  int64_t most_apart; /* tasks that one domain may have more than another */
} mirab_spread;

typedef struct mirab_rank {
  size_t size;      /* sizeof(mirab_rank) */
  int64_t priority; /* the higher comes first */
  int64_t time;     /* of equal priority, the lower comes first */
  int64_t tie;      /* of equal time, the lower comes first */
} mirab_rank;

/* A new server. */
typedef struct mirab_server_added_event {
  size_t size;               /* sizeof(mirab_server_added_event) */
  const char* name;          /* several servers may have the same name */
  const int64_t* capacity;   /* in whole units, one amount for each resource */
  const mirab_label* labels; /* values by label; optional */
  size_t labels_count;
} mirab_server_added_event;
mirab_status mirab_apply_server_added(mirab_engine* engine, int64_t now, const mirab_server_added_event* event,
                                      mirab_id* given);

/* The server has another capacity. */
typedef struct mirab_server_changed_event {
  size_t size;             /* sizeof(mirab_server_changed_event) */
  mirab_id server;         /* its identifier */
  const int64_t* capacity; /* in whole units, one amount for each resource */
  int64_t allow_below_use; /* also less than what its tasks take: they go on, and nothing new starts until it fits; optional */
} mirab_server_changed_event;
mirab_status mirab_apply_server_changed(mirab_engine* engine, int64_t now, const mirab_server_changed_event* event);

/* Its tasks go on and it takes no new ones. */
typedef struct mirab_server_drained_event {
  size_t size;     /* sizeof(mirab_server_drained_event) */
  mirab_id server; /* its identifier */
} mirab_server_drained_event;
mirab_status mirab_apply_server_drained(mirab_engine* engine, int64_t now, const mirab_server_drained_event* event);

/* A drained server takes tasks again. */
typedef struct mirab_server_reopened_event {
  size_t size;     /* sizeof(mirab_server_reopened_event) */
  mirab_id server; /* its identifier */
} mirab_server_reopened_event;
mirab_status mirab_apply_server_reopened(mirab_engine* engine, int64_t now,
                                         const mirab_server_reopened_event* event);

/* The server is gone. */
typedef struct mirab_server_removed_event {
  size_t size;     /* sizeof(mirab_server_removed_event) */
  mirab_id server; /* its identifier */
} mirab_server_removed_event;
mirab_status mirab_apply_server_removed(mirab_engine* engine, int64_t now, const mirab_server_removed_event* event);

/* The server is gone with its tasks, which wait again, before the other tasks of their jobs. */
typedef struct mirab_server_failed_event {
  size_t size;     /* sizeof(mirab_server_failed_event) */
  mirab_id server; /* its identifier */
} mirab_server_failed_event;
mirab_status mirab_apply_server_failed(mirab_engine* engine, int64_t now, const mirab_server_failed_event* event,
                                       mirab_on_lost on_lost, void* context);

/* A new user. */
typedef struct mirab_user_added_event {
  size_t size;              /* sizeof(mirab_user_added_event) */
  const char* name;         /* several users may have the same name */
  const char* weight;       /* an exact decimal of 0 or more: how much the user counts */
  mirab_id group;           /* whose member it is; left out: of the cluster; optional */
  const int64_t* guarantee; /* what it uses before others use more than theirs; optional */
  const int64_t* limit;     /* what it never uses more than; 9223372036854775807: no limit; optional */
  const int64_t* reserved;  /* the part of the guarantee that is not lent; optional */
  int64_t tier;             /* users of a higher tier come before all others; optional */
} mirab_user_added_event;
mirab_status mirab_apply_user_added(mirab_engine* engine, int64_t now, const mirab_user_added_event* event,
                                    mirab_id* given);

/* The user has another weight. */
typedef struct mirab_user_reweighted_event {
  size_t size;        /* sizeof(mirab_user_reweighted_event) */
  mirab_id user;      /* its identifier */
  const char* weight; /* an exact decimal of 0 or more: how much the user counts */
} mirab_user_reweighted_event;
mirab_status mirab_apply_user_reweighted(mirab_engine* engine, int64_t now,
                                         const mirab_user_reweighted_event* event);

/* The user is gone. */
typedef struct mirab_user_removed_event {
  size_t size;   /* sizeof(mirab_user_removed_event) */
  mirab_id user; /* its identifier */
} mirab_user_removed_event;
mirab_status mirab_apply_user_removed(mirab_engine* engine, int64_t now, const mirab_user_removed_event* event);

/* Equal tasks of a user, which wait. */
typedef struct mirab_job_submitted_event {
  size_t size;                    /* sizeof(mirab_job_submitted_event) */
  mirab_id user;                  /* whose job it is */
  const int64_t* demand;          /* what each task takes, in whole units; needed where there are no roles */
  int64_t tasks;                  /* how many */
  const char* const* servers;     /* names of the servers where they may run, else all; optional */
  size_t servers_count;
  const mirab_label* select;      /* by label, the values of which a server must have one; optional */
  size_t select_count;
  const mirab_amounts* demand_on; /* by name of a server, another demand there; optional */
  size_t demand_on_count;
  int64_t gang;                   /* this number of tasks start together or not at all; optional */
  int64_t per_server;             /* tasks of the job on one server, at most; optional */
  const mirab_spread* spread;     /* evens out the running tasks over the domains of a label; optional */
  const char* pack;               /* a label: all running tasks are in one domain of it; optional */
  const char* within;             /* a set of servers: the tasks run on no other; optional */
  const mirab_rank* rank;         /* where it stands among the jobs of its user; optional */
  int64_t may_be_preempted;       /* may its tasks end for those of others?; optional */
  const mirab_role* roles;        /* in place of demand and tasks: tasks of several demands that start together; optional */
  size_t roles_count;
} mirab_job_submitted_event;
mirab_status mirab_apply_job_submitted(mirab_engine* engine, int64_t now, const mirab_job_submitted_event* event,
                                       mirab_id* given);

/* Its running tasks stop and its waiting tasks are dropped. */
typedef struct mirab_job_cancelled_event {
  size_t size;  /* sizeof(mirab_job_cancelled_event) */
  mirab_id job; /* its identifier */
} mirab_job_cancelled_event;
mirab_status mirab_apply_job_cancelled(mirab_engine* engine, int64_t now, const mirab_job_cancelled_event* event,
                                       mirab_on_lost on_lost, void* context);

/* The task is over. */
typedef struct mirab_task_finished_event {
  size_t size;   /* sizeof(mirab_task_finished_event) */
  mirab_id task; /* its identifier */
} mirab_task_finished_event;
mirab_status mirab_apply_task_finished(mirab_engine* engine, int64_t now, const mirab_task_finished_event* event);

/* The task waits again, before the other tasks of its job. */
typedef struct mirab_task_failed_event {
  size_t size;   /* sizeof(mirab_task_failed_event) */
  mirab_id task; /* its identifier */
} mirab_task_failed_event;
mirab_status mirab_apply_task_failed(mirab_engine* engine, int64_t now, const mirab_task_failed_event* event);

/* Others take so much of the server, instead of what they took before. */
typedef struct mirab_server_held_event {
  size_t size;            /* sizeof(mirab_server_held_event) */
  mirab_id server;        /* its identifier */
  const int64_t* amounts; /* what others take, in whole units, one amount for each resource */
} mirab_server_held_event;
mirab_status mirab_apply_server_held(mirab_engine* engine, int64_t now, const mirab_server_held_event* event);

/* The server has these labels, and its tasks go on. */
typedef struct mirab_server_relabelled_event {
  size_t size;               /* sizeof(mirab_server_relabelled_event) */
  mirab_id server;           /* its identifier */
  const mirab_label* labels; /* all its labels, values by label; optional */
  size_t labels_count;
} mirab_server_relabelled_event;
mirab_status mirab_apply_server_relabelled(mirab_engine* engine, int64_t now,
                                           const mirab_server_relabelled_event* event);

/* A set of servers, to which jobs may keep, has others. */
typedef struct mirab_set_changed_event {
  size_t size;            /* sizeof(mirab_set_changed_event) */
  const char* set;        /* the name of the set */
  const mirab_id* add;    /* servers that it has from now on; optional */
  size_t add_count;
  const mirab_id* remove; /* servers that it has no longer; optional */
  size_t remove_count;
} mirab_set_changed_event;
mirab_status mirab_apply_set_changed(mirab_engine* engine, int64_t now, const mirab_set_changed_event* event);

/* A waiting task of the job is known to run on the server, whatever the engine would have decided. */
typedef struct mirab_task_adopted_event {
  size_t size;     /* sizeof(mirab_task_adopted_event) */
  mirab_id job;    /* its identifier */
  mirab_id server; /* where the task runs */
  int64_t since;   /* when it started */
  int64_t role;    /* of a job with roles: the place of its role among them, from 0; optional */
} mirab_task_adopted_event;
mirab_status mirab_apply_task_adopted(mirab_engine* engine, int64_t now, const mirab_task_adopted_event* event,
                                      mirab_id* given);

/* A new group, without members. */
typedef struct mirab_group_added_event {
  size_t size;              /* sizeof(mirab_group_added_event) */
  const char* name;         /* several groups may have the same name */
  const char* weight;       /* an exact decimal of 0 or more: how much the group counts */
  mirab_id parent;          /* the group whose member it is; left out: the cluster; optional */
  const int64_t* guarantee; /* what its members use before others use more than theirs; left out: the sum of the members'; optional */
  const int64_t* limit;     /* what its members never use more than; 9223372036854775807: no limit; optional */
  const int64_t* reserved;  /* the part of the guarantee that is not lent; optional */
} mirab_group_added_event;
mirab_status mirab_apply_group_added(mirab_engine* engine, int64_t now, const mirab_group_added_event* event,
                                     mirab_id* given);

/* The group has another weight, guarantee, limit and reserve. */
typedef struct mirab_group_changed_event {
  size_t size;              /* sizeof(mirab_group_changed_event) */
  mirab_id group;           /* its identifier */
  const char* weight;       /* an exact decimal of 0 or more: how much the group counts */
  const int64_t* guarantee; /* as of group-added; left out: the sum of the members'; optional */
  const int64_t* limit;     /* as of group-added; left out: none; optional */
  const int64_t* reserved;  /* as of group-added; left out: nothing; optional */
} mirab_group_changed_event;
mirab_status mirab_apply_group_changed(mirab_engine* engine, int64_t now, const mirab_group_changed_event* event);

/* The group is a member of another one, with all below it and what that uses. */
typedef struct mirab_group_moved_event {
  size_t size;     /* sizeof(mirab_group_moved_event) */
  mirab_id group;  /* its identifier */
  mirab_id parent; /* whose member it is from now on; left out: the cluster; optional */
} mirab_group_moved_event;
mirab_status mirab_apply_group_moved(mirab_engine* engine, int64_t now, const mirab_group_moved_event* event);

/* The group is gone. */
typedef struct mirab_group_removed_event {
  size_t size;    /* sizeof(mirab_group_removed_event) */
  mirab_id group; /* its identifier */
} mirab_group_removed_event;
mirab_status mirab_apply_group_removed(mirab_engine* engine, int64_t now, const mirab_group_removed_event* event);

/* The user has another weight, guarantee, limit and reserve. */
typedef struct mirab_user_changed_event {
  size_t size;              /* sizeof(mirab_user_changed_event) */
  mirab_id user;            /* its identifier */
  const char* weight;       /* an exact decimal of 0 or more: how much the user counts */
  const int64_t* guarantee; /* as of user-added; left out: nothing; optional */
  const int64_t* limit;     /* as of user-added; left out: none; optional */
  const int64_t* reserved;  /* as of user-added; left out: nothing; optional */
} mirab_user_changed_event;
mirab_status mirab_apply_user_changed(mirab_engine* engine, int64_t now, const mirab_user_changed_event* event);

/* The user is a member of another group, with what it uses. */
typedef struct mirab_user_moved_event {
  size_t size;    /* sizeof(mirab_user_moved_event) */
  mirab_id user;  /* its identifier */
  mirab_id group; /* whose member it is from now on; left out: of the cluster; optional */
} mirab_user_moved_event;
mirab_status mirab_apply_user_moved(mirab_engine* engine, int64_t now, const mirab_user_moved_event* event);

/* end */

/* Never grows: functions of their own report whatever else a step brings. */
typedef struct mirab_placed {
  mirab_id task;
  mirab_id job;
  mirab_id user;
  mirab_id server;
} mirab_placed;

/* The generator that mirab_step() draws from restarts with this seed; it starts with seed 0. */
void mirab_engine_seed(mirab_engine* engine, uint64_t seed);

/* Places the next task. MIRAB_NOTHING when no waiting task is to be placed now.
 *
 * Where a job was given a gang a step may start several tasks, and with preemption others may end for it: `placed`
 * is then the first that starts, and mirab_last_step() tells of all. */
mirab_status mirab_step(mirab_engine* engine, int64_t now, mirab_placed* placed);

/* Called for each task that starts, as mirab_on_lost is. Since version 3. */
typedef void (*mirab_on_placed)(void* context, const mirab_placed* placed);

/* All that came of the latest mirab_step() or mirab_step_and_why(): first the tasks that were preempted, which wait
 * again, then those that start, the first of them too. Either function may be NULL. MIRAB_NOTHING when that step
 * placed nothing, and before the first. Since version 3. */
mirab_status mirab_last_step(const mirab_engine* engine, mirab_on_placed on_placed, mirab_on_lost on_lost,
                             void* context);

/* Of which role a running task is: the place of its role among those of its job, from 0; 0 without roles.
 * MIRAB_NOTHING when no such task runs. `role` may be NULL. Since version 10. */
mirab_status mirab_task_role(const mirab_engine* engine, mirab_id task, int64_t* role);

/* A running task. Never grows. Since version 11, as all up to mirab_user_jobs(). */
typedef struct mirab_task {
  mirab_id task;
  mirab_id job;
  mirab_id server;
  int64_t started;
  int64_t role; /* the place of its role among those of its job, from 0; 0 without roles */
} mirab_task;

/* A running task; `state` may be NULL. MIRAB_NOTHING when no such task runs. */
mirab_status mirab_task_state(const mirab_engine* engine, mirab_id task, mirab_task* state);

typedef void (*mirab_on_task)(void* context, const mirab_task* task);

/* The running tasks of a job, or on a server, the newest first: the function, which may be NULL, is called for
 * each, and must not change the engine. MIRAB_NOTHING for a job or server that is unknown. Takes time in the number of these tasks. */
mirab_status mirab_job_tasks(const mirab_engine* engine, mirab_id job, mirab_on_task on_task, void* context);
mirab_status mirab_server_tasks(const mirab_engine* engine, mirab_id server, mirab_on_task on_task, void* context);

typedef void (*mirab_on_job)(void* context, mirab_id job, int64_t waiting, int64_t running);

/* The jobs of a user that wait or run, in the same way. MIRAB_NOTHING for an unknown user. Takes time in the
 * number of all jobs. */
mirab_status mirab_user_jobs(const mirab_engine* engine, mirab_id user, mirab_on_job on_job, void* context);

/* Why a task may end for another one: docs/explanation/teams.md. Since version 8, as all up to mirab_step_all(). */
typedef enum mirab_right {
  MIRAB_BY_SHARE = 0,     /* its user stays at or above the standing that the other's user reaches */
  MIRAB_BY_GUARANTEE = 1, /* the other's side stays within what it is guaranteed */
  MIRAB_BY_RANK = 2,      /* of the same user, with a lower priority */
  MIRAB_BY_TIER = 3       /* of a user in a lower tier */
} mirab_right;

/* A task that ended so that another one starts. Never grows. */
typedef struct mirab_preempted {
  mirab_id task;
  mirab_id job;
  mirab_right right;
} mirab_preempted;

typedef void (*mirab_on_preempted)(void* context, const mirab_preempted* ended);

/* The tasks that the latest mirab_step() or mirab_step_and_why() preempted, and by which right. MIRAB_NOTHING when
 * there were none. `on_preempted` may be NULL. */
mirab_status mirab_last_preempted(const mirab_engine* engine, mirab_on_preempted on_preempted, void* context);

/* Steps until nothing more is to be placed, or `most` times (SIZE_MAX: no bound), and tells of each step as
 * mirab_last_step() does: a task that starts may be preempted by a later step. MIRAB_NOTHING when nothing was
 * placed. Since version 3. */
mirab_status mirab_step_all(mirab_engine* engine, int64_t now, size_t most, mirab_on_placed on_placed,
                            mirab_on_lost on_lost, void* context);

/* Why the job's next task is not placed by a step now. Since version 2. */
typedef struct mirab_why {
  size_t size; /* sizeof(mirab_why), written by the caller: more may be added at the end */

  int64_t waiting; /* tasks of the job */

  /* All servers that are there, each counted once, for the first reason that applies: these, and the four counts
   * added below. */
  int64_t with_room;
  int64_t not_allowed; /* by name or label */
  int64_t too_small;   /* even if they were empty */
  int64_t drained;
  int64_t full;

  int has_nearest; /* is there a full server? Then the one on which least has to be freed for one task: */
  mirab_id nearest;

  int64_t older_jobs;  /* of the same user that wait for the same */
  int64_t own_ahead;   /* tasks of the user that ask for something else, each kind once, and come before */
  int64_t users_ahead; /* other users with a task that comes before */
  int64_t users_tied;  /* other users with whom it is drawn for */
  int has_next;        /* does another user's task come before? Then the first of them: */
  mirab_id next_user;
  mirab_id next_job;
  double next_key;    /* of the discipline: the lower is served first */
  double key;         /* of this job's task; NaN while no server could run it */
  double with_weight; /* with more weight the user comes before those others; NaN where none is promised */

  /* Servers, as those above. Since version 4, as all that follows. */
  int64_t kept;       /* for other tasks */
  int64_t pack;       /* in another domain of pack than the job's running tasks */
  int64_t per_server; /* with as many tasks of the job as it allows on one */
  int64_t spread;     /* in a domain too far ahead of the one with the fewest tasks of the job */

  int64_t together;      /* tasks that have to start together; 1: one may start alone */
  int64_t together_room; /* tasks of the gang that have room, at most; 0 where one may start alone */
  int is_next;           /* is it the very task that a step places next? */
} mirab_why;

/* MIRAB_NOTHING when no task of the job waits. `to_free`, one for each resource, may be NULL: with so much freed
 * on `nearest` a task has room there; 0 when there is no such server. `text`, at most `text_size` bytes with the
 * closing zero, may be NULL: the same in English, a line for each fact. Changes nothing. */
mirab_status mirab_why_waiting(mirab_engine* engine, int64_t now, mirab_id job, mirab_why* why, int64_t* to_free,
                               char* text, size_t text_size);

/* mirab_step(), and why this user and this server: in English, a line for each fact, at most `text_size` bytes
 * with the closing zero. Costs as much as mirab_why_waiting() in addition. Since version 2. */
mirab_status mirab_step_and_why(mirab_engine* engine, int64_t now, mirab_placed* placed, char* text,
                                size_t text_size);

/* What the user's running tasks take (`used`, one for each resource; may be NULL), how many there are, and the
 * largest part of any resource that they hold. MIRAB_NOTHING for an unknown user. */
mirab_status mirab_user_state(const mirab_engine* engine, mirab_id user, int64_t* used, int64_t* running,
                              double* dominant_share);

/* What a group has, and the cluster (0): `used`, `guarantee`, what of it is `unused`, and what of that is `lent`, one
 * amount each for each resource; `key` is its share beyond the guarantee per weight. Since version 7. */
mirab_status mirab_group_state(const mirab_engine* engine, mirab_id group, int64_t* used, int64_t* running,
                               int64_t* guarantee, int64_t* unused, int64_t* lent, double* share, double* key);

/* In a limit: this resource has none. */
#define MIRAB_NO_LIMIT INT64_MAX

/* How many tasks of the job wait and run. MIRAB_NOTHING for a job that is unknown, or over. */
mirab_status mirab_job_state(const mirab_engine* engine, mirab_id job, int64_t* waiting, int64_t* running);

/* What is free on the server, one for each resource. MIRAB_NOTHING for an unknown server. */
mirab_status mirab_server_free(const mirab_engine* engine, mirab_id server, int64_t* free_amounts);

/* A server that is kept for the next task of a job. Never grows. Since version 3. */
typedef struct mirab_reservation {
  mirab_id server;
  mirab_id job;
  mirab_id user;
  int64_t since;
} mirab_reservation;

/* The servers that are kept now, in the order in which they were: the first `size` are written (`kept` may be NULL
 * when that is 0), and to `count` how many there are. MIRAB_OK or MIRAB_FAILED. Since version 3. */
mirab_status mirab_reservations(const mirab_engine* engine, mirab_reservation* kept, size_t size, size_t* count);

/* All on which decisions depend but the random numbers, as bytes: written when they are no more than `size`
 * (`bytes` may be NULL when that is 0). Returns how many there are; 0 when memory ran out. Since version 2. */
size_t mirab_engine_snapshot(const mirab_engine* engine, void* bytes, size_t size);

/* The engine of a snapshot: the same later events, times and random numbers bring the same decisions with the
 * same identifiers. Its generator begins with the seed 0. NULL, with the reason, for bytes that are no snapshot.
 * Since version 2. */
mirab_engine* mirab_engine_restore(const void* bytes, size_t length, char* error, size_t size);

#ifdef __cplusplus
}
#endif

#endif
