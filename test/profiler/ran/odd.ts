// Code that gives something wrong without an exception, each with its right twin. The odd line ends in a comment.

import { AsyncLocalStorage } from 'node:async_hooks'
import { stock } from './stock.ts'

interface Row {
  readonly id: number
  readonly name: string
  readonly state?: string
  readonly price?: number
  readonly customer?: { readonly mail: string }
}

const rows: readonly Row[] = [
  { id: 5, name: 'lamp', price: 10, state: 'open', customer: { mail: 'a@b.c' } },
  { id: 10, name: 'desk', price: 0 },
]
const unchecked = (value: unknown): never => value as never
const numbers = [10, 9, 1]
const day = new Date(0)
const rates: Record<string, number> = { EUR: 1.1 }
const all = ['lamp', 'desk']
const look = { color: 'white', size: 1 }

const mayBuy = unchecked(async (name: string) => {
  await Promise.resolve()
  return name === 'bob'
}) as (name: string) => boolean | Promise<boolean>

async function find(id: number): Promise<Row | undefined> {
  await Promise.resolve()
  return rows.find((row) => row.id === id)
}

let current: { readonly name: string } | undefined

function setCurrent(name: string): void {
  current = { name } // odd setByOther
}

let kept: { readonly name: string } | undefined

function keepOnce(name: string): void {
  kept ??= { name }
}

/** As another request would. */
const outside = AsyncLocalStorage.snapshot()

const steps = [
  { from: 50, percent: 2 },
  { from: 100, percent: 5 },
  { from: 200, percent: 10 },
]
const cache = { through: async (_: string, make: () => Promise<unknown>) => make() }
const load = async (...given: readonly unknown[]): Promise<unknown> => Promise.resolve(given)

type Program = () => unknown

