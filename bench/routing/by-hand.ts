// Code as somebody would write it by hand for one table, to see how far from that the routers are: paths without parameters by
// one Map, the others segment by segment. It knows nothing but these tables: no encoding, no HEAD, no hosts, no slash too
// many, no order of definition; a wrong method is a miss.

import type { Contestant } from './contestants.ts'
import type { BenchRoute } from './tables.ts'

/** A segment of the paths: text, a parameter, or all of the rest. */
interface Segment {
  readonly texts: Map<string, Segment>
  param: Segment | undefined
  rest: BenchRoute | undefined
  /** Routes that end here, by method. */
  readonly ends: Map<string, BenchRoute>
}

/** The contestant. */
export const byHand: Contestant = {
  name: 'by hand',
  tellsAllow: false,
  build: (routes) => {
    const fixed = new Map(routes.filter(({ path }) => !path.includes('{')).map((route) => [route.path, route]))
    const root = newSegment()
    for (const route of routes) if (route.path.includes('{')) add(root, route)
    const code = `switch (m) {\n${['GET', 'POST', 'PUT', 'DELETE'].map((method) => methodCode(root, method)).join('\n')}\n}`
    const run = new Function('m', 'p', code) as (method: string, path: string) => { params: object } | undefined
    return (method, path) => {
      const found = fixed.get(path)
      if (found !== undefined) return found.method === method
      const result = run(method, path)
      return result !== undefined && result.params !== undefined
    }
  },
}

function newSegment(): Segment {
  return { texts: new Map(), param: undefined, rest: undefined, ends: new Map() }
}

function add(root: Segment, route: BenchRoute): void {
  let segment = root
  for (const part of route.path.slice(1).split('/')) {
    if (part.includes('<')) {
      segment.rest = route
      return
    }
    if (part.startsWith('{')) segment = segment.param ??= newSegment()
    else {
      const next = segment.texts.get(part) ?? newSegment()
      segment.texts.set(part, next)
      segment = next
    }
  }
  segment.ends.set(route.method, route)
}

function methodCode(root: Segment, method: string): string {
  return `case '${method}': { const n = p.length\n${segmentCode(root, method, { start: '1', spans: [], depth: 0 })}\nreturn undefined }`
}

interface Spot {
  readonly start: string
  readonly spans: readonly string[]
  readonly depth: number
}

/** What is left to do from one segment on; nothing where no route of the method is below. */
function segmentCode(segment: Segment, method: string, { start, spans, depth }: Spot): string {
  const end = `e${depth}`
  const inner = (next: Segment, ownSpans: readonly string[]): string => {
    const route = next.ends.get(method)
    const ending = route === undefined ? '' : `if (${end} === n) return ${resultCode(route, ownSpans)}`
    return `${ending}\n${segmentCode(next, method, { start: `${end} + 1`, spans: ownSpans, depth: depth + 1 })}`
  }
  const cases = [...segment.texts].flatMap(([text, next]) => {
    const code = inner(next, spans)
    if (code.trim() === '') return []
    const test = `${end} - (${start}) === ${text.length} && p.startsWith(${JSON.stringify(text)}, ${start})`
    return [[text.charCodeAt(0), `if (${test}) {\n${code}\n}`] as const]
  })
  const grouped = [...Map.groupBy(cases, ([char]) => char)].map(
    ([char, same]) => `case ${char}:\n${same.map(([, code]) => code).join('\n')}\nbreak`,
  )
  const param = segment.param === undefined ? '' : inner(segment.param, [...spans, `p.slice(${start}, ${end})`])
  const rest =
    segment.rest?.method === method
      ? `if (n > ${start}) return ${resultCode(segment.rest, [...spans, `p.slice(${start})`])}`
      : ''
  if (grouped.length === 0 && param.trim() === '') return rest
  const texts = grouped.length === 0 ? '' : `switch (p.charCodeAt(${start})) {\n${grouped.join('\n')}\n}`
  const find = `let ${end} = p.indexOf('/', ${start})\nif (${end} < 0) ${end} = n`
  return `if (${start} < n) {\n${find}\n${texts}\n${param.trim() === '' ? '' : `if (${end} > ${start}) {\n${param}\n}`}\n}\n${rest}`
}

function resultCode(route: BenchRoute, values: readonly string[]): string {
  const names = [...route.path.matchAll(/\{(\w+)/g)].map((found) => found[1])
  return `{ route: ${JSON.stringify(route.name)}, params: { ${names.map((name, index) => `${name}: ${values[index]}`).join(', ')} } }`
}
