/* Divisible shares from C: every function once, and what is refused. */
#include <mirab/allocate.h>

#include <math.h>
#include <string.h>

#include "expect.h"

static int near(double a, double b) { return fabs(a - b) <= 1e-9; }

static const double capacity[] = {9, 18};
static const double demand[] = {1, 4, 3, 1};

/* The slides' table 1: 9 CPUs and 18 GB, tasks (1, 4) and (3, 1). */
static mirab_cluster the_slides(void) {
  mirab_cluster cluster;
  memset(&cluster, 0, sizeof cluster);
  cluster.size = sizeof cluster;
  cluster.resource_count = 2;
  cluster.server_count = 1;
  cluster.user_count = 2;
  cluster.capacity = capacity;
  cluster.demand = demand;
  return cluster;
}

static void expect_three_and_two(const mirab_allocation* allocation) {
  const char* kind = NULL;
  EXPECT(allocation != NULL);
  EXPECT(mirab_allocation_quality(allocation) == MIRAB_EXACT);
  EXPECT(mirab_allocation_certificate(allocation, &kind) == 0 && kind != NULL);
  EXPECT(mirab_allocation_certificate(allocation, NULL) == 0);
  EXPECT(mirab_allocation_user_count(allocation) == 2);
  EXPECT(mirab_allocation_server_count(allocation) == 1);
  EXPECT(mirab_allocation_resource_count(allocation) == 2);
  EXPECT(near(mirab_allocation_tasks(allocation)[0], 3) && near(mirab_allocation_tasks(allocation)[1], 2));
  EXPECT(near(mirab_allocation_tasks_on(allocation)[0], 3) && near(mirab_allocation_tasks_on(allocation)[1], 2));
  EXPECT(near(mirab_allocation_shares(allocation)[0], 2.0 / 3) && near(mirab_allocation_shares(allocation)[1], 2.0 / 3));
  EXPECT(near(mirab_allocation_used(allocation)[0], 9) && near(mirab_allocation_used(allocation)[1], 14));
  EXPECT(strcmp(mirab_allocation_server(allocation, 0), "pool") == 0);
}

static void drf_gives_three_and_two_tasks_on_the_slides(void) {
  const char* const yaml =
      "version: 1\nresources: [cpu, memory]\nservers: [{name: pool, capacity: {cpu: 9, memory: 18}}]\n"
      "users: [{name: A, demand: {cpu: 1, memory: 4}}, {name: B, demand: {cpu: 3, memory: 1}}]\n";
  const char* const json =
      " {\"version\": 1, \"resources\": [\"cpu\", \"memory\"], \"servers\": [{\"name\": \"s\", \"capacity\": {\"cpu\": 9, "
      "\"memory\": 18}}], \"users\": [{\"name\": \"A\", \"demand\": {\"cpu\": 1, \"memory\": 4}}, {\"name\": \"B\", "
      "\"demand\": {\"cpu\": 3, \"memory\": 1}}]}";
  char error[200] = "";
  const mirab_cluster cluster = the_slides();
  mirab_allocation* from_arrays = mirab_allocate(&cluster, "drf", error, sizeof error);
  mirab_allocation* from_yaml = mirab_allocate_text(yaml, "drf", error, sizeof error);
  mirab_allocation* from_json = mirab_allocate_text(json, "drf", error, sizeof error);
  expect_three_and_two(from_arrays);
  expect_three_and_two(from_yaml);
  expect_three_and_two(from_json);
  EXPECT(strcmp(mirab_allocation_user(from_arrays, 1), "u1") == 0);
  EXPECT(strcmp(mirab_allocation_user(from_yaml, 1), "B") == 0);
  mirab_allocation_free(from_arrays);
  mirab_allocation_free(from_yaml);
  mirab_allocation_free(from_json);
  mirab_allocation_free(NULL);
}

