// Ports for tests that need to know one before something listens on it: port 0 may give the same one to the next caller.

import { createServer } from 'node:net'

/** Above the ports that Linux hands out by itself, to servers on port 0 and to clients. */
const first = 61_000
const count = 4500

/** Ports that a test file has for itself unless others run at a distance of many processes: a cluster takes 12 and more. */
const stride = 97

let asked = 0

/** A port of this machine that nobody listens on, another one each time; test files that run at once get others. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = first + ((process.pid * stride + asked) % count)
    asked += 1
    if (await isFree(port)) return port
    if (asked > count) throw new Error(`No port from ${first} on is free`)
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
      .once('error', () => resolve(false))
      .listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
}
