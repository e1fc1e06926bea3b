// Code that gives something wrong without an exception, each with its right twin. The odd line ends in a comment.

interface Row {
  readonly id: number
  readonly name: string
  readonly price?: number
  readonly customer?: { readonly mail: string }
}

const rows: readonly Row[] = [
  { id: 5, name: 'lamp', price: 10, customer: { mail: 'a@b.c' } },
  { id: 10, name: 'desk', price: 0 },
]
const unchecked = (value: unknown): never => value as never
const numbers = [10, 9, 1]
const day = new Date(0)

async function find(id: number): Promise<Row | undefined> {
  await Promise.resolve()
  return rows.find((row) => row.id === id)
}

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
