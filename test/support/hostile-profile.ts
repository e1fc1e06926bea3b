// Makes a profile whose every text tries to leave its place on a page.

import type { ErrorChain } from '../../src/errors/flattened-error.ts'
import type { BrowserData } from '../../src/observe/browser/browser-data.ts'
import type { ConfigData } from '../../src/observe/collectors/config.ts'
import type { CpuData, MemoryData } from '../../src/observe/collectors/functions.ts'
import type { LoggerData } from '../../src/observe/collectors/logger.ts'
import type { RequestData, RouterData } from '../../src/observe/collectors/request.ts'
import type { TimeData } from '../../src/observe/collectors/time.ts'
import type { Profile } from '../../src/observe/profile.ts'
import { makeProfile, makeToken } from './profiles.ts'

/** Leaves text, a quoted attribute, an address, a script and a style, where it is not escaped for the place. */
export const hostileText =
  'javascript:alert(1)//"><img src=x onerror=alert(1)>\' onmouseover=alert(1) </script></style></textarea><svg onload=alert(1)>'

const text = hostileText
const fields = [[text, text]] as const

/** Every panel has data, and all text in it is hostile. */
export function hostileProfile(): Profile {
  const data = {
    request: requestData(),
    exception: chain(1),
    browser: browserData(),
    time: timeData(),
    cpu: cpuData(),
    memory: memoryData(),
    logger: loggerData(),
    router: routerData(),
    config: configData(),
    ...describedData(),
    notes: [
      { source: text, message: text },
      { source: 'collector request', message: text },
    ],
  }
  return makeProfile({
    childTokens: [makeToken()],
    parentToken: makeToken(),
    method: text,
    url: text,
    route: text,
    status: 404,
    ip: text,
    errorClass: text,
    handler: text,
    data,
  })
}

function requestData(): RequestData {
  return {
    method: text,
    url: text,
    path: text,
    scheme: text,
    host: text,
    clientAddress: text,
    peerAddress: '127.0.0.1',
    handler: text,
    route: text,
    routeParameters: fields,
    query: fields,
    cookies: fields,
    headers: fields,
    status: 404,
    responseHeaders: fields,
    bytes: 1,
    aborted: true,
    subRequests: [{ token: makeToken(), handler: text, status: 404, startMs: 1, durationMs: 1 }],
  }
}

function chain(depth: number): ErrorChain {
  const excerpt = { startLine: 1, lines: [[[text, text] as const]] }
  return {
    errors: [
      {
        className: text,
        message: text,
        code: text,
        properties: [{ name: text, value: text }],
        frames: [
          { functionName: text, file: text, line: 1, column: 1, origin: 'own', isAsync: true, excerpt },
          { functionName: null, file: text, line: 2, column: 1, origin: 'dependency', isAsync: false, excerpt: null },
        ],
        isError: true,
        members: depth > 0 ? [chain(depth - 1)] : [],
      },
    ],
    cut: text,
  }
}

function timeData(): TimeData {
  return {
    durationMs: 10,
    spans: [
      {
        id: 1,
        parentId: null,
        name: text,
        kind: 'internal',
        category: text,
        startMs: 1,
        durationMs: null,
        status: 'error',
        attributes: { [text]: text },
      },
    ],
    droppedSpans: 1,
    subRequests: [{ token: makeToken(), handler: text, status: 404, startMs: 1, durationMs: 2 }],
    ownCpuMs: 6,
    loopWaitMs: 2,
    ioWaitMs: 1,
    heldBackMs: 3,
    longestStretchMs: 6,
    stretchCount: 1,
    stretches: [0, 6],
    blockedBy: [{ token: makeToken(), method: text, path: text, fromMs: 6, durationMs: 2 }],
    blocked: [{ token: text, method: text, path: text, fromMs: 0, durationMs: 6 }],
    blockedOthersMs: 6,
    droppedHindrances: 1,
    memory: { heapBefore: 1, heapAfter: 2, heapLimit: 3, resident: 4 },
    garbagePauses: [{ kind: 'minor', startMs: 1, durationMs: 1 }],
    profilerMs: 1,
  }
}