/* Servers of 4 and twice 4 for three users with tasks of 1, the first on the former only, the last with one task. */
static void what_may_be_left_out_is_honoured(void) {
  const double four[] = {4, 4}, ones[] = {1, 1, 1}, weight[] = {1, 2, 1}, tasks[] = {INFINITY, INFINITY, 1};
  const int64_t count[] = {1, 2};
  const uint8_t eligible[] = {1, 0, 1, 1, 1, 1};
  char error[200] = "";
  mirab_cluster cluster = the_slides();
  mirab_allocation* allocation;
  cluster.resource_count = 1;
  cluster.server_count = 2;
  cluster.user_count = 3;
  cluster.capacity = four;
  cluster.demand = ones;
  cluster.count = count;
  cluster.weight = weight;
  cluster.tasks = tasks;
  cluster.eligible = eligible;
  allocation = mirab_allocate(&cluster, "drfh", error, sizeof error);
  EXPECT(allocation != NULL);
  EXPECT(near(mirab_allocation_tasks(allocation)[0], 11.0 / 3));
  EXPECT(near(mirab_allocation_tasks(allocation)[1], 22.0 / 3));
  EXPECT(near(mirab_allocation_tasks(allocation)[2], 1));
  EXPECT(mirab_allocation_tasks_on(allocation)[1] == 0);
  EXPECT(near(mirab_allocation_used(allocation)[0], 4) && near(mirab_allocation_used(allocation)[1], 8));
  EXPECT(strcmp(mirab_allocation_server(allocation, 1), "s1") == 0);
  mirab_allocation_free(allocation);
}

/* The server has none of what the second user asks for. */
static void a_user_that_may_fit_nowhere_waits(void) {
  const double capacity[] = {9, 0}, demand[] = {1, 0, 1, 1};
  const uint8_t second[] = {0, 1};
  char error[200] = "";
  mirab_cluster cluster = the_slides();
  mirab_allocation* allocation;
  cluster.capacity = capacity;
  cluster.demand = demand;
  EXPECT(mirab_allocate(&cluster, "drf", error, sizeof error) == NULL);
  EXPECT(strstr(error, "users[1].demand: user 'u1' fits nowhere") != NULL && strstr(error, "may_fit_nowhere") != NULL);
  cluster.may_fit_nowhere = second;
  allocation = mirab_allocate(&cluster, "drf", error, sizeof error);
  EXPECT(allocation != NULL);
  EXPECT(near(mirab_allocation_tasks(allocation)[0], 9) && mirab_allocation_tasks(allocation)[1] == 0);
  mirab_allocation_free(allocation);
}

/* A caller that was compiled with a later version of the struct, and with none of its new members set. */
static void a_cluster_of_a_later_version_is_divided(void) {
  struct {
    mirab_cluster cluster;
    const double* later[2];
  } grown;
  mirab_allocation* allocation;
  memset(&grown, 0, sizeof grown);
  grown.cluster = the_slides();
  grown.cluster.size = sizeof grown;
  allocation = mirab_allocate(&grown.cluster, "drf", NULL, 0);
  expect_three_and_two(allocation);
  mirab_allocation_free(allocation);
}

/* Two groups of weights 2 and 1, one below the other's sibling, with a guarantee, a limit and a reserve: as the file. */
static void groups_in_arrays_are_those_of_the_file(void) {
  const char* const yaml =
      "version: 1\nresources: [r0, r1]\nservers: [{name: s0, capacity: {r0: 90, r1: 40}}]\n"
      "groups:\n  - name: g0\n    weight: 2\n    guarantee: {r0: 20, r1: 8}\n    reserved: {r0: 4}\n"
      "    groups: [{name: g1, weight: 3}]\n  - {name: g2, limit: {r0: 25}}\n"
      "users:\n  - {name: u0, group: g1, demand: {r0: 1, r1: 2}}\n  - {name: u1, group: g0, demand: {r0: 3, r1: 1}}\n"
      "  - {name: u2, group: g2, demand: {r0: 1, r1: 1}, guarantee: {r0: 3, r1: 3}}\n"
      "  - {name: u3, demand: {r0: 2}, limit: {r0: 30}}\n";
  const double ninety[] = {90, 40}, demands[] = {1, 2, 3, 1, 1, 1, 2, 0};
  const int64_t parent[] = {-1, 0, -1}, member_of[] = {1, 0, 2, -1};
  const double weight[] = {2, 3, 1}, none = INFINITY;
  const double guarantee[] = {20, 8, NAN, NAN, NAN, NAN}, reserved[] = {4, 0, 0, 0, 0, 0};
  const double limit[] = {none, none, none, none, 25, none};
  const double of_users[] = {NAN, NAN, NAN, NAN, 3, 3, NAN, NAN};
  const double limit_of_users[] = {none, none, none, none, none, none, 30, none};
  const char* const mechanisms[] = {"hdrf", "hdrfh"};
  char error[200] = "";
  mirab_cluster cluster = the_slides();
  size_t which, n;
  cluster.user_count = 4;
  cluster.capacity = ninety;
  cluster.demand = demands;
  cluster.group_count = 3;
  cluster.group_parent = parent;
  cluster.group_weight = weight;
  cluster.group_guarantee = guarantee;
  cluster.group_limit = limit;
  cluster.group_reserved = reserved;
  cluster.user_group = member_of;
  cluster.user_guarantee = of_users;
  cluster.user_limit = limit_of_users;
  for (which = 0; which < 2; ++which) {
    mirab_allocation* arrays = mirab_allocate(&cluster, mechanisms[which], error, sizeof error);
    mirab_allocation* file = mirab_allocate_text(yaml, mechanisms[which], error, sizeof error);
    EXPECT(arrays != NULL && file != NULL);
    for (n = 0; n < 4; ++n) EXPECT(mirab_allocation_tasks(arrays)[n] == mirab_allocation_tasks(file)[n]);
    EXPECT(mirab_allocation_tasks(arrays)[0] > 0);
    mirab_allocation_free(arrays);
    mirab_allocation_free(file);
  }
  {
    const int64_t itself[] = {-1, 1, -1}, nowhere[] = {1, 0, 3, -1};
    const double in_part[] = {20, NAN, NAN, NAN, NAN, NAN};
    cluster.group_parent = itself;
    EXPECT(mirab_allocate(&cluster, "hdrf", error, sizeof error) == NULL && strstr(error, "group_parent[1]") != NULL);
    cluster.group_parent = parent;
    cluster.user_group = nowhere;
    EXPECT(mirab_allocate(&cluster, "hdrf", error, sizeof error) == NULL && strstr(error, "user_group[2]") != NULL);
    cluster.user_group = member_of;
    cluster.group_guarantee = in_part;
    EXPECT(mirab_allocate(&cluster, "hdrf", error, sizeof error) == NULL && strstr(error, "group_guarantee[0][1]") != NULL);
    cluster.group_guarantee = limit;
    EXPECT(mirab_allocate(&cluster, "hdrf", error, sizeof error) == NULL);
  }
}

