// Warns of promises in what `json()` is given: JSON turns each into {}, and nothing fails.

import { types } from 'node:util'
import { findJsonMember } from '../framework/http/json-path.ts'
import { jsonValues } from '../framework/http/reply.ts'
import { isPromise } from '../framework/kernel/awaitable.ts'
import { currentExchange } from '../framework/kernel/current-exchange.ts'
import { promiseInJson } from '../framework/log/lines.ts'
import { StackFrames } from './stack-frames.ts'

/** Members that are looked at. */
const maxMembers = 5000

/** Listens from `start()` to `stop()`; the warning is in the log of the request. */
export class UnawaitedJson {
  readonly #frames: StackFrames
  readonly #check = (value: unknown): void => {
    if (currentExchange()?.recording !== undefined && holdsPromise(value)) this.#warn(value)
  }

  /** `projectRoot`: absolute directory; the place of a warning is the first frame below it. */
  constructor(projectRoot: string) {
    this.#frames = new StackFrames(projectRoot)
  }

  start(): void {
    jsonValues.subscribe(this.#check)
  }

  stop(): void {
    jsonValues.unsubscribe(this.#check)
  }

  #warn(root: unknown): void {
    const member = findJsonMember(root, ({ value }) => isPromise(value))
    const frames = this.#frames.read(new Error().stack ?? '', '', { maxFrames: 20, maxExcerpts: 0 })
    const own = frames.find(({ origin }) => origin === 'own')
    const place = own === undefined ? null : `${own.file}:${own.line}`
    const facts = { path: member?.path ?? '', isPromise: member === undefined || types.isPromise(member.value), place }
    currentExchange()?.log.write(promiseInJson(facts))
  }
}

/** `JSON.stringify` has gone through the value, so it holds no cycle. */
function holdsPromise(root: unknown): boolean {
  const waiting: unknown[] = [root]
  for (let count = 0; count < maxMembers && waiting.length > 0; count += 1) {
    const value = waiting.pop()
    if (typeof value !== 'object' || value === null || types.isProxy(value)) continue
    if (isPromise(value)) return true
    for (const key of Object.keys(value)) {
      const member: unknown = Object.getOwnPropertyDescriptor(value, key)?.value
      if (typeof member === 'object') waiting.push(member)
    }
  }
  return false
}
