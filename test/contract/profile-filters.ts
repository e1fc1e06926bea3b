// What each part of a filter finds, in every store of profiles.

import { findingNames, type Finding, type Profile } from '../../src/observe/profile.ts'
import type { ProfileFilter } from '../../src/profiles/query/filters.ts'
import { traceToken } from '../../src/profiles/trace-span.ts'
import type { ProfileMakers } from '../support/profiles.ts'

/** Profiles from the oldest on, and which of them filters find, the newest first. */
interface Filtered {
  readonly written: readonly Profile[]
  readonly found: readonly (readonly [filter: ProfileFilter, expected: readonly Profile[]])[]
}

export const filterTables: Readonly<Record<string, (makers: ProfileMakers) => Filtered>> = {
  'narrows a list by every part of the filter': ({ makeProfile }) => {
    const time = Date.now()
    const url = 'http://h/Orders/1_0%'
    const parent = makeProfile({ method: 'POST', status: 404, url, route: null, ip: '10.0.0.1', time })
    const parentToken = parent.token
    const child = makeProfile({ parentToken, status: 404, errorClass: 'NotFoundHttpError' })
    const slow = makeProfile({ durationMs: 900, status: 500, errorClass: 'TypeError', time: time + 10 })
    const client = { session: '1f0b7c2e99ab', user: 'Zoë "Z"' }
    const fine = makeProfile({ route: 'home', time: time + 20, status: 201, ...client })
    return {
      written: [child, parent, slow, fine],
      found: [
        [{}, [fine, slow, parent]],
        [{ token: parent.token }, [parent]],
        [{ token: child.token }, [child]],
        [{ parentToken }, [child]],
        [{ parentToken: slow.token }, []],
        [{ withSubRequests: true }, [fine, slow, parent, child]],
        [{ withSubRequests: true, status: 404 }, [parent, child]],
        [{ method: 'POST' }, [parent]],
        [{ status: 404 }, [parent]],
        [{ status: '4xx' }, [parent]],
        [{ status: '5xx' }, [slow]],
        [{ status: '2xx' }, [fine]],
        [{ status: '1xx' }, []],
        [{ status: '4xx', parentToken }, [child]],
        [{ url: 'oRDERS/1' }, [parent]],
        [{ url: '1_0%' }, [parent]],
        [{ url: '___' }, []],
        [{ url: '%' }, [parent]],
        [{ url: '\\' }, []],
        [{ url: '\0' }, []],
        [{ url: 'x'.repeat(100_000) }, []],
        [{ route: 'home' }, [fine]],
        [{ ip: '10.0.0.1' }, [parent]],
        [{ session: '1f0b7c2e99ab' }, [fine]],
        [{ user: 'Zoë "Z"' }, [fine]],
        [{ user: 'zoë "z"' }, []],
        [{ since: time + 10 }, [fine, slow]],
        [{ until: time + 10 }, [parent]],
        [{ since: time + 10, until: time + 20 }, [slow]],
        [{ minDurationMs: 900 }, [slow]],
        [{ hasError: true }, [slow]],
        [{ hasError: false }, [fine, parent]],
        [{ status: 500, method: 'POST' }, []],
      ],
    }
  },

  'finds the profiles of one trace': ({ makeProfile }) => {
    const traceId = '0af7651916cd43dd8448eb211c80319c'
    const [caller, called] = [makeProfile({ traceId }), makeProfile({ traceId })]
    const other = makeProfile({ traceId: traceId.replaceAll('0', '1') })
    return {
      written: [caller, makeProfile(), other, called],
      found: [
        [{ traceId }, [called, caller]],
        [{ traceId: traceId.toUpperCase() }, []],
      ],
    }
  },

  'leaves spans of other services out of lists and groups, and finds those of a trace': ({ makeProfile }) => {
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
    const own = makeProfile({ traceId })
    const parentToken = traceToken(traceId)
    const received = makeProfile({ method: 'SPANS', traceId, parentToken, service: 'prices', route: null })
    return {
      written: [received, own],
      found: [
        [{}, [own]],
        [{ traceId }, [own]],
        [{ service: 'prices' }, []],
        [{ method: 'SPANS' }, [received]],
        [{ method: 'SPANS', service: 'shop' }, []],
        [{ parentToken }, [received]],
        [{ traceId, withSubRequests: true }, [own, received]],
      ],
    }
  },

  'tells those that redirected from the others, and from 304': ({ makeProfile }) => {
    const of = (status: number): Profile => makeProfile({ status })
    const [found, moved, ok, unchanged, choices] = [of(302), of(308), of(200), of(304), of(300)]
    const child = makeProfile({ status: 301, parentToken: ok.token })
    return {
      written: [found, moved, ok, unchanged, choices, child],
      found: [
        [{ isRedirect: true }, [moved, found]],
        [{ isRedirect: false }, [choices, unchanged, ok]],
        [{ isRedirect: true, status: '3xx' }, [moved, found]],
        [{ isRedirect: false, status: '3xx' }, [choices, unchanged]],
        [{ isRedirect: true, status: 308 }, [moved]],
        [{ isRedirect: true, status: 200 }, []],
        [{ isRedirect: true, parentToken: ok.token }, [child]],
        [{ isRedirect: true, url: 'nowhere' }, []],
      ],
    }
  },

  'tells commands, jobs and tasks from requests': ({ makeProfile }) => {
    const of = (method: string): Profile => makeProfile({ method })
    const [request, command, job, task] = [of('GET'), of('COMMAND'), of('JOB'), of('TASK')]
    return {
      written: [request, command, job, task],
      found: [
        [{ type: 'request' }, [request]],
        [{ type: 'command' }, [command]],
        [{ type: 'job' }, [job]],
        [{ type: 'task' }, [task]],
        [{ type: 'command', method: 'GET' }, []],
      ],
    }
  },

  'tells those that matched a route from the others, and finds the profiles of one version': ({ makeProfile }) => {
    const of = (version: string | null): Profile => makeProfile({ version })
    const [one, next, unnamed, later] = [of('2.0.0'), of('2.1.0'), of(null), of('2.1.0')]
    const lost = makeProfile({ route: null, status: 404, version: '2.1.0' })
    const parentToken = lost.token
    const child = makeProfile({ route: null, parentToken, version: '2.1.0' })
    return {
      written: [one, next, unnamed, lost, child, later],
      found: [
        [{ version: '2.1.0' }, [later, lost, next]],
        [{ version: '2.1' }, []],
        [{ version: '2.1.0', hasRoute: true }, [later, next]],
        [{ hasRoute: true }, [later, unnamed, next, one]],
        [{ hasRoute: false }, [lost]],
        [{ hasRoute: false, status: '4xx' }, [lost]],
        [{ hasRoute: false, parentToken }, [child]],
        [{ hasRoute: false, route: 'order_list' }, []],
      ],
    }
  },

  'finds the profiles of one service': ({ makeProfile }) => {
    const [shop, prices, unnamed] = [
      makeProfile({ service: 'shop' }),
      makeProfile({ service: 'prices' }),
      makeProfile(),
    ]
    return {
      written: [shop, prices, unnamed],
      found: [
        [{}, [unnamed, prices, shop]],
        [{ service: 'shop' }, [shop]],
        [{ service: 'prices', status: 200 }, [prices]],
        [{ service: 'sho' }, []],
      ],
    }
  },

  'finds profiles by one of their tags, exactly': ({ makeProfile }) => {
    const odd = ['a"b', ',', '\\', 'größe %_', 'CHECKOUT']
    const tagged = makeProfile({ tags: ['checkout', 'mobile'] })
    const none = makeProfile({ tags: [] })
    const others = makeProfile({ tags: odd })
    const of = (tags: readonly string[], expected: readonly Profile[]) =>
      tags.map((tag) => [{ tag }, expected] as const)
    return {
      written: [tagged, none, others],
      found: [
        [{}, [others, none, tagged]],
        ...of(tagged.tags, [tagged]),
        ...of(odd, [others]),
        ...of(['check', 'b', '","', '[]'], []),
      ],
    }
  },

  'finds profiles by their findings and by the family of their error': ({ makeProfile }) => {
    const errorFamily = 'OrderError ← TypeError in src/prices.ts (Prices.find)'
    const of = (findings: readonly Finding[]): Profile => makeProfile({ findings })
    const [failed, full] = [
      makeProfile({ findings: ['error'], errorFamily }),
      makeProfile({ findings: [...findingNames], errorFamily }),
    ]
    const written = [of([]), failed, of(['slow']), of(['n_plus_one', 'blocked']), full, of(['error'])]
    const having = (finding: Finding) => written.filter(({ findings }) => findings.includes(finding)).toReversed()
    return {
      written,
      found: [
        [{}, written.toReversed()],
        ...findingNames.map((finding) => [{ finding }, having(finding)] as const),
        [{ errorFamily }, [full, failed]],
        [{ errorFamily: 'OrderError' }, []],
      ],
    }
  },
}
