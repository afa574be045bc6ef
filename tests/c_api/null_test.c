/* Every pointer as NULL: where that is not allowed the answer names the argument, and nothing has happened.
 */
#include <math.h>
#include <string.h>

#include <mirab/allocate.h>
#include <mirab/engine.h>

#include "expect.h"

/* Is it the answer for an argument of this name that is NULL? */
#define EXPECT_INVALID(engine, call, name)                                      \
  do {                                                                          \
    EXPECT((call) == MIRAB_INVALID);                                            \
    EXPECT(strcmp(mirab_engine_error(engine), name ": must not be NULL") == 0); \
  } while (0)

/* Nothing was made, and the reason begins so? */
#define EXPECT_NOT_MADE(call, reason)                    \
  do {                                                   \
    error[0] = '\0';                                     \
    EXPECT((call) == NULL);                              \
    EXPECT(strncmp(error, reason, strlen(reason)) == 0); \
  } while (0)

static const char* const resources[] = {"cpu"};
static const int64_t one[] = {1};

static void no_engine(void) {
  const mirab_label label = {"disk", "ssd"};
  mirab_id id = 0;
  EXPECT_INVALID(NULL, mirab_server_added(NULL, 0, "s", one, &label, 1, &id), "engine");
  EXPECT_INVALID(NULL, mirab_server_changed(NULL, 0, 1, one), "engine");
  EXPECT_INVALID(NULL, mirab_server_drained(NULL, 0, 1), "engine");
  EXPECT_INVALID(NULL, mirab_server_reopened(NULL, 0, 1), "engine");
  EXPECT_INVALID(NULL, mirab_server_removed(NULL, 0, 1), "engine");
  EXPECT_INVALID(NULL, mirab_server_failed(NULL, 0, 1, NULL, NULL), "engine");
  EXPECT_INVALID(NULL, mirab_user_added(NULL, 0, "u", "1", &id), "engine");
  EXPECT_INVALID(NULL, mirab_user_reweighted(NULL, 0, 1, "1"), "engine");
  EXPECT_INVALID(NULL, mirab_user_removed(NULL, 0, 1), "engine");
  EXPECT_INVALID(NULL, mirab_job_submitted(NULL, 0, 1, one, 1, NULL, 0, NULL, 0, &id), "engine");
  EXPECT_INVALID(NULL, mirab_job_submitted_with(NULL, 0, 1, one, 1, NULL, 0, NULL, 0, NULL, &id), "engine");
  EXPECT_INVALID(NULL, mirab_job_cancelled(NULL, 0, 1, NULL, NULL), "engine");
  EXPECT_INVALID(NULL, mirab_task_finished(NULL, 0, 1), "engine");
  EXPECT_INVALID(NULL, mirab_task_failed(NULL, 0, 1), "engine");
  EXPECT_INVALID(NULL, mirab_step(NULL, 0, NULL), "engine");
  EXPECT_INVALID(NULL, mirab_last_step(NULL, NULL, NULL, NULL), "engine");
  EXPECT_INVALID(NULL, mirab_task_role(NULL, 0, NULL), "engine");
  EXPECT_INVALID(NULL, mirab_task_state(NULL, 0, NULL), "engine");
  EXPECT_INVALID(NULL, mirab_job_tasks(NULL, 0, NULL, NULL), "engine");
  EXPECT_INVALID(NULL, mirab_server_tasks(NULL, 0, NULL, NULL), "engine");
  EXPECT_INVALID(NULL, mirab_user_jobs(NULL, 0, NULL, NULL), "engine");
  EXPECT_INVALID(NULL, mirab_last_preempted(NULL, NULL, NULL), "engine");
  EXPECT_INVALID(NULL, mirab_step_all(NULL, 0, 1, NULL, NULL, NULL), "engine");
  EXPECT_INVALID(NULL, mirab_step_and_why(NULL, 0, NULL, NULL, 0), "engine");
  EXPECT_INVALID(NULL, mirab_why_waiting(NULL, 0, 1, NULL, NULL, NULL, 0), "engine");
  EXPECT_INVALID(NULL, mirab_user_state(NULL, 1, NULL, NULL, NULL), "engine");
  EXPECT_INVALID(NULL, mirab_job_state(NULL, 1, NULL, NULL), "engine");
  EXPECT_INVALID(NULL, mirab_server_free(NULL, 1, NULL), "engine");
  EXPECT_INVALID(NULL, mirab_reservations(NULL, NULL, 0, NULL), "engine");
  EXPECT(mirab_engine_snapshot(NULL, NULL, 0) == 0);
  mirab_engine_seed(NULL, 1);
  mirab_engine_free(NULL);
}