function browserData(): BrowserData {
  const said = { className: text, message: text, place: text, url: text }
  return {
    errors: [{ token: makeToken(), view: text, number: 0, kind: 'error', time: 1, count: 2, ...said }],
    views: [
      {
        view: text,
        url: text,
        time: 1,
        userAgent: text,
        vitals: { ttfbMs: 1, fcpMs: 2, lcpMs: 3, cls: 0, inpMs: null },
        navigation: {
          type: text,
          redirectCount: 1,
          transferSize: 0,
          steps: [{ name: text, startMs: 0, endMs: 1 }],
        },
        counts: [2],
        dropped: 1,
      },
    ],
  }
}

function cpuData(): CpuData {
  return {
    ownMs: 6,
    othersMs: 1,
    samples: 6,
    functions: [{ name: text, file: text, line: 1, column: 1, origin: 'own' }],
    calls: [
      { parent: -1, of: 0, selfMs: 1, totalMs: 6 },
      { parent: 0, of: 0, selfMs: 5, totalMs: 5 },
    ],
    droppedCalls: 1,
    startTookMs: 1,
    stopTookMs: 1,
  }
}

function memoryData(): MemoryData {
  const called = { name: text, file: text, line: 1, column: 1, selfBytes: 1, totalBytes: 2 }
  const functions = [
    { ...called, origin: 'own' },
    { ...called, origin: text },
  ]
  return { functions, dropped: 1, totalBytes: 2, isCut: true, startTookMs: 1, stopTookMs: 1 } as unknown as MemoryData
}

function loggerData(): LoggerData {
  const context = { [text]: text, deep: { [text]: [text] } }
  return {
    records: [
      { level: 'error', channel: text, message: text, context, timeMs: 1 },
      { level: 'info', channel: text, message: '{deep}', context, timeMs: 2 },
    ],
    dropped: 1,
  }
}

function routerData(): RouterData {
  return {
    path: text,
    method: text,
    route: null,
    pattern: text,
    definedAt: text,
    parameters: fields,
    trace: [{ route: text, pattern: text, outcome: 'almost', reason: text, definedAt: text }],
    droppedRoutes: 1,
    suggestions: [
      { routeName: text, pattern: text, kind: 'typo', reason: text, method: 'GET', url: text, definedAt: text },
      {
        routeName: text,
        pattern: text,
        kind: 'typo',
        reason: text,
        method: text,
        url: '//evil.example',
        definedAt: null,
      },
    ],
  }
}

function configData(): ConfigData {
  return {
    version: text,
    service: text,
    fanlight: text,
    node: text,
    v8: text,
    platform: text,
    environment: text,
    debug: true,
    lock: 0,
    store: text,
    storeProblem: text,
    timeZone: text,
    locale: text,
    host: text,
    processId: 1,
    startedAt: 1,
  }
}

/** These fields, each with the text. */
const said = (...names: readonly string[]): object => Object.fromEntries(names.map((name) => [name, text]))
/** These fields, each with a number. */
const counted = (...names: readonly string[]): object => Object.fromEntries(names.map((name) => [name, 1]))