/** What is said of the odd line; the right twin gets nothing. */
export const odd: Readonly<Record<string, readonly [wrong: Program, says: string, right: Program]>> = {
  comparedTexts: [
    () => {
      const [amount, least] = ['10', '5']
      return amount >= least // odd comparedTexts
    },
    '`amount >= least` compares two texts letter by letter: `amount` "10" and `least` "5"',
    () => {
      const [from, until] = ['2024-01-10', '2024-01-05']
      return from >= until
    },
  ],
  neverEqual: [
    () => {
      const [id, asked] = [5, unchecked('5')]
      return id === asked // odd neverEqual
    },
    '`id === asked` compares a number with a text, which are never equal: `id` 5 and `asked` "5"',
    () => {
      const [id, kind] = [5, unchecked('all')]
      return id === kind
    },
  ],
  maskedTwin: [
    () => {
      const [password, given] = [4711, unchecked('4711')]
      return password === given // odd maskedTwin
    },
    '`password === given` compares a number with a text, which are never equal: `password` ****** and `given` ******',
    () => {
      const [password, given] = ['4711', '4711']
      return password === given
    },
  ],
  maskedList: [
    () => {
      const [passwords, given] = [[4711], unchecked('4711')]
      return passwords.includes(given) // odd maskedList
    },
    '`passwords.includes(given)` looks for `given` ******, which is there as a number',
    () => {
      const [passwords, given] = [[4711], 4711]
      return passwords.includes(given)
    },
  ],
  maskedCode: [
    () => {
      const id = unchecked(undefined)
      return `https://shop:zqMasked0815@h/${id}` // odd maskedCode
    },
    "`'https://shop:******@h/${id}'` puts into a text what has none: `id` undefined",
    () => {
      const id = 5
      return `https://shop:zqMasked0815@h/${id}`
    },
  ],
  neverFound: [
    () => {
      const id = unchecked('5')
      return rows.filter((row) => row.id === id) // odd neverFound
    },
    '`row.id === id` compares a number with a text, which are never equal: `row.id` 5 and `id` "5"',
    () => {
      const id = 5
      return rows.filter((row) => row.id === id)
    },
  ],
  datesEqual: [
    () => {
      const [one, other] = [day, new Date(0)]
      return one === other // odd datesEqual
    },
    '`one === other` compares two dates of the same time, which are two objects',
    () => {
      const [one, other] = [day, day]
      return one === other
    },
  ],
  joined: [
    () => {
      const [page, step]: [string, number] = ['2', 1]
      return page + step // odd joined
    },
    '`page + step` joins a number and a text: `page` "2" and `step` 1',
    () => {
      const hours = 5
      return '0' + hours
    },
  ],
  noNumber: [
    () => {
      const [row] = [{ price: 5, count: unchecked(undefined) }]
      return row.price * row.count // odd noNumber
    },
    '`row.price * row.count` is NaN: `row.price` 5 and `row.count` undefined',
    () => {
      const [one, other] = [5, unchecked(undefined)]
      return Number.isNaN(one * other) ? 0 : 1
    },
  ],
  zeroReplaced: [
    () => {
      const discount = rows[1]?.price
      return discount || 10 // odd zeroReplaced
    },
    '`discount || 10` takes 10 for a 0: `||` instead of `??`',
    () => {
      const discount = rows[1]?.price
      return discount ?? 10
    },
  ],
  misspelt: [
    () => {
      const row = unchecked(rows[0]) as { readonly custommer?: { readonly mail: string } }
      return row.custommer?.mail ?? 'nobody' // odd misspelt
    },
    '`row.custommer` reads `custommer`, which is not there: the object has `customer`',
    () => {
      const given = unchecked({ items: [1] }) as { readonly item?: number; readonly items?: readonly number[] }
      return [given.item ?? given.items]
    },
  ],
  ofPromise: [
    () => {
      const row = find(5) as unknown as Row
      return { name: row.name } // odd ofPromise
    },
    '`row.name` reads `name` of a promise: `await` is missing',
    () => {
      const row = find(5)
      return row.then((found) => found?.name)
    },
  ],
  sortedAsTexts: [
    () => {
      const list = unchecked(numbers) as readonly string[]
      return list.toSorted() // odd sortedAsTexts
    },
    '`list.toSorted()` sorts numbers as texts: it has no comparator',
    () => {
      const list = unchecked([1, 5, 9]) as readonly string[]
      return list.toSorted()
    },
  ],
  sortedByTruth: [
    () => {
      const list = rows
      return [...list].sort((one, other) => (one.id < other.id) as unknown as number) // odd sortedByTruth
    },
    'sorts by true and false: a comparator gives a number below 0, 0 or above',
    () => {
      const list = rows
      return list.toSorted((one, other) => other.id - one.id)
    },
  ],
  otherType: [
    () => {
      const [ids, id] = [['5', '10'], unchecked(5)]
      return ids.includes(id) // odd otherType
    },
    '`ids.includes(id)` looks for `id` 5, which is there as a text',
    () => {
      const [ids, id] = [['5', '10'], '7']
      return ids.includes(id)
    },
  ],
  asyncFilter: [
    () => {
      const list = unchecked(rows) as { filter(keep: (row: Row) => unknown): unknown }
      return list.filter(async (row) => (await find(row.id)) === undefined) // odd asyncFilter
    },
    'asks a callback that gives a promise, which counts as true',
    () => {
      const list = rows
      return Promise.all(list.map(async (row) => find(row.id)))
    },
  ],
  inText: [
    () => {
      const id = unchecked(undefined)
      return `/orders/${id}` // odd inText
    },
    'puts into a text what has none: `id` undefined',
    () => {
      const id = unchecked(null)
      return `/orders/${id ?? ''}`
    },
  ],
  sameLetters: [
    () => {
      const state = 'Open'
      return rows.filter((row) => row.id > 90 || row.state === state) // odd sameLetters
    },
    '`row.state === state` compares texts that differ in case or blanks only: `row.state` "open" and `state` "Open"',
    () => {
      const state = 'Open'
      return rows.filter((row) => row.id > 0 || row.state === state)
    },
  ],
  eitherCase: [
    () => {
      const role = unchecked('admin ')
      return role === 'admin' ? 1 : 0 // odd eitherCase
    },
    '`role === \'admin\'` compares texts that differ in case or blanks only: `role` "admin " and "admin"',
    () => {
      const role = unchecked('Admin')
      return role === 'admin' || role === 'Admin' ? 1 : 0
    },
  ],
  byRounding: [
    () => {
      const [paid, due] = [0.1 + 0.2, 0.3]
      return paid === due // odd byRounding
    },
    '`paid === due` compares numbers that differ by rounding only: `paid` 0.30000000000000004 and `due` 0.3',
    () => {
      const [paid, due] = [0.31, 0.3]
      return paid === due
    },
  ],
  keyOfOtherCase: [
    () => {
      const currency = unchecked('eur')
      return rates[currency] // odd keyOfOtherCase
    },
    '`rates[currency]` looks for `currency` "eur", which is there as "EUR"',
    () => {
      const [counts, word]: [Record<string, number>, string] = [{ The: 1 }, 'the']
      counts[word] = (counts[word] ?? 0) + 1
      return counts
    },
  ],
  importedKey: [
    () => {
      const name = unchecked('Sofa')
      return stock.get(name) // odd importedKey
    },
    '`stock.get(name)` looks for `name` "Sofa", which is there as "sofa"',
    () => {
      const name = 'sofa'
      return stock.get(name)
    },
  ],
  deletedUnderNumber: [
    () => {
      const [kept, id] = [new Map([['7', 'lamp']]), unchecked(7)]
      return kept.delete(id) // odd deletedUnderNumber
    },
    '`kept.delete(id)` looks for `id` 7, which is there as a text',
    () => {
      const [kept, id] = [new Map([['7', 'lamp']]), '7']
      return kept.delete(id)
    },
  ],
  restLost: [
    () => {
      const price = '1,299.00'
      return Number.parseFloat(price) // odd restLost
    },
    '`Number.parseFloat(price)` reads only "1" of `price` "1,299.00"',
    () => {
      const [size, share, day] = ['10px', '3.7', '2024-01-05']
      return [Number.parseInt(size), Number.parseInt(share), Number.parseInt(day)]
    },
  ],
  roundedDown: [
    () => {
      const amount = 19.99
      return Math.floor(amount * 100) // odd roundedDown
    },
    '`Math.floor(amount * 100)` makes 1998 of 1998.9999999999998, which is 1999 but for rounding',
    () => {
      const amount = 19.995
      return Math.floor(amount * 100)
    },
  ],
  promiseAsked: [
    () => {
      const user = 'ann'
      return mayBuy(user) ? 'yes' : 'no' // odd promiseAsked
    },
    '`mayBuy(user)` asks a promise, which counts as true: `await` is missing',
    async () => {
      const user = 'ann'
      return (await mayBuy(user)) ? 'yes' : 'no'
    },
  ],
  promiseKept: [
    () => {
      const may = mayBuy('ann')
      return !may // odd promiseKept
    },
    '`may` asks a promise, which counts as true: `await` is missing',
    async () => {
      const pending = mayBuy('ann')
      return pending ? await pending : false
    },
  ],
  forEachAsync: [
    () => {
      const list = rows
      list.forEach(async (row) => find(row.id)) // odd forEachAsync
    },
    'goes on at once: it waits for no callback',
    () => {
      const list: readonly Row[] = []
      list.forEach(async (row) => find(row.id))
    },
  ],
  leftBehind: [
    async () => {
      const id = 5
      find(id) // odd leftBehind
      await find(10)
      return id
    },
    '`find(id)` goes on while `find` still runs: nothing waits for it',
    async () => {
      const id = 5
      find(id).catch(() => null)
      void find(10)
      return find(id)
    },
  ],
  nextLeft: [
    async () => {
      const middleware = async (context: object, next: () => unknown) => {
        await Promise.resolve(context)
        next() // odd nextLeft
        return context
      }
      return middleware({}, async () => void (await find(5)))
    },
    '`next()` goes on while `anonymous` still runs: nothing waits for it',
    async () => {
      const middleware = async (request: object, response: object, next: () => unknown) => {
        await Promise.resolve([request, response])
        next()
        return request
      }
      return middleware({}, {}, async () => void (await find(5)))
    },
  ],
  patternGoesOn: [
    () => {
      const [pattern, text] = [/lamp/g, 'lamp']
      pattern.lastIndex = 2
      return pattern.test(text) // odd patternGoesOn
    },
    '`pattern.test(text)` begins at letter 3: a pattern with the flag g remembers where it stopped',
    () => {
      const [pattern, text] = [/lamp/g, 'lamp']
      return pattern.test(text)
    },
  ],
  sortsShared: [
    () => {
      const take = 1
      return all.sort().slice(take) // odd sortsShared
    },
    '`all.sort()` changes `all` itself, which all requests share',
    () => {
      const take = 1
      return [...all].sort().slice(take)
    },
  ],
  defaultsLast: [
    () => {
      const [input, defaults] = [{ color: 'red' }, { color: 'white', size: 1 }]
      return { ...input, ...defaults } // odd defaultsLast
    },
    'overrides `color`, which was given: what comes last counts',
    () => {
      const [input, defaults] = [{ color: 'red' }, { color: 'white', size: 1 }]
      return { ...defaults, ...input }
    },
  ],
  pageBehind: [
    () => {
      const [asked, size] = ['1', 10]
      const page = Math.max(1, Number(asked))
      return { size, offset: page * size } // odd pageBehind
    },
    '`page * size` begins page 1 behind the first page: pages are counted from 1 here',
    () => {
      const [asked, size] = ['1', 10]
      const page = Math.max(0, Number(asked))
      return { size, offset: page * size }
    },
  ],
  dayOfZone: [
    () => {
      const due = new Date('2024-01-05')
      return due.getDate() // odd dayOfZone
    },
    '`due.getDate()` is of 2024-01-04, the day of this zone, where the date is 2024-01-05 in UTC',
    () => {
      const due = new Date('2024-01-05T12:30:00Z')
      return [due.getDate(), due.toISOString()]
    },
  ],
  dayInUtc: [
    () => {
      const due = new Date(2024, 0, 5)
      return due.toISOString().slice(0, 10) // odd dayInUtc
    },
    '`due.toISOString()` is of 2024-01-04, the day in UTC, where the date is 2024-01-05 in this zone',
    () => {
      const due = new Date(2024, 0, 5)
      return due.toISOString()
    },
  ],
  notKept: [
    () => {
      const name = ' lamp '
      name.trim() // odd notKept
      return name
    },
    '`name.trim()` makes a new text, which nothing keeps',
    () => {
      const [name, names]: [string, string[]] = [' lamp ', []]
      rows.map((row) => names.push(row.name))
      return name.trim()
    },
  ],
  listNotKept: [
    () => {
      const list = rows
      list.filter((row) => row.id === 5) // odd listNotKept
      return list
    },
    '`list.filter((row) => row.id === 5)` makes a new list, which nothing keeps',
    () => {
      const list = rows
      return list.filter((row) => row.id === 5)
    },
  ],
  indexAsked: [
    () => {
      const list = all
      return list.indexOf('lamp') ? 'no' : 'yes' // odd indexAsked
    },
    "`list.indexOf('lamp')` counts as true where nothing is found: it gives -1 then",
    () => {
      const list = all
      return list.indexOf('lamp') < 0 ? 'no' : 'yes'
    },
  ],
  filledWithOne: [
    () => {
      const days = 3
      // oxlint-disable-next-line unicorn/no-array-fill-with-reference-type
      return Array.from({ length: days }).fill([]) // odd filledWithOne
    },
    'puts one list into each element',
    () => {
      const days = 3
      return Array.from({ length: days }).fill(0)
    },
  ],
  sharedAssigned: [
    () => {
      const query = { color: 'red' }
      return Object.assign(look, query) // odd sharedAssigned
    },
    '`Object.assign(look, query)` changes `look` itself, which all requests share',
    () => {
      const query = { color: 'red' }
      return Object.assign({}, look, query)
    },
  ],
  neverPutBack: [
    () => {
      const session = unchecked({}) as { readonly cart?: string[] }
      const cart = session.cart ?? [] // odd neverPutBack
      cart.push('lamp')
      return cart
    },
    '`session.cart ?? []` makes a new one that something was added to, and that `session` never gets',
    () => {
      const session: { items?: string[] } = {}
      const items = session.items ?? []
      items.push('lamp')
      session.items = items
      return items
    },
  ],
  groupLost: [
    () => {
      const groups = new Map<string, Row[]>()
      for (const row of rows) {
        const group = groups.get(row.name) ?? [] // odd groupLost
        group.push(row)
      }
      return [...groups]
    },
    '`groups.get(row.name) ?? []` makes a new one that something was added to, and that `groups` never gets',
    () => {
      const groups = new Map<string, Row[]>()
      for (const row of rows) {
        const group = groups.get(row.name) ?? []
        group.push(row)
        groups.set(row.name, group)
      }
      return [...groups]
    },
  ],
  againAfterSuccess: [
    async () => {
      let failure: unknown
      for (let attempt = 1; attempt <= 2; attempt += 1) {
        try {
          await find(5) // odd againAfterSuccess
          failure = undefined
        } catch (error) {
          failure = error
        }
      }
      return failure
    },
    '`find(5)` runs again after a success: nothing leaves the loop',
    async () => {
      let failures = 0
      for (let copy = 1; copy <= 2; copy += 1) {
        try {
          await find(5)
        } catch {
          failures += 1
        }
      }
      for (let attempt = 1; attempt <= 2; attempt += 1) {
        try {
          await find(5)
          if (failures === 0) throw new Error('busy')
        } catch {
          failures += 1
        }
      }
      return failures
    },
  ],
  endsBefore: [
    () => {
      const [start, perPage] = [1, 1]
      return rows.slice(start, perPage) // odd endsBefore
    },
    '`rows.slice(start, perPage)` gives nothing: it ends at `perPage` 1, and begins at `start` 1',
    () => {
      const [start, end, size, text] = [1, 1, 1, 'lamp']
      return [rows.slice(start, end), rows.slice(2, size), text.slice(start, size), rows.slice(start, start + size)]
    },
  ],
  firstStep: [
    () => {
      const total = 250
      return steps.find(({ from }) => total >= from)?.percent // odd firstStep
    },
    'can only give the first: `from` grows, so what matches a later one matches the first',
    () => {
      const [total, now, jobs] = [250, 9, [{ at: 1 }, { at: 2 }, { at: 3 }]]
      const falling = steps.toReversed()
      const first = [falling.find(({ from }) => total >= from), steps.find(({ from }) => from >= total)]
      return [...first, jobs.find((job) => job.at <= now), steps.findLast(({ from }) => total >= from)]
    },
  ],
  mapOfNothing: [
    () => {
      const ids = [5, 10]
      // oxlint-disable-next-line array-callback-return
      return ids.map(() => {}) // odd mapOfNothing
    },
    'gives `undefined` for each: its callback returns nothing',
    async () => {
      const ids = [5, 10]
      const found: unknown[] = []
      await Promise.all(
        ids.map(async (id) => {
          found.push(await find(id))
        }),
      )
      return ids.map((id) => {
        if (id > 5) return id
        return found
      })
    },
  ],
  addressCut: [
    () => {
      const [base, name] = ['/departments', 'R&D']
      return `${base}?name=${encodeURI(name)}` // odd addressCut
    },
    'puts `&` of `name` "R&D" into the address as it is: encodeURIComponent() is missing',
    () => {
      const [base, name, plain, more] = ['/departments', 'R&D', 'R D', 'x&page=2']
      return [`${base}?name=${encodeURIComponent(name)}`, `${base}?name=${plain}`, `${base}?q=${more}`, `name=${name}`]
    },
  ],
  addressPlain: [
    () => {
      const mail = 'ann#1'
      return `/people?mail=${mail}` // odd addressPlain
    },
    'puts `#` of `mail` "ann#1" into the address as it is: encodeURIComponent() is missing',
    () => {
      const [id, anchor] = ['7', 'top']
      return [`/people?id=${id}#${anchor}`, `/people#${anchor}`]
    },
  ],
  secondsOfToken: [
    () => {
      const claims = { sub: 'ann', exp: 2_100_000_001 }
      return Date.now() > claims.exp // odd secondsOfToken
    },
    'and `claims.exp` 2100000001',
    () => {
      const [claims, monthMs, last] = [{ sub: 'ann', exp: 2_100_000_001 }, 2_592_000_000, 0]
      const age = Date.now() - last
      return [
        claims.exp < Date.now() / 1000,
        claims.exp * 1000 < Date.now(),
        Date.now() - last > monthMs,
        age > monthMs,
      ]
    },
  ],
  dateOfSeconds: [
    () => {
      const row = { created_at: 1_700_000_001 }
      return new Date(row.created_at) // odd dateOfSeconds
    },
    '`new Date(row.created_at)` makes a date of 1970: `row.created_at` 1700000001 counts seconds',
    () => {
      const [row, uptimeMs, born] = [{ created_at: 1_700_000_001_000 }, 1_700_000_001, 1_700_000_001]
      return [new Date(row.created_at), new Date(uptimeMs), new Date(born), new Date(1_700_000_001)]
    },
  ],
  shortKey: [
    async () => {
      const priceOf = async (name: string, currency: string): Promise<unknown> =>
        cache.through(`price:${name}`, async () => load(name, currency)) // odd shortKey
      return priceOf('lamp', 'USD')
    },
    'makes the key without `currency`, of which the value is made',
    async () => {
      const priceOf = async (name: string, currency: string, timeoutMs: number, log: object): Promise<unknown> =>
        cache.through(`price:${name}:${currency}`, async () => load(name, currency, timeoutMs, log))
      return priceOf('lamp', 'USD', 100, {})
    },
  ],
  blankGiven: [
    () => {
      const [city, conditions] = [unchecked('') as string | undefined, ['open = ?']]
      if (city !== undefined) conditions.push('city = ?') // odd blankGiven
      return conditions
    },
    '`city !== undefined` takes `city` "" for given, and looks for rows where it is empty',
    () => {
      const [city, note] = [unchecked('') as string | undefined, unchecked('') as string | undefined]
      const [conditions, change]: [string[], { note?: string }] = [[], {}]
      if (city !== undefined && city !== '') conditions.push('city = ?')
      if (city !== undefined) conditions.push(`city LIKE '%' || ? || '%'`)
      if (note !== undefined) change.note = note
      return [conditions, change]
    },
  ],
  addedTexts: [
    () => {
      const row = { goods: '120.50', shipping: '4.90' }
      return row.goods + row.shipping // odd addedTexts
    },
    '`row.goods + row.shipping` joins two texts instead of adding numbers: `row.goods` "120.50" and `row.shipping` "4.90"',
    () => {
      const row = { year: '2026', month: '11', major: '1.2', build: '10.5' }
      return [row.year + row.month, row.major + row.build, '-' + row.month]
    },
  ],
  setByOther: [
    () => {
      setCurrent('ann')
      outside(() => setCurrent('bob'))
      return current?.name
    },
    'found { name: "bob" } where this one had set { name: "ann" }',
    () => {
      setCurrent('ann')
      setCurrent('bob')
      outside(() => keepOnce('ann'))
      keepOnce('bob')
      return [current, kept]
    },
  ],
}

/** Of each run of `touchy`, what ran of the application's code behind its values. */
export const touched: string[][] = []

export function touchy(): number {
  const ran: string[] = []
  touched.push(ran)
  const told = (what: string, result: unknown) => () => {
    ran.push(what)
    return result
  }
  const handed = Object.create(
    new Proxy({}, { has: unchecked(told('has', false)), get: told('get', undefined) }),
  ) as Row
  const days = [new Date(0), new Date(0)] as const
  for (const one of days) Object.assign(one, { getTime: told('getTime', 0) })
  class Ids extends Array<number> {}
  for (const [name, result] of [
    ['includes', false],
    ['every', true],
  ] as const)
    Object.defineProperty(Ids.prototype, name, { value: told(name, result) })
  const ids = new Ids(10, 9, 1)
  const [one, other] = days
  const { price } = handed
  const found = handed.name
  const isSame = one === other
  const isKnown = ids.includes(unchecked('10'))
  ids.sort()
  return [price, found, isSame, isKnown].length
}
