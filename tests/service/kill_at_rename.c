// Preloaded into a program: kills it before its MIRAB_KILL_AT-th renaming of a file, counted from 1.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>

static int renamings;

static void count(void) {
  const char* at = getenv("MIRAB_KILL_AT");
  if (at != NULL && ++renamings == atoi(at)) raise(SIGKILL);
}

int rename(const char* from, const char* to) {
  count();
  int (*real)(const char*, const char*);
  *(void**)&real = dlsym(RTLD_NEXT, "rename");
  return real(from, to);
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  count();
  int (*real)(int, const char*, int, const char*, unsigned);
  *(void**)&real = dlsym(RTLD_NEXT, "renameat2");
  return real(from_folder, from, to_folder, to, flags);
}
