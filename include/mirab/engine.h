/* The online engine of Mirab for C, and for whatever can call C. See docs/engine.md for what events and
 * disciplines do, and mirab/scheduling/engine.hpp for the same in C++.
 *
 * Every function that may be refused returns a status; mirab_engine_error() then tells why, and the engine is
 * as it was. Amounts are int64_t in whole units of the caller's choice, one for each resource in the order in
 * which the engine was given them. Times are nanoseconds since an origin that the caller chooses, and do not go
 * back. Text is UTF-8. An engine must not be used by two threads at once.
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
  MIRAB_FAILED = 3   /* memory ran out; the engine must only be freed now */
} mirab_status;

/* Identifiers are never given twice by one engine; those of servers, users, jobs and tasks are apart. */
typedef uint64_t mirab_id;

/* Version of this interface: grows when something is added. */
#define MIRAB_ENGINE_VERSION 1
int mirab_engine_version(void);

/* A new engine. `discipline` and `placement` as on the command line ("drf", "best-fit:published=true"). NULL
 * when that is refused: then the reason is written to `error`, at most `size` bytes with the closing zero. */
mirab_engine* mirab_engine_new(const char* const* resources, size_t resource_count, const char* discipline,
                               const char* placement, char* error, size_t size);
void mirab_engine_free(mirab_engine* engine); /* NULL is allowed */

/* Why the last call on this engine was refused; valid until the next call on it. Never NULL. */
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

/* Called for each task that was lost or stopped, before the function that it was given to returns; it must not
 * call that engine. */
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
mirab_status mirab_job_cancelled(mirab_engine* engine, int64_t now, mirab_id job, mirab_on_lost on_lost,
                                 void* context);
mirab_status mirab_task_finished(mirab_engine* engine, int64_t now, mirab_id task);
mirab_status mirab_task_failed(mirab_engine* engine, int64_t now, mirab_id task);

typedef struct mirab_placed {
  mirab_id task;
  mirab_id job;
  mirab_id user;
  mirab_id server;
} mirab_placed;

/* The generator that mirab_step() draws from begins anew with this seed; 0 to begin with. */
void mirab_engine_seed(mirab_engine* engine, uint64_t seed);

/* Places the next task. MIRAB_NOTHING when no waiting task is to be placed now. */
mirab_status mirab_step(mirab_engine* engine, int64_t now, mirab_placed* placed);

/* What the user's running tasks take (`used`, one for each resource; may be NULL), how many there are, and the
 * largest part of any resource that they hold. MIRAB_NOTHING for an unknown user. */
mirab_status mirab_user_state(const mirab_engine* engine, mirab_id user, int64_t* used, int64_t* running,
                              double* dominant_share);

/* How many tasks of the job wait and run. MIRAB_NOTHING for a job that is unknown, or over. */
mirab_status mirab_job_state(const mirab_engine* engine, mirab_id job, int64_t* waiting, int64_t* running);

/* What is free on the server, one for each resource. MIRAB_NOTHING for an unknown server. */
mirab_status mirab_server_free(const mirab_engine* engine, mirab_id server, int64_t* free_amounts);

#ifdef __cplusplus
}
#endif

#endif
