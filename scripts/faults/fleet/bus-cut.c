// Cuts connections of a server that is started with this library preloaded: those to or from the ports that the file CUT_FILE
// names, 16 bits each, for as long as it does. What was open is reset, what is new is refused.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#define MOST 32

static volatile unsigned short *ports;

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("CUT_FILE");
  int file = path == NULL ? -1 : open(path, O_RDONLY);
  if (file < 0) return;
  void *shared = mmap(NULL, MOST * sizeof(unsigned short), PROT_READ, MAP_SHARED, file, 0);
  if (shared != MAP_FAILED) ports = shared;
  close(file);
}

static int is_named(const struct sockaddr_in *end) {
  if (end->sin_family != AF_INET) return 0;
  for (int i = 0; i < MOST && ports[i] != 0; i++)
    if (ports[i] == ntohs(end->sin_port)) return 1;
  return 0;
}

static int is_cut(int fd) {
  if (ports == NULL || ports[0] == 0) return 0;
  struct sockaddr_in end;
  socklen_t size = sizeof end;
  if (getpeername(fd, (struct sockaddr *)&end, &size) == 0 && is_named(&end)) return 1;
  size = sizeof end;
  return getsockname(fd, (struct sockaddr *)&end, &size) == 0 && is_named(&end);
}

static int refuse(int reason) {
  errno = reason;
  return -1;
}

#define REAL(name) static __typeof__(&name) real; if (real == NULL) real = dlsym(RTLD_NEXT, #name)

int connect(int fd, const struct sockaddr *to, socklen_t size) {
  REAL(connect);
  if (ports != NULL && ports[0] != 0 && is_named((const struct sockaddr_in *)to)) return refuse(ECONNREFUSED);
  return real(fd, to, size);
}

ssize_t read(int fd, void *to, size_t size) {
  REAL(read);
  return is_cut(fd) ? refuse(ECONNRESET) : real(fd, to, size);
}

ssize_t write(int fd, const void *from, size_t size) {
  REAL(write);
  return is_cut(fd) ? refuse(ECONNRESET) : real(fd, from, size);
}

ssize_t writev(int fd, const struct iovec *from, int count) {
  REAL(writev);
  return is_cut(fd) ? refuse(ECONNRESET) : real(fd, from, count);
}
