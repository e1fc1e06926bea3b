// Makes profiles that look like real ones: of the size and the mix of an ordinary page, plain JSON, masked.

import { randomBytes } from 'node:crypto'
import { noFacts, type Profile } from '../../src/observe/profile.ts'
import { endFindings } from '../../src/profiles/assemble-profile.ts'

/** A new token of 16 characters. */
export function makeToken(): string {
  return BigInt(`0x${randomBytes(12).toString('hex')}`)
    .toString(36)
    .padStart(16, '0')
    .slice(0, 16)
}

/** Makers of profiles whose tokens end in a letter of the store's choice. */
export interface ProfileMakers {
  readonly makeToken: () => string
  readonly makeProfile: (parts?: Partial<Profile>) => Profile
  readonly makePageProfile: (index?: number, parts?: Partial<Profile>) => Profile
}

/** Every token ends alike, so that a store of several parts keeps all of them in one. */
export function profileMakers(ending: string): ProfileMakers {
  const token = (): string => makeToken().slice(0, 16 - ending.length) + ending
  return {
    makeToken: token,
    makeProfile: (parts) => makeProfile({ token: token(), ...parts }),
    makePageProfile: (index, parts) => makePageProfile(index, { token: token(), ...parts }),
  }
}

/** For stores that get profiles of a fixed day: none is too old for them, whenever the tests run. */
export const keepsOld: { readonly maxAgeMs: number } = { maxAgeMs: Number.MAX_SAFE_INTEGER }

/** A small profile; every part can be replaced. Findings follow from how it ended unless they are given. */
export function makeProfile(parts: Partial<Profile> = {}): Profile {
  const profile = {
    token: makeToken(),
    ...noFacts,
    childTokens: [],
    method: 'GET',
    url: 'http://127.0.0.1:8000/orders?page=2',
    route: 'order_list',
    status: 200,
    ip: '127.0.0.1',
    time: Date.now(),
    durationMs: 12.25,
    handler: 'listOrders',
    logErrorCount: 0,
    logCount: 3,
    tags: [],
    queryCount: 0,
    data: { request: { headers: [['accept', 'text/html']] }, logger: { records: [] } },
    ...parts,
  }
  const { errorFamily = profile.errorClass } = parts
  return { findings: endFindings(profile), ...profile, errorFamily }
}

/** A profile of about 12 KB of JSON: headers, spans, log records, and (every tenth) an error with its call trace. */
export function makePageProfile(index = 0, parts: Partial<Profile> = {}): Profile {
  const hasError = index % 10 === 0
  return makeProfile({
    url: `https://shop.example.org/orders/${index * 7919}?page=${index % 9}&sort=${index % 2 === 0 ? 'date' : 'total'}`,
    status: hasError ? 500 : 200,
    errorClass: hasError ? 'TypeError' : null,
    durationMs: 4 + ((index * 37) % 900) / 7,
    data: {
      request: { headers: makeHeaders(index), query: [['page', String(index % 9)]], cookies: [['session', '******']] },
      logger: { records: makeRecords(index), dropped: 0 },
      time: { spans: makeSpans(index) },
      ...(hasError && { exception: makeException(index) }),
    },
    ...parts,
  })
}

function makeHeaders(index: number): readonly (readonly [string, string])[] {
  const agent = `Mozilla/5.0 (X11; Linux x86_64; rv:${120 + (index % 20)}.0) Gecko/20100101 Firefox/${120 + (index % 20)}.0`
  return [
    ['host', 'shop.example.org'],
    ['user-agent', agent],
    ['accept', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'],
    ['accept-language', 'de-DE,de;q=0.8,en-US;q=0.5,en;q=0.3'],
    ['cookie', '******'],
    ['authorization', '******'],
    ['x-request-id', makeToken()],
  ]
}

function makeRecords(index: number): readonly unknown[] {
  return Array.from({ length: 18 }, (_, line) => ({
    level: line % 6 === 5 ? 'warn' : 'info',
    channel: line % 3 === 0 ? 'router' : 'app',
    message:
      line === 0
        ? 'Matched route "{route}".'
        : `Loaded {count} rows of table_${(index + line) % 40} for customer {id}.`,
    context: { route: 'order_list', count: (index * line) % 500, id: makeToken(), method: 'GET' },
    time: 1_700_000_000_000 + index * 1000 + line,
  }))
}

function makeSpans(index: number): readonly unknown[] {
  return Array.from({ length: 24 }, (_, span) => ({
    name: span % 4 === 0 ? 'GET' : 'SELECT',
    kind: 'client',
    startMs: span * 1.7 + (index % 13) / 10,
    durationMs: ((index + span) % 50) / 9,
    status: 'ok',
    parent: span === 0 ? null : Math.floor(span / 3),
    attributes: {
      'db.system.name': 'postgresql',
      'db.query.text': `SELECT id, total, customer_id FROM orders WHERE shard = $1 AND created_at > $2 LIMIT ${span + index}`,
      'server.address': `db-${(index + span) % 6}.internal`,
    },
  }))
}

function makeException(index: number): unknown {
  return {
    errors: [
      {
        name: 'TypeError',
        message: `Cannot read properties of undefined (reading 'total_${index}')`,
        frames: Array.from({ length: 16 }, (_, frame) => ({
          functionName: `handleStep${frame}`,
          file: `src/orders/step-${(index + frame) % 30}.ts`,
          line: 10 + ((index * frame) % 400),
          column: 1 + (frame % 80),
        })),
      },
    ],
  }
}