static void no_engine_from_null(void) {
  const char* const holes[] = {"cpu", NULL};
  char error[100] = "";
  EXPECT_NOT_MADE(mirab_engine_new(NULL, 1, "drf", "first-fit", error, sizeof error), "resources: must not");
  EXPECT_NOT_MADE(mirab_engine_new(holes, 2, "drf", "first-fit", error, sizeof error),
                  "resources[1]: must not");
  EXPECT_NOT_MADE(mirab_engine_new(resources, 1, NULL, "first-fit", error, sizeof error),
                  "discipline: must not");
  EXPECT_NOT_MADE(mirab_engine_new(resources, 1, "drf", NULL, error, sizeof error), "placement: must not");
  EXPECT_NOT_MADE(mirab_engine_new_with(NULL, error, sizeof error), "options: must not");
  EXPECT_NOT_MADE(mirab_engine_restore(NULL, 7, error, sizeof error), "bytes: must not");
  EXPECT(mirab_engine_restore(NULL, 0, error, sizeof error) == NULL);
  EXPECT(mirab_engine_new(NULL, 1, "drf", "first-fit", NULL, 0) == NULL);
}

/* An engine takes nothing from a call that is not valid: the names can be given afterwards. */
static void arguments_of_events(void) {
  const mirab_label unnamed = {NULL, "ssd"}, empty = {"disk", NULL};
  const char* const hole[] = {NULL};
  mirab_id user = 0;
  mirab_engine* engine = mirab_engine_new(resources, 1, "drf", "first-fit", NULL, 0);
  EXPECT(engine != NULL);
  EXPECT_INVALID(engine, mirab_server_added(engine, 0, NULL, one, NULL, 0, NULL), "name");
  EXPECT_INVALID(engine, mirab_server_added(engine, 0, "s", NULL, NULL, 0, NULL), "capacity");
  EXPECT_INVALID(engine, mirab_server_added(engine, 0, "s", one, NULL, 1, NULL), "labels");
  EXPECT_INVALID(engine, mirab_server_added(engine, 0, "s", one, &unnamed, 1, NULL), "labels[0].name");
  EXPECT_INVALID(engine, mirab_server_added(engine, 0, "s", one, &empty, 1, NULL), "labels[0].value");
  EXPECT(mirab_server_added(engine, 0, "s", one, NULL, 0, NULL) == MIRAB_OK);
  EXPECT(mirab_engine_error(engine)[0] == '\0');
  EXPECT_INVALID(engine, mirab_server_changed(engine, 0, 0, NULL), "capacity");
  EXPECT_INVALID(engine, mirab_user_added(engine, 0, NULL, "1", &user), "name");
  EXPECT_INVALID(engine, mirab_user_added(engine, 0, "u", NULL, &user), "weight");
  EXPECT(mirab_user_added(engine, 0, "u", "1", &user) == MIRAB_OK);
  EXPECT_INVALID(engine, mirab_user_reweighted(engine, 0, user, NULL), "weight");
  EXPECT_INVALID(engine, mirab_job_submitted(engine, 0, user, NULL, 1, NULL, 0, NULL, 0, NULL), "demand");
  EXPECT_INVALID(engine, mirab_job_submitted(engine, 0, user, one, 1, hole, 1, NULL, 0, NULL), "servers[0]");
  EXPECT_INVALID(engine, mirab_job_submitted(engine, 0, user, one, 1, NULL, 0, NULL, 1, NULL), "select");
  EXPECT_INVALID(engine, mirab_job_submitted(engine, 0, user, one, 1, NULL, 0, &empty, 1, NULL),
                 "select[0].value");
  EXPECT_INVALID(engine, mirab_reservations(engine, NULL, 1, NULL), "kept");
  EXPECT(mirab_step(engine, 0, NULL) == MIRAB_NOTHING);
  mirab_engine_free(engine);
}