/** Of the parts that are described once. */
function describedData(): Readonly<Record<string, unknown>> {
  const happening = { ...said('error', 'callSite'), ...counted('startMs', 'durationMs') }
  const content = { source: text, isCut: true }
  const value = { value: { [text]: [text] } }
  const runs = [200, 500].map((status) => ({ token: text, status }))
  const activities = (facts: object): object => ({ entries: [{ ...happening, ...facts }], dropped: 1 })
  const vote = said('rule', 'vote')
  return {
    access: {
      user: { ...said('id', 'name'), roles: [text] },
      ...activities({
        ...said('user', 'action', 'subject', 'outcome', 'by', 'reason'),
        votes: [
          { ...vote, reason: text },
          { ...vote, reason: null },
        ],
      }),
    },
    surroundings: { packages: [said('name', 'version')], environmentNames: [text], omitted: 1 },
    cache: activities(said('library', 'cache', 'operation', 'key', 'outcome')),
    connections: activities({
      ...said('protocol', 'role', 'url', 'subprotocol'),
      encoding: null,
      messages: [{ ...said('direction', 'event', 'id', 'text'), ...counted('atMs', 'bytes') }],
      received: counted('count', 'bytes'),
      sent: counted('count', 'bytes'),
      closed: { code: 1000, reason: text },
    }),
    templates: activities(said('engine', 'name', 'text')),
    mail: activities({
      ...said('library', 'transport', 'server', 'from', 'subject', 'messageId', 'response'),
      to: [text],
      cc: [text],
      bcc: [text],
      recipientCount: 4,
      refusedCount: 1,
      isHeld: true,
      text: content,
      html: content,
      attachments: [{ ...said('name', 'type'), bytes: 1 }],
      attachmentCount: 2,
    }),
    jobs: activities({
      ...said('library', 'queue'),
      names: [text],
      count: 2,
      ids: [text],
      delayMs: 1,
      runs: runs.slice(1),
    }),
    validation: activities({
      ...said('library', 'part'),
      hasValues: true,
      input: { [text]: text },
      faults: [said('path', 'message', 'received')],
      faultCount: 2,
    }),
    ai: activities({
      ...said('library', 'operation', 'provider', 'model', 'responseModel', 'finishReason', 'prompt', 'answer'),
      ...counted('firstOutputMs', 'inputTokens', 'cachedTokens', 'outputTokens'),
      isStreamed: true,
      toolCalls: [text],
    }),
    code: {
      state: 'lines',
      functions: [{ ...said('name', 'file'), line: 1, source: [text, text], places: [1, 2] }],
      calls: [
        {
          function: 0,
          parent: -1,
          at: -1,
          path: [0],
          times: [1],
          cutAt: null,
          end: 'threw',
          lines: [{ line: 1, count: 2, values: [[text, [text, text], [0, 1]]] }],
        },
      ],
      dropped: 1,
      cuts: [text],
    },
    'http-client': {
      calls: [
        {
          ...said('client', 'method', 'url', 'error', 'callSite', 'spanId'),
          ...counted('startMs', 'waitMs', 'firstByteMs', 'durationMs', 'requestBytes', 'responseBytes'),
          status: 500,
          requestHeaders: fields,
          responseHeaders: fields,
          responseBody: { ...said('mediaType', 'text'), isWhole: false },
          profile: said('token', 'link'),
        },
      ],
      ...said('traceId', 'parentSpanId'),
      ...counted('dropped', 'durationMs'),
    },
    command: {
      name: text,
      args: [text],
      exitCode: 1,
      program: {
        signal: null,
        startFailure: text,
        isRecordedInside: true,
        unrecordedMs: 1,
        usage: counted('cpuMs', 'peakMemoryBytes'),
        output: {
          stdout: { ...said('head', 'tail'), leftOutBytes: 1 },
          stderr: { head: '', leftOutBytes: 0, tail: '' },
        },
      },
    },
    dump: { dumps: [{ ...value, ...said('label', 'functionName', 'place'), timeMs: 1 }], dropped: 1 },
    events: {
      calls: [{ ...said('listener', 'moment'), ...counted('startMs', 'durationMs', 'ownMs'), hasFailed: true }],
      notCalled: [said('listener', 'moment')],
      dropped: 1,
    },
    graphql: {
      operations: [
        {
          ...said('kind', 'name', 'document'),
          ...counted('startMs', 'parseMs', 'validateMs', 'executeMs'),
          isCut: true,
          variables: value,
          errors: [text],
          errorCount: 2,
        },
      ],
      resolvers: [{ name: text, operation: 0, ...counted('count', 'totalMs', 'slowestMs', 'failed') }],
      ...counted('dropped', 'droppedCalls'),
    },
    findings: { findings: [{ kind: 'cookie_twice', text, parts: [said('text', 'place', 'token')] }] },
    job: {
      ...said('library', 'queue', 'name', 'id', 'outcome', 'addedBy'),
      ...counted('attempt', 'addedAt', 'waitedMs', 'delayMs', 'retryDelayMs'),
      maxAttempts: 2,
      data: value,
      result: value,
      runs,
    },
    session: {
      session: {
        state: text,
        hasBefore: true,
        lifetimeMs: 1,
        dropped: 1,
        entries: [{ name: text, change: 'changed', before: value, after: value }],
      },
      flash: [said('kind', 'text', 'state')],
      cookies: [
        {
          name: text,
          receivedBytes: 1,
          signature: 'invalid',
          set: { ...said('change', 'attributes', 'problem'), ...counted('bytes', 'lifetimeSeconds') },
        },
      ],
      droppedCookies: 1,
    },
    passed: [{ place: text, from: [text] }],
    task: {
      ...said('library', 'name', 'pattern'),
      ...counted('dueAt', 'lateMs', 'nextAt', 'stillRunning'),
      reason: 'scheduled',
      skipped: [{ dueAt: 1, reason: text }],
      skippedMore: true,
    },
  }
}