/* A caller of the first versions, whose struct ends before the groups, has none whatever stands behind it. */
static void a_cluster_of_an_earlier_version_has_no_groups(void) {
  mirab_cluster cluster = the_slides();
  mirab_allocation* allocation;
  cluster.size = offsetof(mirab_cluster, group_count);
  cluster.group_count = 1000000;
  allocation = mirab_allocate(&cluster, "drf", NULL, 0);
  expect_three_and_two(allocation);
  mirab_allocation_free(allocation);
}

static void prices_converge_to_a_certificate(void) {
  const char* kind = NULL;
  const mirab_cluster cluster = the_slides();
  mirab_allocation* allocation = mirab_allocate(&cluster, "alpha-fair:alpha=2", NULL, 0);
  EXPECT(mirab_allocation_quality(allocation) == MIRAB_CONVERGED);
  EXPECT(mirab_allocation_certificate(allocation, &kind) < 1e-9);
  EXPECT(strcmp(kind, "relative-duality-gap") == 0);
  mirab_allocation_free(allocation);
}

static void what_cannot_be_is_refused(void) {
  const double negative[] = {9, -18}, nan_weight[] = {1, NAN};
  char error[200] = "";
  mirab_cluster cluster = the_slides();
  EXPECT(mirab_allocate(&cluster, "drff", error, sizeof error) == NULL && strstr(error, "drf") != NULL);
  cluster.weight = nan_weight;
  EXPECT(mirab_allocate(&cluster, "drf", error, sizeof error) == NULL && strstr(error, "weight[1]") != NULL);
  cluster.capacity = negative;
  EXPECT(mirab_allocate(&cluster, "drf", error, sizeof error) == NULL && strstr(error, "capacity[0][1]") != NULL);
  cluster.size = offsetof(mirab_cluster, group_count) - 1;
  EXPECT(mirab_allocate(&cluster, "drf", error, sizeof error) == NULL && strstr(error, "size") != NULL);
  EXPECT(mirab_allocate_text("", "drf", error, sizeof error) == NULL);
  EXPECT(mirab_allocate_text("{", "drf", NULL, 0) == NULL);
  EXPECT(mirab_allocate_version() == MIRAB_ALLOCATE_VERSION);
}

int main(void) {
  drf_gives_three_and_two_tasks_on_the_slides();
  what_may_be_left_out_is_honoured();
  a_user_that_may_fit_nowhere_waits();
  a_cluster_of_a_later_version_is_divided();
  groups_in_arrays_are_those_of_the_file();
  a_cluster_of_an_earlier_version_has_no_groups();
  prices_converge_to_a_certificate();
  what_cannot_be_is_refused();
  return failures == 0 ? 0 : 1;
}
