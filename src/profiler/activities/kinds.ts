// The kinds of activities: what is known of one, and how many of a request are kept. Facts are plain JSON, at most a few KB each, not masked
// yet: the collector of the kind masks them.

import type { AiFacts } from './ai-facts.ts'
import type { MailFacts } from './mail-facts.ts'
import type { ValidationFacts } from './validation-facts.ts'

/** What came of a read. */
export type CacheOutcome = 'hit' | 'miss' | 'stale'

/** A read or write of a cache. */
export interface CacheFacts {
  /** `lru-cache`, `bentocache`; `null` for caches of the application. */
  readonly library: string | null
  /** Which of several caches; `null` if it has no name. */
  readonly cache: string | null
  /** As the library calls it: `get`, `getOrSet`, `set`, `delete`. */
  readonly operation: string
  /** `null` if it is about no single key. */
  readonly key: string | null
  /** Of reads; `null` for others. `stale`: an expired value was returned. */
  readonly outcome: CacheOutcome | null
}

/** A WebSocket, or a stream of events. It changes while it is open. */
export interface ConnectionFacts {
  readonly protocol: 'websocket' | 'event-stream'
  /** Whether this process accepted the connection or opened it. */
  readonly role: 'server' | 'client'
  /** Where a client is connected to; `null` on the server: that is the request itself. */
  readonly url: string | null
  /** The protocol that a WebSocket agreed on; `null` if none. */
  readonly subprotocol: string | null
  /** What a stream is compressed with before its events can be read, `gzip`; `null` if it is not. */
  readonly encoding: string | null
  /** The newest ones. */
  readonly messages: readonly ConnectionMessage[]
  /** How many there were, and their bytes before compression. */
  readonly received: MessageCount
  readonly sent: MessageCount
  /** How a WebSocket was closed; `null` while it is open, and of streams. */
  readonly closed: { readonly code: number; readonly reason: string } | null
}

export interface MessageCount {
  readonly count: number
  readonly bytes: number
}

export interface ConnectionMessage {
  /** Milliseconds since the request started. */
  readonly atMs: number
  readonly direction: 'received' | 'sent'
  /** Name of an event of a stream, `ping` and `pong` of a WebSocket; `null` for a message. */
  readonly event: string | null
  /** That of an event of a stream; `null` without one. */
  readonly id: string | null
  readonly bytes: number
  /** Its beginning; `null` for bytes, and where texts are not kept. */
  readonly text: string | null
}

/** A template that was rendered. */
export interface TemplateFacts {
  /** `eta`, `ejs`. */
  readonly engine: string
  /** As the application names it, or its file; `null` if it has no name. */
  readonly name: string | null
  /** The beginning of a template without a name. */
  readonly text: string | null
}

/** Jobs that were added to a queue by one call. */
export interface JobsFacts {
  /** `bullmq` */
  readonly library: string
  readonly queue: string
  /** Names, each once. */
  readonly names: readonly string[]
  readonly count: number
  /** Those of the first 100 jobs; empty while they are not known. */
  readonly ids: readonly string[]
  /** Milliseconds until it may begin; `null` if it is not known. */
  readonly delayMs: number | null
}

/** A decision about access. */
export interface AccessFacts {
  /** Name or id, masked; `null` for nobody who is known. */
  readonly user: string | null
  readonly action: string
  /** `Order 7`; `null` without one. */
  readonly subject: string | null
  /** `denied`, too, while it is not decided, and where a rule failed. */
  readonly outcome: 'granted' | 'denied'
  /** The rule that decided; `null` where all abstained. */
  readonly by: string | null
  readonly reason: string | null
  readonly votes: readonly AccessVote[]
}

/** How one rule voted. */
export interface AccessVote {
  readonly rule: string
  readonly vote: 'granted' | 'denied' | 'abstained'
  readonly reason: string | null
}

/** Facts by kind. The name of a kind is that of its collector and its panel. */
export interface ActivityFacts {
  readonly access: AccessFacts
  readonly cache: CacheFacts
  readonly connections: ConnectionFacts
  readonly templates: TemplateFacts
  readonly validation: ValidationFacts
  readonly mail: MailFacts
  readonly jobs: JobsFacts
  readonly ai: AiFacts
}

export type ActivityName = keyof ActivityFacts

/** How many of a request are kept. */
export const maxActivities: Readonly<Record<ActivityName, number>> = {
  access: 200,
  cache: 500,
  connections: 20,
  templates: 200,
  validation: 50,
  mail: 50,
  jobs: 200,
  ai: 100,
}
