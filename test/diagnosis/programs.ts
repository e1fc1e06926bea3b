// Draws small programs that are right but for one fault: the idioms of drivers, wrappers, classes and routes, in chance order.

/** A line of source, and what is known of it. */
interface Line {
  readonly text: string
  /** `fault`: where to change it. `failed`: what the trace names. `later`: code that has not run. */
  readonly is?: 'fault' | 'failed' | 'later' | 'query' | 'call'
}

export interface Program {
  readonly name: string
  readonly message: string
  readonly files: ReadonlyMap<string, readonly Line[]>
  /** The only sentence that may be first. */
  readonly first: RegExp
  readonly env: Readonly<Record<string, string>>
  /** What the query of the program gave; `null` where none was recorded. */
  readonly result: string | null
  /** Places of the trace, innermost first, by what is marked there. */
  readonly trace: readonly NonNullable<Line['is']>[]
}

type Fault = 'no row' | 'failed query' | 'missing await' | 'wrong column' | 'setting'

const faults: readonly Fault[] = ['no row', 'failed query', 'missing await', 'wrong column', 'setting']

/** The same number gives the same program. */
export function drawProgram(seed: number): Program {
  let state = seed * 2_654_435_761
  const draw = (below: number): number => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 374_761_393) | 0
    return ((state ^ (state >>> 13)) >>> 0) % below
  }
  const pick = <Value>(values: readonly Value[]): Value => values[draw(values.length)] as Value
  const fault = faults[seed % faults.length] as Fault
  const read = fault === 'wrong column' ? 'titel' : 'title'
  const column = fault === 'failed query' ? 'titel' : 'title'
  const sql = `SELECT id, ${column}, total FROM items WHERE id = $1`
  const store = drawStore(pick, sql, fault)
  const handler = drawHandler(pick, read, fault, store.call)
  const env = fault === 'setting' ? pick<Record<string, string>>([{}, { API_HOST: '' }, { API_HOST: 'shop ' }]) : {}
  const firsts: Record<Fault, RegExp> = {
    'no row': /^got 0 rows in this request$/,
    'failed query': /^(?:got error: column "titel" does not exist|contains the `titel` from the message)$/,
    'missing await': /^calls `find\(\)` without await: the value is a promise$/,
    'wrong column': /^(?:selects `title`, but `titel` is read|reads `titel`, but the query selects `title`)$/,
    setting: /^reads API_HOST, which (?:is not set|is empty|has blanks at its end)$/,
  }
  const isOfQuery = fault === 'failed query'
  return {
    name: `${fault}, ${store.name}, ${handler.name}`,
    message: isOfQuery ? 'column "titel" does not exist' : messageOf(fault, env),
    files: new Map([
      ['store.ts', store.lines],
      ['app.ts', handler.lines],
      ['settings.ts', settings],
    ]),
    first: firsts[fault],
    env: { PAGE_SIZE: '20', ...env },
    result: isOfQuery
      ? 'error: column "titel" does not exist'
      : fault === 'no row'
        ? '0 rows'
        : fault === 'wrong column'
          ? '1 row'
          : null,
    trace: isOfQuery ? (store.name.includes('rest') ? ['query'] : ['query', 'call']) : ['failed'],
  }
}

function messageOf(fault: Fault, env: Readonly<Record<string, string>>): string {
  if (fault !== 'setting')
    return `Cannot read properties of undefined (reading '${fault === 'no row' ? 'title' : 'trim'}')`
  return env['API_HOST'] === undefined ? "Cannot read properties of undefined (reading 'toUpperCase')" : 'Invalid URL'
}

type Pick = <Value>(values: readonly Value[]) => Value

/** Access to rows: a function, a class, a factory or a wrapper. */
function drawStore(pick: Pick, sql: string, fault: Fault): { name: string; call: string; lines: Line[] } {
  const is = fault === 'missing await' || fault === 'setting' ? undefined : 'query'
  const at = (text: string): Line => (is === undefined ? { text } : { text, is })
  const rows = pick<(db: string) => Line[]>([
    (db) => [at(`    const { rows } = await ${db}.query('${sql}', [id])`), { text: '    const row = rows[0]' }],
    (db) => [at(`    const { rows: [row] } = await ${db}.query('${sql}', [id])`)],
    (db) => [at(`    const result = await ${db}.query('${sql}', [id])`), { text: '    const [row] = result.rows' }],
    (db) => [at(`    const row = (await ${db}.query(\`${sql}\`, [id])).rows[0]`)],
    (db) => [at(`    const [rows] = await ${db}.execute('${sql}', [id])`), { text: '    const row = rows[0]' }],
    (db) => [at(`    const [[row]] = await ${db}.execute('${sql}', [id])`)],
    (db) => [at(`    const row = ${db}.prepare('${sql}').get(id)`)],
  ])
  const driver: Line[] = [
    { text: "import { connect } from 'driver'" },
    { text: "const db = connect({ max: 10, name: 'shop' })" },
  ]
  const kind = pick(['function', 'class', 'factory', 'typed class', 'rest'] as const)
  const end = [{ text: '    return row' }, { text: '  }' }, { text: '}' }]
  if (kind === 'rest')
    return {
      name: 'wrapper with a rest parameter',
      call: 'find(id)',
      lines: [
        ...driver,
        { text: 'const all = async (sql: string, ...values: unknown[]) => {' },
        at('  const { rows } = await db.query(sql, values)'),
        { text: '  return rows' },
        { text: '}' },
        { text: 'export async function find(id: number) {' },
        { text: `  const [row] = await all('${sql}', id)` },
        { text: '  return row' },
        { text: '}' },
      ],
    }
  if (kind === 'function')
    return {
      name: kind,
      call: 'find(id)',
      lines: [...driver, { text: 'export async function find(id: number) {' }, { text: '  {' }, ...rows('db'), ...end],
    }
  if (kind === 'factory')
    return {
      name: kind,
      call: 'items.find(id)',
      lines: [
        ...driver,
        { text: 'export const items = makeItems(db)' },
        { text: 'export function makeItems(connection) {' },
        { text: '  return { async find(id: number) {' },
        ...rows('connection'),
        { text: '    return row' },
        { text: '  } }' },
        { text: '}' },
      ],
    }
  return {
    name: kind,
    call: 'items.find(id)',
    lines: [
      ...driver,
      { text: 'export class Items {' },
      { text: kind === 'class' ? '  readonly #db' : '  readonly #name = "items"' },
      {
        text:
          kind === 'class' ? '  constructor(db) { this.#db = db }' : '  constructor(private readonly db: Database) {}',
      },
      { text: '  async find(id: number) {' },
      ...rows(kind === 'class' ? 'this.#db' : 'this.db'),
      ...end,
      { text: 'export const items = new Items(db)' },
    ],
  }
}

