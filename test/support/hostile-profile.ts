// Makes a profile whose every text tries to leave its place on a page.

import type { ErrorChain } from '../../src/errors/flattened-error.ts'
import type { BrowserData } from '../../src/observe/browser/browser-data.ts'
import type { ConfigData } from '../../src/observe/collectors/config.ts'
import type { CpuData } from '../../src/observe/collectors/cpu.ts'
import type { MemoryData } from '../../src/observe/collectors/memory.ts'
import type { LoggerData } from '../../src/observe/collectors/logger.ts'
import type { RequestData } from '../../src/observe/collectors/request.ts'
import type { RouterData } from '../../src/observe/collectors/router.ts'
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

/** Of the parts that are described once. */
function describedData(): Readonly<Record<string, unknown>> {
  const happening = { startMs: 1, durationMs: 2, error: text, callSite: text }
  const content = { source: text, isCut: true }
  const value = { value: { [text]: [text] } }
  const activities = (facts: object): object => ({ entries: [{ ...happening, ...facts }], dropped: 1 })
  return {
    access: {
      user: { id: text, name: text, roles: [text] },
      ...activities({
        user: text,
        action: text,
        subject: text,
        outcome: text,
        by: text,
        reason: text,
        votes: [
          { rule: text, vote: text, reason: text },
          { rule: text, vote: text, reason: null },
        ],
      }),
    },
    surroundings: { packages: [{ name: text, version: text }], environmentNames: [text], omitted: 1 },
    cache: activities({ library: text, cache: text, operation: text, key: text, outcome: text }),
    connections: activities({
      protocol: text,
      role: text,
      url: text,
      subprotocol: text,
      encoding: null,
      messages: [{ atMs: 1, direction: text, event: text, id: text, bytes: 1, text }],
      received: { count: 1, bytes: 1 },
      sent: { count: 1, bytes: 1 },
      closed: { code: 1000, reason: text },
    }),
    templates: activities({ engine: text, name: text, text }),
    mail: activities({
      library: text,
      transport: text,
      server: text,
      from: text,
      to: [text],
      cc: [text],
      bcc: [text],
      recipientCount: 4,
      subject: text,
      text: content,
      html: content,
      attachments: [{ name: text, type: text, bytes: 1 }],
      attachmentCount: 2,
      messageId: text,
      response: text,
      refusedCount: 1,
      isHeld: true,
    }),
    jobs: activities({
      library: text,
      queue: text,
      names: [text],
      count: 2,
      ids: [text],
      delayMs: 1,
      runs: [{ token: text, status: 200 }],
    }),
    validation: activities({
      library: text,
      part: text,
      hasValues: true,
      input: { [text]: text },
      faults: [{ path: text, message: text, received: text }],
      faultCount: 2,
    }),
    ai: activities({
      library: text,
      operation: text,
      provider: text,
      model: text,
      responseModel: text,
      isStreamed: true,
      firstOutputMs: 1,
      inputTokens: 1,
      cachedTokens: 1,
      outputTokens: 1,
      finishReason: text,
      toolCalls: [text],
      prompt: text,
      answer: text,
    }),
    code: {
      state: 'lines',
      functions: [{ name: text, file: text, line: 1, source: [text, text], places: [1, 2] }],
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
          client: text,
          method: text,
          url: text,
          status: 500,
          error: text,
          startMs: 1,
          waitMs: 1,
          firstByteMs: 1,
          durationMs: 1,
          requestBytes: 1,
          responseBytes: 1,
          requestHeaders: fields,
          responseHeaders: fields,
          responseBody: { mediaType: text, isWhole: false, text },
          callSite: text,
          spanId: text,
          profile: { token: text, link: text },
        },
      ],
      dropped: 1,
      traceId: text,
      parentSpanId: text,
      durationMs: 1,
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
        usage: { cpuMs: 1, peakMemoryBytes: 1 },
        output: {
          stdout: { head: text, leftOutBytes: 1, tail: text },
          stderr: { head: '', leftOutBytes: 0, tail: '' },
        },
      },
    },
    dump: { dumps: [{ ...value, label: text, functionName: text, place: text, timeMs: 1 }], dropped: 1 },
    events: {
      calls: [{ listener: text, moment: text, startMs: 1, durationMs: 1, ownMs: 1, hasFailed: true }],
      notCalled: [{ listener: text, moment: text }],
      dropped: 1,
    },
    graphql: {
      operations: [
        {
          kind: text,
          name: text,
          document: text,
          isCut: true,
          variables: value,
          startMs: 1,
          parseMs: 1,
          validateMs: 1,
          executeMs: 1,
          errors: [text],
          errorCount: 2,
        },
      ],
      dropped: 1,
      resolvers: [{ name: text, operation: 0, count: 1, totalMs: 1, slowestMs: 1, failed: 1 }],
      droppedCalls: 1,
    },
    findings: { findings: [{ kind: 'cookie_twice', text, parts: [{ text, place: text, token: text }] }] },
    job: {
      library: text,
      queue: text,
      name: text,
      id: text,
      outcome: text,
      attempt: 1,
      maxAttempts: 2,
      addedAt: 1,
      waitedMs: 1,
      delayMs: 1,
      retryDelayMs: 1,
      data: value,
      result: value,
      addedBy: text,
      runs: [
        { token: text, status: 200 },
        { token: text, status: 500 },
      ],
    },
    session: {
      session: {
        state: text,
        hasBefore: true,
        lifetimeMs: 1,
        entries: [{ name: text, change: 'changed', before: value, after: value }],
        dropped: 1,
      },
      flash: [{ kind: text, text, state: text }],
      cookies: [
        {
          name: text,
          receivedBytes: 1,
          signature: 'invalid',
          set: { change: text, bytes: 1, lifetimeSeconds: 1, attributes: text, problem: text },
        },
      ],
      droppedCookies: 1,
    },
    passed: [{ place: text, from: [text] }],
    task: {
      library: text,
      name: text,
      pattern: text,
      reason: 'scheduled',
      dueAt: 1,
      lateMs: 1,
      nextAt: 1,
      stillRunning: 1,
      skipped: [{ dueAt: 1, reason: text }],
      skippedMore: true,
    },
  }
}
