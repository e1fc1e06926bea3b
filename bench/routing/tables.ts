// Route tables to measure: one of names as in a large REST interface, one generated; and the questions asked of them.

/** A route in the notation of this library; peers translate it. */
export interface BenchRoute {
  readonly name: string
  readonly method: string
  readonly path: string
}

/** One question: paths of one kind. */
export interface Cell {
  readonly name: string
  readonly method: string
  /** Whether a route is to be found. */
  readonly isHit: boolean
  /** The path for the n-th request; parameters differ from one to the next. */
  readonly path: (index: number) => string
}

/** A table and its questions. */
export interface BenchTable {
  readonly name: string
  readonly routes: readonly BenchRoute[]
  readonly cells: readonly Cell[]
}

const resources = (
  'issues pulls commits branches releases tags labels milestones comments reactions hooks keys deployments statuses checks runs ' +
  'jobs artifacts secrets variables environments teams members invitations projects columns cards topics languages contributors ' +
  'stargazers subscribers forks events notifications gists stars followers following orgs repos packages versions codespaces ' +
  'advisories alerts rulesets pages builds traffic'
).split(' ')

/** `/repos/{owner}/{repo}/issues/{number}` and the like; scaled by prefixes. */
export function restTable(size: number): BenchTable {
  const routes: BenchRoute[] = []
  for (let round = 0; routes.length < size; round += 1) {
    const area = round === 0 ? '' : `/area${round}`
    for (const resource of resources) {
      const shapes = [
        ['GET', `${area}/${resource}`],
        ['GET', `${area}/${resource}/recent`],
        ['GET', `${area}/users/{user}/${resource}`],
        ['GET', `${area}/repos/{owner}/{repo}/${resource}/{number}`],
        ['POST', `${area}/${resource}/search/index`],
        ['GET', `${area}/${resource}/{id}`],
        ['GET', `${area}/raw/${resource}/{path<.+>}`],
        ['POST', `${area}/repos/{owner}/{repo}/${resource}`],
        ['DELETE', `${area}/${resource}/{id}`],
        ['GET', `${area}/${resource}/archived/all`],
      ] as const
      for (const [method, path] of shapes) {
        if (routes.length < size) routes.push({ name: `r${routes.length}`, method, path })
      }
    }
  }
  return { name: `REST ${size}`, routes, cells: cellsOf(routes) }
}

/** Names made of syllables, so that what paths begin with differs more. */
export function generatedTable(size: number): BenchTable {
  const syllables = ['ka', 'to', 'mi', 'ne', 'ro', 'su', 'li', 'va', 'pe', 'do', 'gu', 'fi']
  const word = (seed: number): string => {
    let rest = (seed * 2654435761) % 2147483647
    let made = ''
    for (let count = 0; count < 3; count += 1) {
      made += syllables[rest % syllables.length] ?? ''
      rest = Math.floor(rest / syllables.length)
    }
    return made + seed
  }
  const routes = Array.from({ length: size }, (_, index): BenchRoute => {
    const own = word(Math.floor(index / 10))
    const shapes = [
      ['GET', `/${own}`],
      ['GET', `/${own}/${word(index)}/overview`],
      ['GET', `/${own}/{id}`],
      ['GET', `/${own}/{a}/parts/{b}/of/{c}`],
      ['GET', `/${own}/files/{path<.+>}`],
      ['POST', `/${own}/actions/run`],
      ['GET', `/${own}/${word(index)}`],
      ['PUT', `/${own}/{id}`],
      ['GET', `/${own}/{id}/details`],
      ['GET', `/${own}/${word(index)}/settings`],
    ] as const
    const [method, path] = shapes[index % shapes.length] ?? shapes[0]
    return { name: `r${index}`, method, path }
  })
  return { name: `generated ${size}`, routes, cells: cellsOf(routes) }
}

function cellsOf(routes: readonly BenchRoute[]): Cell[] {
  const gets = routes.filter((route) => route.method === 'GET')
  const statics = gets.filter((route) => !route.path.includes('{'))
  const withParams = (count: number): BenchRoute | undefined => {
    const same = gets.filter((route) => route.path.split('{').length - 1 === count && !route.path.includes('<'))
    return same[same.length >> 1]
  }
  const wildcards = gets.filter((route) => route.path.includes('<'))
  const post = routes.find((route) => route.method === 'POST' && !route.path.includes('{'))
  return [
    hit('first static', statics[0]),
    hit('middle static', statics[statics.length >> 1]),
    hit('last static', statics.at(-1)),
    hit('one parameter', withParams(1)),
    hit('three parameters', withParams(3)),
    hit('wildcard tail', wildcards[wildcards.length >> 1]),
    [{ name: 'miss', method: 'GET', isHit: false, path: (index: number) => `/nothing/of/this/kind/${index % 97}` }],
    post === undefined ? [] : [{ name: 'wrong method', method: 'GET', isHit: false, path: () => post.path }],
  ].flat()
}

function hit(name: string, route: BenchRoute | undefined): Cell[] {
  if (route === undefined) return []
  const parts = route.path.replace('{path<.+>}', '{tail}').split(/\{(\w+)\}/)
  const path = (index: number): string =>
    parts
      .map((part, place) => {
        if (place % 2 === 0) return part
        return part === 'tail' ? `docs/${index % 89}/read.me` : `value${(index * 7 + place) % 1009}`
      })
      .join('')
  return [{ name, method: route.method, isHit: true, path }]
}
