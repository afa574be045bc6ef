/* Explanations from C. That they are right is what the tests of explain() prove: this is the way they come to C. */
#include <mirab/allocate.h>

#include <math.h>
#include <string.h>

#include "expect.h"

static const char* const kSlides =
    "version: 1\nresources: [cpu, memory]\nservers: [{name: pool, capacity: {cpu: 9, memory: 18}}]\n"
    "users: [{name: A, demand: {cpu: 1, memory: 4}}, {name: B, demand: {cpu: 3, memory: 1}}]\n";

/* The slides' table 1 under DRF: A runs 3 tasks, B 2, and the 9 CPUs are full. */
static void cpu_holds_a_back_on_the_slides(void) {
  const double capacity[] = {9, 18}, demand[] = {1, 4, 3, 1};
  mirab_cluster cluster;
  size_t count = 0, k;
  const mirab_binding* bindings;
  const mirab_what_if* what_ifs;
  mirab_allocation* allocation;
  mirab_explanation* why;

  memset(&cluster, 0, sizeof cluster);
  cluster.size = sizeof cluster;
  cluster.resource_count = cluster.user_count = 2;
  cluster.server_count = 1;
  cluster.capacity = capacity;
  cluster.demand = demand;
  allocation = mirab_allocate(&cluster, "drf", NULL, 0);
  EXPECT(allocation != NULL);
  why = mirab_explain(allocation, 0, 20, NULL, 0);
  EXPECT(why != NULL);
  mirab_allocation_free(allocation); /* not needed any more */

  EXPECT(!mirab_explanation_has_all_tasks(why));
  bindings = mirab_explanation_bindings(why, &count);
  EXPECT(count == 1 && bindings[0].resource == 0 && bindings[0].server_count == 1 && bindings[0].servers[0] == 0);
  EXPECT(bindings[0].capacity == 9 && bindings[0].held == 3 && isnan(bindings[0].price));
  EXPECT(fabs(bindings[0].level - 2.0 / 3) < 1e-12);
  EXPECT(bindings[0].other_count == 1 && bindings[0].others[0].user == 1 && bindings[0].others[0].amount == 6);

  what_ifs = mirab_explanation_what_ifs(why, &count);
  EXPECT(count == 3 && mirab_explanation_untried(why) == 0);
  EXPECT(what_ifs[0].change == MIRAB_MORE_SERVERS && what_ifs[0].server_count == 1 && what_ifs[0].servers[0] == 0);
  EXPECT(what_ifs[0].amount == 1 && what_ifs[0].gain == 3 && what_ifs[0].tasks == 6);
  EXPECT(what_ifs[1].change == MIRAB_MORE_WEIGHT && what_ifs[1].amount == 2 && what_ifs[1].server_count == 0);
  EXPECT(what_ifs[2].change == MIRAB_MORE_UNITS && what_ifs[2].resource == 0);
  for (k = 1; k < count; ++k) EXPECT(what_ifs[k].gain > 0 && what_ifs[k].gain <= what_ifs[k - 1].gain);
  for (k = 0; k < count; ++k) EXPECT(what_ifs[k].quality == MIRAB_EXACT);
  mirab_explanation_free(why);
}

static void prices_and_what_was_not_tried(void) {
  size_t count = 0;
  char error[100] = "";
  mirab_allocation* allocation = mirab_allocate_text(kSlides, "pf", error, sizeof error);
  mirab_explanation* why = mirab_explain(allocation, 1, 1, error, sizeof error);
  const mirab_binding* bindings = mirab_explanation_bindings(why, &count);
  EXPECT(count > 0 && bindings[0].price > 0);
  mirab_explanation_what_ifs(why, &count);
  EXPECT(count == 1 && mirab_explanation_untried(why) > 0);
  mirab_explanation_free(why);
  EXPECT(mirab_explain(allocation, 2, 1, error, sizeof error) == NULL && strstr(error, "user") != NULL);
  mirab_allocation_free(allocation);
  mirab_explanation_free(NULL);
}

static void who_has_all_its_tasks_may_ask_for_more(void) {
  const double capacity[] = {9}, demand[] = {1, 1}, tasks[] = {2, INFINITY};
  mirab_cluster cluster;
  size_t count = 9;
  const mirab_what_if* what_ifs;
  mirab_allocation* allocation;
  mirab_explanation* why;
  memset(&cluster, 0, sizeof cluster);
  cluster.size = sizeof cluster;
  cluster.resource_count = cluster.server_count = 1;
  cluster.user_count = 2;
  cluster.capacity = capacity;
  cluster.demand = demand;
  cluster.tasks = tasks;
  allocation = mirab_allocate(&cluster, "drf", NULL, 0);
  why = mirab_explain(allocation, 0, 20, NULL, 0);
  EXPECT(mirab_explanation_has_all_tasks(why));
  mirab_explanation_bindings(why, &count);
  EXPECT(count == 0);
  what_ifs = mirab_explanation_what_ifs(why, &count);
  EXPECT(count > 1 && what_ifs[0].change == MIRAB_MORE_TASKS && what_ifs[0].tasks == 3 && what_ifs[0].gain == 1);
  EXPECT(what_ifs[1].gain == 0);
  mirab_explanation_free(why);
  mirab_allocation_free(allocation);
}

int main(void) {
  cpu_holds_a_back_on_the_slides();
  prices_and_what_was_not_tried();
  who_has_all_its_tasks_may_ask_for_more();
  return failures == 0 ? 0 : 1;
}
