/* Divisible shares of Mirab for C, and for whatever can call C. See docs/reference/mechanisms.md for the mechanisms, and
 * mirab/mechanisms/mechanism.hpp for the same in C++; mirab/engine.h is the online engine, for whole tasks.
 *
 * A cluster has K server entries, N users and m resources; a matrix stands row by row. Text is UTF-8. What a
 * function returns a pointer to belongs to the allocation, and is valid until that is freed. An allocation is
 * not changed by any function but mirab_allocation_free(), so that several threads may read it.
 *
 * What a function takes by a pointer must not be NULL unless the comment on it says so: where it is, a function that
 * makes something gives NULL, and the reason names the argument; one that reads an allocation or an explanation gives
 * 0, NULL, NaN or MIRAB_NOT_CONVERGED. What a function gives by a pointer may always be NULL, and is not given then.
 *
 * The interface is stable: functions, values and members at the end of mirab_cluster are added, never changed. */
#ifndef MIRAB_ALLOCATE_H
#define MIRAB_ALLOCATE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Version of this interface: grows when something is added. */
#define MIRAB_ALLOCATE_VERSION 4
int mirab_allocate_version(void);

/* Set it to zeros before its members, so that those not named are left out. Amounts are taken as the shortest
 * decimals that read back as them. */
typedef struct mirab_cluster {
  size_t size; /* sizeof(mirab_cluster): more may be added at the end */
  size_t resource_count;
  size_t server_count;
  size_t user_count;
  const double* capacity;  /* [K][m], of one server of an entry */
  const double* demand;    /* [N][m], of each task */
  const int64_t* count;    /* [K], how many servers an entry stands for; NULL: one each */
  const double* weight;    /* [N]; NULL: 1 each */
  const double* tasks;     /* [N], how many a user has, infinity for no limit; NULL: no limits */
  const uint8_t* eligible; /* [N][K], 0 where a user may not run; NULL: all users everywhere */

  /* Since version 3: groups of users and groups, which "hdrf" and "hdrfh" honour (docs/explanation/teams.md). Amounts
   * are of the whole cluster. */
  size_t group_count;            /* G */
  const int64_t* group_parent;   /* [G], a group before it, whose member it is; -1: of the cluster; NULL: -1 each */
  const double* group_weight;    /* [G], among the members of the parent; NULL: 1 each */
  const double* group_guarantee; /* [G][m]; a row of NaN: the sum of the members'; NULL: that each */
  const double* group_limit;     /* [G][m], infinity for no limit; NULL: no limits */
  const double* group_reserved;  /* [G][m], the part of the guarantee that is not lent; NULL: nothing */
  const int64_t* user_group;     /* [N], whose member a user is; -1: of the cluster; NULL: -1 each */
  const double* user_guarantee;  /* [N][m]; a row of NaN: nothing; NULL: nothing */
  const double* user_limit;      /* [N][m], as of groups */
  const double* user_reserved;   /* [N][m], as of groups */

  /* Since version 4: a user that fits on no server is refused, or where this is not 0 gets nothing. */
  const uint8_t* may_fit_nowhere; /* [N]; NULL: 0 each */
} mirab_cluster;

typedef struct mirab_allocation mirab_allocation;

/* Divides the cluster. `mechanism` as on the command line ("drf", "alpha-fair:alpha=2"). NULL when that is
 * refused, or memory runs out: then the reason is written to `error`, at most `size` bytes with the closing
 * zero. */
mirab_allocation* mirab_allocate(const mirab_cluster* cluster, const char* mechanism, char* error, size_t size);

/* The same for the text of a cluster file (docs/reference/cluster-file.md): JSON when it begins with a brace, else YAML. */
mirab_allocation* mirab_allocate_text(const char* cluster, const char* mechanism, char* error, size_t size);

void mirab_allocation_free(mirab_allocation* allocation); /* NULL is allowed */

typedef enum mirab_quality {
  MIRAB_EXACT = 0,
  MIRAB_CONVERGED = 1,    /* to its certificate */
  MIRAB_NOT_CONVERGED = 2 /* a result too, with its certificate */
} mirab_quality;

mirab_quality mirab_allocation_quality(const mirab_allocation* allocation);

/* A number that bounds how far the outcome is from what the mechanism defines: 0 when exact. `kind` says what it
 * measures ("relative-duality-gap"), and may be NULL. */
double mirab_allocation_certificate(const mirab_allocation* allocation, const char** kind);