/* What is given by a pointer may be left out everywhere. */
static void outputs(void) {
  mirab_id user = 0, job = 0;
  mirab_engine* engine = mirab_engine_new(resources, 1, "drf", "first-fit", NULL, 0);
  EXPECT(mirab_server_added(engine, 0, "s", one, NULL, 0, NULL) == MIRAB_OK);
  EXPECT(mirab_server_added(engine, 0, "t", one, NULL, 0, NULL) == MIRAB_OK);
  EXPECT(mirab_user_added(engine, 0, "v", "1", NULL) == MIRAB_OK);
  EXPECT(mirab_user_added(engine, 0, "u", "1", &user) == MIRAB_OK);
  EXPECT(mirab_job_submitted(engine, 0, user, one, 2, NULL, 0, NULL, 0, NULL) == MIRAB_OK);
  EXPECT(mirab_job_submitted(engine, 0, user, one, 2, NULL, 0, NULL, 0, &job) == MIRAB_OK);
  EXPECT(mirab_step(engine, 0, NULL) == MIRAB_OK);
  EXPECT(mirab_step_and_why(engine, 0, NULL, NULL, 0) == MIRAB_OK);
  EXPECT(mirab_last_step(engine, NULL, NULL, NULL) == MIRAB_OK);
  EXPECT(mirab_why_waiting(engine, 0, job, NULL, NULL, NULL, 0) == MIRAB_OK);
  EXPECT(mirab_user_state(engine, user, NULL, NULL, NULL) == MIRAB_OK);
  EXPECT(mirab_job_state(engine, job, NULL, NULL) == MIRAB_OK);
  EXPECT(mirab_server_free(engine, 1, NULL) == MIRAB_OK);
  EXPECT(mirab_reservations(engine, NULL, 0, NULL) == MIRAB_OK);
  mirab_engine_free(engine);
}

static void clusters(void) {
  const double four[] = {4}, unit[] = {1};
  const mirab_cluster whole = {sizeof(mirab_cluster), 1, 1, 1, four, unit, NULL, NULL, NULL, NULL,
                               0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL};
  mirab_cluster holed = whole;
  char error[100] = "";
  mirab_allocation* allocation;
  mirab_explanation* explanation;
  EXPECT_NOT_MADE(mirab_allocate(NULL, "drf", error, sizeof error), "cluster: must not");
  EXPECT_NOT_MADE(mirab_allocate(&whole, NULL, error, sizeof error), "mechanism: must not");
  EXPECT_NOT_MADE(mirab_allocate_text(NULL, "drf", error, sizeof error), "cluster: must not");
  EXPECT_NOT_MADE(mirab_allocate_text("{}", NULL, error, sizeof error), "mechanism: must not");
  holed.capacity = NULL;
  EXPECT_NOT_MADE(mirab_allocate(&holed, "drf", error, sizeof error), "capacity: must not");
  holed = whole;
  holed.demand = NULL;
  EXPECT_NOT_MADE(mirab_allocate(&holed, "drf", error, sizeof error), "demand: must not");
  EXPECT_NOT_MADE(mirab_explain(NULL, 0, 1, error, sizeof error), "allocation: must not");

  allocation = mirab_allocate(&whole, "drf", NULL, 0);
  EXPECT(allocation != NULL);
  EXPECT(mirab_allocation_certificate(allocation, NULL) == 0);
  EXPECT(mirab_allocation_user(allocation, 1) == NULL);
  EXPECT(mirab_allocation_server(allocation, 1) == NULL);
  explanation = mirab_explain(allocation, 0, 1, NULL, 0);
  EXPECT(explanation != NULL);
  EXPECT(mirab_explanation_bindings(explanation, NULL) != NULL);
  EXPECT(mirab_explanation_what_ifs(explanation, NULL) != NULL);
  mirab_explanation_free(explanation);
  mirab_allocation_free(allocation);
}

static void no_allocation(void) {
  size_t count = 7;
  const char* kind = NULL;
  EXPECT(mirab_allocation_quality(NULL) == MIRAB_NOT_CONVERGED);
  EXPECT(isnan(mirab_allocation_certificate(NULL, &kind)));
  EXPECT(mirab_allocation_resource_count(NULL) == 0);
  EXPECT(mirab_allocation_user_count(NULL) == 0);
  EXPECT(mirab_allocation_server_count(NULL) == 0);
  EXPECT(mirab_allocation_user(NULL, 0) == NULL);
  EXPECT(mirab_allocation_server(NULL, 0) == NULL);
  EXPECT(mirab_allocation_tasks(NULL) == NULL);
  EXPECT(mirab_allocation_shares(NULL) == NULL);
  EXPECT(mirab_allocation_tasks_on(NULL) == NULL);
  EXPECT(mirab_allocation_used(NULL) == NULL);
  EXPECT(mirab_explanation_has_all_tasks(NULL) == 0);
  EXPECT(mirab_explanation_bindings(NULL, &count) == NULL && count == 0);
  EXPECT(mirab_explanation_what_ifs(NULL, &count) == NULL && count == 0);
  EXPECT(mirab_explanation_untried(NULL) == 0);
  mirab_allocation_free(NULL);
  mirab_explanation_free(NULL);
}

int main(void) {
  no_engine();
  no_engine_from_null();
  arguments_of_events();
  outputs();
  clusters();
  no_allocation();
  return failures == 0 ? 0 : 1;
}
