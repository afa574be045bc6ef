/* Divisible shares of Mirab for C, and for whatever can call C. See docs/mechanisms.md for the mechanisms, and
 * mirab/mechanisms/mechanism.hpp for the same in C++; mirab/engine.h is the online engine, for whole tasks.
 *
 * A cluster has K server entries, N users and m resources; a matrix stands row by row. Text is UTF-8. What a
 * function returns a pointer to belongs to the allocation, and is valid until that is freed. An allocation is
 * not changed by any function but mirab_allocation_free(), so that several threads may read it.
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
#define MIRAB_ALLOCATE_VERSION 1
int mirab_allocate_version(void);

/* Set it to zeros before its members, so that those not named are left out. Amounts are taken as the shortest
 * decimals that read back as them. */
typedef struct mirab_cluster {
  size_t size; /* sizeof(mirab_cluster) */
  size_t resource_count;
  size_t server_count;
  size_t user_count;
  const double* capacity;  /* [K][m], of one server of an entry */
  const double* demand;    /* [N][m], of each task */
  const int64_t* count;    /* [K], how many servers an entry stands for; NULL: one each */
  const double* weight;    /* [N]; NULL: 1 each */
  const double* tasks;     /* [N], how many a user has, infinity for no limit; NULL: no limits */
  const uint8_t* eligible; /* [N][K], 0 where a user may not run; NULL: everybody everywhere */
} mirab_cluster;

typedef struct mirab_allocation mirab_allocation;

/* Divides the cluster. `mechanism` as on the command line ("drf", "alpha-fair:alpha=2"). NULL when that is
 * refused, or memory runs out: then the reason is written to `error`, at most `size` bytes with the closing
 * zero. */
mirab_allocation* mirab_allocate(const mirab_cluster* cluster, const char* mechanism, char* error, size_t size);

/* The same for the text of a cluster file (docs/cluster-file.md): JSON when it begins with a brace, else YAML. */
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

/* Names; those of a cluster in arrays are u0, u1, ... and s0, s1, ... Requires an index below the count. */
const char* mirab_allocation_user(const mirab_allocation* allocation, size_t user);
const char* mirab_allocation_server(const mirab_allocation* allocation, size_t server);

/* [N]: how many tasks each user can run; the largest part of any one resource that it holds. */
const double* mirab_allocation_tasks(const mirab_allocation* allocation);
const double* mirab_allocation_shares(const mirab_allocation* allocation);

/* [N][S]: how many tasks on which entry. [S][m]: what is used of each. */
const double* mirab_allocation_tasks_on(const mirab_allocation* allocation);
const double* mirab_allocation_used(const mirab_allocation* allocation);

#ifdef __cplusplus
}
#endif

#endif