/* m, N, and S: the server entries as the mechanism saw them, one ("pool") where it pours all into one. */
size_t mirab_allocation_resource_count(const mirab_allocation* allocation);
size_t mirab_allocation_user_count(const mirab_allocation* allocation);
size_t mirab_allocation_server_count(const mirab_allocation* allocation);

/* Names; those of a cluster in arrays are u0, u1, ... and s0, s1, ... (of groups g0, g1, ...). NULL for an index not below the count. */
const char* mirab_allocation_user(const mirab_allocation* allocation, size_t user);
const char* mirab_allocation_server(const mirab_allocation* allocation, size_t server);

/* [N]: how many tasks each user can run; the largest part of any one resource that it holds. */
const double* mirab_allocation_tasks(const mirab_allocation* allocation);
const double* mirab_allocation_shares(const mirab_allocation* allocation);

/* [N][S]: how many tasks on which entry. [S][m]: what is used of each. */
const double* mirab_allocation_tasks_on(const mirab_allocation* allocation);
const double* mirab_allocation_used(const mirab_allocation* allocation);

/* Some of a resource that a user has. Never grows; nor do the two below. Since version 2, as all that follows. */
typedef struct mirab_holding {
  size_t user;
  double amount;
} mirab_holding;

/* A full resource that a user needs where it may run. Entries of equal servers stand together, and amounts are of
 * all of them. */
typedef struct mirab_binding {
  const size_t* servers; /* entries as the mechanism saw them, below S */
  size_t server_count;
  size_t resource;
  double capacity;
  double held;  /* by the user */
  double level; /* the highest share per weight of those who hold some of it */
  double price; /* per unit; NaN where the mechanism has none */
  const mirab_holding* others; /* who else holds most of it, at most three, most first */
  size_t other_count;
} mirab_binding;

typedef enum mirab_change {
  MIRAB_MORE_SERVERS = 0, /* one more server of an entry */
  MIRAB_MORE_UNITS = 1,   /* more of one resource on one server of an entry, or in the pool */
  MIRAB_MORE_WEIGHT = 2,  /* twice the weight */
  MIRAB_MORE_TASKS = 3,        /* one task more to run, for a user who runs all it has */
  MIRAB_MORE_GROUP_WEIGHT = 4, /* twice the weight of a group; the user is a member of it or of one below */
  MIRAB_MORE_LIMIT = 5,        /* twice the limits that it has reached, of several resources together; the same */
  MIRAB_MORE_GUARANTEE = 6,    /* a guarantee for the user or for such a group */
  MIRAB_LESS_RESERVE = 7       /* another group or user reserves nothing */
} mirab_change;

/* A change and its effect: the mechanism was run on the changed cluster. */
typedef struct mirab_what_if {
  mirab_change change;
  const size_t* servers; /* entries of the cluster to which it applies alike, below K; none where it is of no server */
  size_t server_count;
  size_t resource; /* of MIRAB_MORE_UNITS, a limit (of several the first), a guarantee, a reserve */
  double amount;   /* how many servers, how much of the resource; the new weight, number of tasks, limit or guarantee;
                    * what was reserved */
  double tasks;    /* of the user then */
  double gain;     /* over what the user has now; negative when the change would hurt it */
  mirab_quality quality;
} mirab_what_if;

typedef struct mirab_explanation mirab_explanation;

/* Why a user has what it has, and what would change it: docs/how-to/explain.md. The cluster is divided again, and once for
 * each of at most `what_ifs` changes. The explanation does not need the allocation any more. NULL, with the reason,
 * when there is no such user, or memory runs out. */
mirab_explanation* mirab_explain(const mirab_allocation* allocation, size_t user, size_t what_ifs, char* error,
                                 size_t size);

void mirab_explanation_free(mirab_explanation* explanation); /* NULL is allowed */

/* Does the user run all the tasks it has? Then nothing else holds it back. */
int mirab_explanation_has_all_tasks(const mirab_explanation* explanation);

/* Where the user holds most of the capacity first; valid until the explanation is freed, as the next. */
const mirab_binding* mirab_explanation_bindings(const mirab_explanation* explanation, size_t* count);

/* The greatest gain first. */
const mirab_what_if* mirab_explanation_what_ifs(const mirab_explanation* explanation, size_t* count);

/* How many changes were not tried. */
size_t mirab_explanation_untried(const mirab_explanation* explanation);

#ifdef __cplusplus
}
#endif

#endif
