// A clock that is wrong by CLOCK_OFFSET_MS, for a server that is started with this library preloaded.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

static long long offset_ms(void) {
  const char *text = getenv("CLOCK_OFFSET_MS");
  return text == NULL ? 0 : atoll(text);
}

int gettimeofday(struct timeval *restrict tv, void *restrict tz) {
  static int (*real)(struct timeval *, void *);
  if (real == NULL) real = dlsym(RTLD_NEXT, "gettimeofday");
  int result = real(tv, tz);
  if (tv != NULL) tv->tv_sec += offset_ms() / 1000;
  return result;
}

int clock_gettime(clockid_t id, struct timespec *ts) {
  static int (*real)(clockid_t, struct timespec *);
  if (real == NULL) real = dlsym(RTLD_NEXT, "clock_gettime");
  int result = real(id, ts);
  if (id == CLOCK_REALTIME) ts->tv_sec += offset_ms() / 1000;
  return result;
}
