// What a program that has crashed under `fanlight dev` responds until it starts again: its error, in each form that a client may ask for, and
// the profiler's pages. An application of its own, for this machine only.

import { createServer, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { createApp } from '../../app/create-app.ts'
import { tlsOf } from '../../app/app.ts'
import type { Crash } from '../../errors/dev-folder.ts'
import { FlattenedCause } from '../../errors/flatten-error.ts'
import type { HintRule } from '../../errors/hints/hint.ts'
import type { RuntimeContext } from '../../http/config/runtime-context.ts'
import { nameError } from '../../base/http/http-error.ts'
import { RouteCollection } from '../../routing/route-collection.ts'
import { maintenance } from '../../app/plugins/maintenance.ts'

class ProgramEnded extends Error {}
nameError(ProgramEnded)

/** The addresses of this machine that a name may mean. */
const hosts = ['127.0.0.1', '::1']

export interface CrashPage {
  /** Where it listens; empty if every port is taken. */
  readonly addresses: readonly string[]
  /** Whether somebody else listens at one of the ports. */
  readonly isPartial: boolean
  close(): Promise<void>
}

/** `what`: `app/main.ts ended with exit code 1`. */
export async function serveCrash(
  what: string,
  crash: Crash | null,
  ports: readonly number[],
  settings: RuntimeContext,
): Promise<CrashPage> {
  const app = await createApp({
    // The requests that come meanwhile are not the program's: none is recorded, and none is printed, as in tests.
    context: {
      ...settings,
      env: 'test',
      host: '127.0.0.1',
      recording: { ...settings.recording, mode: 'on-demand', signingKey: null },
    },
    log: { write: () => undefined },
    routes: new RouteCollection(),
    hints: crash === null || crash.request === null ? [] : [crashedIn(what, crash)],
    plugins: [
      maintenance(),
      {
        name: 'crash',
        listeners: [
          {
            name: 'crash',
            onMiss: () => {
              if (crash !== null) throw new FlattenedCause(crash.chain)
              const error = new ProgramEnded(what)
              // No line of the program threw it.
              error.stack = `${error.name}: ${what}`
              throw error
            },
          },
        ],
      },
    ],
  })
  const tls = tlsOf(settings)
  const scheme = tls === undefined ? 'http' : 'https'
  const servers: Server[] = []
  let isPartial = false
  for (const host of hosts) {
    for (const port of ports) {
      const server = tls === undefined ? createServer(app.handler) : createSecureServer(tls, app.handler)
      const problem = await listen(server, host, port)
      if (problem === null) servers.push(server)
      isPartial ||= problem === 'EADDRINUSE'
    }
  }
  return {
    addresses: ports.flatMap((port) =>
      servers.some((server) => portOf(server) === port) ? [`${scheme}://localhost:${port}`] : [],
    ),
    isPartial,
    close: async () => {
      for (const server of servers) {
        server.close()
        server.closeAllConnections()
      }
      await app.close()
    },
  }
}

function crashedIn(what: string, { heading, token }: Crash): HintRule {
  const profile =
    token === null ? '' : ` Profile: /_profiler/${token}, in a terminal "fanlight profiles show ${token}".`
  return {
    name: 'program-ended',
    matches: () => true,
    explain: () => ({
      title: `${what}: ${heading}`,
      text: `Every request gets this response until a file changes.${profile}`,
    }),
  }
}

/** Why it cannot listen, or `null`: the port may be taken, and not every machine has IPv6. */
async function listen(server: Server, host: string, port: number): Promise<string | null> {
  return new Promise((settle) => {
    server.once('error', ({ code = '' }: NodeJS.ErrnoException) => settle(code))
    server.listen(port, host, () => settle(null))
  })
}

function portOf(server: Server): number | null {
  const address = server.address()
  return address === null || typeof address === 'string' ? null : address.port
}
