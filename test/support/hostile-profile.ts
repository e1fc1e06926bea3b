// Makes a profile whose every text tries to leave its place on a page.

import type { CurrencyRead } from '../../src/plugins/currency/currency-read.ts'
import type { ErrorChain } from '../../src/errors/flattened-error.ts'
import type { BrowserData } from '../../src/profiler/browser/browser-data.ts'
import type { ConfigData } from '../../src/profiler/collectors/config.ts'
import type { CpuData } from '../../src/profiler/collectors/cpu.ts'
import type { LoggerData } from '../../src/profiler/collectors/logger.ts'
import type { RequestData } from '../../src/profiler/collectors/request.ts'
import type { RouterData } from '../../src/profiler/collectors/router.ts'
import type { TimeData } from '../../src/profiler/collectors/time.ts'
import type { Profile } from '../../src/profiler/profile.ts'
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
    logger: loggerData(),
    router: routerData(),
    currency: currencyRead(),
    config: configData(),
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

function currencyRead(): CurrencyRead {
  return {
    store: text,
    collection: text,
    filter: { code: text },
    source: 'query',
    outcome: 'hit',
    durationMs: 1,
    cached: false,
    error: text,
    currency: {
      code: text,
      title: text,
      rate: text,
      sign: text,
      is_active: true,
      is_default: false,
      created_at: text,
      updated_at: text,
      rate_at: text,
    },
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
    currency: text,
    store: text,
    storeProblem: text,
    timeZone: text,
    locale: text,
    host: text,
    processId: 1,
    startedAt: 1,
  }
}
