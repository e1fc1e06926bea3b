// Requests that overlap in an order that a test gives: each handler does one step when it is its turn.

import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import express, { type Request } from 'express'
import type { Found } from '../../src/observe/profile.ts'
import { ask, profileOf, tokenOf, type Got } from '../integrations/served.ts'

process.env['NODE_ENV'] = 'development'
process.env['FANLIGHT_STORE'] = 'memory:'
const { fanlight } = await import('../../src/express.ts')

export type Step = (request: Request) => unknown

/** A request by its last turn, with what its profile found. */
export interface Ended {
  readonly token: string
  readonly found: readonly Found[]
}

/** `a lost_update` for each finding. */
export function kindsIn(ended: Readonly<Record<string, Ended>>): readonly string[] {
  return Object.entries(ended).flatMap(([who, { found }]) => found.map(({ kind }) => `${who} ${kind}`))
}

/** An application of Express. `prepare` adds what runs before the handlers. */
export async function startTurns(prepare: (app: express.Express) => void = () => undefined): Promise<Turns> {
  const turns = new Turns()
  const app = express()
  fanlight(app)
  prepare(app)
  app.get('/:who', (request, response, next) => {
    turns.take(request.params.who, request).then(() => void response.json(null), next)
  })
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  turns.port = (server.address() as AddressInfo).port
  turns.close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return turns
}

interface Turn {
  readonly step: Step | null
  readonly done: PromiseWithResolvers<void>
}

export class Turns {
  port = 0
  close: () => Promise<void> = async () => undefined
  headers: Readonly<Record<string, string>> = {}
  readonly #given = new Map<string, Turn>()
  readonly #asked = new Map<string, (turn: Turn) => void>()

  /** Each turn is `a read`: the request and its step. A request begins with its first turn, and has ended after its last. */
  async run(order: readonly string[], steps: Readonly<Record<string, Step>>): Promise<Readonly<Record<string, Ended>>> {
    const running = new Map<string, Promise<Got>>()
    const ended: Record<string, Ended> = {}
    for (const [index, turn] of order.entries()) {
      const [who = '', what = ''] = turn.split(' ')
      const step = steps[what]
      if (step === undefined) throw new Error(`There is no step "${what}"`)
      if (!running.has(who)) running.set(who, ask(this.port, { path: `/${who}`, headers: this.headers }))
      await this.#give(who, step)
      if (order.slice(index + 1).some((later) => later.startsWith(`${who} `))) continue
      await this.#give(who, null)
      const token = tokenOf(await (running.get(who) as Promise<Got>))
      const { data } = await profileOf(this.port, token)
      ended[who] = { token, found: (data['findings'] as { findings: readonly Found[] } | undefined)?.findings ?? [] }
    }
    return ended
  }

  async take(who: string, request: Request): Promise<void> {
    for (;;) {
      const { step, done } = await new Promise<Turn>((resolve) => {
        const given = this.#given.get(who)
        if (given === undefined) this.#asked.set(who, resolve)
        else resolve(given)
        this.#given.delete(who)
      })
      if (step === null) return done.resolve()
      try {
        await step(request)
        done.resolve()
      } catch (thrown) {
        done.reject(thrown)
      }
    }
  }

  async #give(who: string, step: Step | null): Promise<void> {
    const turn: Turn = { step, done: Promise.withResolvers() }
    const asked = this.#asked.get(who)
    this.#asked.delete(who)
    if (asked === undefined) this.#given.set(who, turn)
    else asked(turn)
    await turn.done.promise
  }
}