const settings: readonly Line[] = [
  { text: 'function readEnv(source: Record<string, string | undefined>) {' },
  { text: '  return {' },
  { text: '    host: source.API_HOST, // right but for its value', is: 'fault' },
  { text: '    size: Number(source.PAGE_SIZE) || 20,' },
  { text: '  }' },
  { text: '}' },
  { text: 'export const settings = readEnv(process.env)' },
]

/** A handler: a function of its own, or one in a chain of routes; with right code before and code that never ran after. */
function drawHandler(pick: Pick, read: string, fault: Fault, call: string): { name: string; lines: Line[] } {
  const before = [
    '    const size = Number(process.env.PAGE_SIZE) || 20',
    '    const kind = request.params.kind ?? "all"\n    cache.set(`${id}:${kind}`, label(id, kind))',
    '    const least = Math.min(-1, id)',
    "    const limits = JSON.parse(readFileSync('limits.json', 'utf8'))",
    '    const known = [{ id: 1, name: "one" }].find((one) => one.id === 1)',
    '    log(`${id} of ${settings.size}`)',
  ].filter(() => pick([true, false]))
  const after = [
    '    const sum = [1, 2].reduce((all, one) => { all + one }, 0)',
    '    ids.forEach(async (one) => { await save(one) })',
    '    save(id)',
    '    for (let at = 0; at <= ids.length; at += 1) ids[at].done = true',
    '    const late = JSON.parse("{")',
    '    send(items.save)',
  ].filter(() => pick([true, false]))
  const wait = fault === 'missing await' ? '' : 'await '
  const asked: Line = { text: `    const item = ${wait}${call}`, is: fault === 'missing await' ? 'fault' : 'call' }
  const use = pick([
    `    const shown = item.${read}.trim()`,
    `    const shown = { id, title: item.${read}.trim() }`,
    `    log(item.${read}.trim(), id)`,
  ])
  const setting: Line = {
    text: pick([
      '    const host = new URL(settings.host.toUpperCase())',
      '    log(new URL(settings.host.toUpperCase()))',
    ]),
    is: 'failed',
  }
  const body: Line[] = [
    { text: '    const id = Number(request.params.id)' },
    ...before.flatMap((text) => text.split('\n')).map((text) => ({ text })),
    ...(fault === 'setting' ? [setting] : [asked]),
    ...(fault === 'failed query' || fault === 'setting' ? [] : [{ text: use, is: 'failed' } as const]),
    ...after.map((text) => ({ text, is: 'later' }) as const),
    { text: '    return json({ id })', is: 'later' },
  ]
  const head: Line[] = [
    { text: "import { readFileSync } from 'node:fs'" },
    { text: "import { json, RouteCollection } from 'fanlight'" },
    { text: `import { ${call.startsWith('items') ? 'items' : 'find'} } from './store.ts'` },
    { text: "import { settings } from './settings.ts'" },
    { text: 'const cache = new Map()' },
    { text: 'const ids = []' },
    { text: 'const log = (...parts: unknown[]) => parts.length' },
    { text: 'const label = (id: number, kind: string) => `${kind} ${id}`' },
    { text: 'async function save(id: number) { cache.delete(id) }' },
  ]
  if (pick([true, false]))
    return {
      name: 'handler of its own',
      lines: [
        ...head,
        { text: '{' },
        { text: '  async function show({ request }) {' },
        ...body,
        { text: '  }' },
        { text: '}' },
      ],
    }
  const others = ['home', 'list', 'about', 'help'].filter(() => pick([true, false]))
  return {
    name: `chain of ${others.length + 1} routes`,
    lines: [
      ...head,
      { text: 'export const routes = new RouteCollection()' },
      ...others.map((name) => ({ text: `  .get('${name}', '/${name}', () => json({ name: '${name}' }))` })),
      { text: "  .get('item', '/items/{id}', async ({ request }) => {" },
      ...body,
      { text: '  })' },
      { text: "  .get('last', '/last', () => json({}))" },
    ],
  }
}
