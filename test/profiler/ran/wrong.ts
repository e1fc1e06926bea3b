// Small programs with a fault each. The line where the value that fails is first seen ends with "seen"; where nothing is certain, none does.

/* oxlint-disable */
// @ts-nocheck

const users = [{ id: 1, name: 'Ann', city: null }]
const pause = () => new Promise((done) => setImmediate(done))

const price = (line) => line.price * line.count

function totalOf(lines) {
  let total = 0
  for (const line of lines) {
    total += line.price * line.count // seen nan
  }
  if (Number.isNaN(total)) throw new Error('The total is wrong')
  return total
}

function eachOf(lines) {
  let total = 0
  lines.forEach((line) => {
    total += line.price * line.count // seen closure
  })
  if (Number.isNaN(total)) throw new Error('The total is wrong')
  return total
}

function findUser(id) {
  const user = users.find((one) => one.id === id) // seen find
  return user
}

async function loadUser(id) {
  await pause()
  return findUserLater(id)
}

function findUserLater(id) {
  return users.find((one) => one.id === id) // seen later parallel twins
}

function rateOf(country) {
  if (country === 'DE') {
    return 0.19
  }
  if (country === 'FR') {
    console.assert(true) // seen branch
  }
}

function greet(name, title) {
  return `${title.trim()} ${name}`
}

function order(user) {
  return {
    name: user.name,
    city: user.city, // seen property
  }
}

function place(order) {
  return order.city.toUpperCase()
}

function day(text) {
  const [year, month] = text.split('-')
  const time = Date.UTC(Number(year), month - 1, undefined) // seen date
  return new Date(time).toISOString()
}

function discounted(lines, rate) {
  return lines.map((line) => {
    const share = line.price * rate
    if (Number.isNaN(share)) throw new Error('The share is wrong')
    return share
  })
}

function partsOf(text) {
  const parts = text.match(/\d+/g) // seen iterable
  for (const part of parts) text += part
  return text
}

function checked(name) {
  const short = name.trim() // seen empty
  if (short === '') throw new Error('A name is missing')
  return short
}

function wrapped(id) {
  try {
    return findUser(id).name
  } catch (cause) {
    throw new Error('No page', { cause })
  }
}

function settings(given) {
  const all = { retries: 3, ...given }
  all.limit = given.limits?.[0] // seen assigned
  return all
}

function limited(given) {
  return settings(given).limit.toFixed(2)
}

function handler(kind) {
  const handlers = { add: (value) => value }
  const found = handlers[kind] // seen callable
  return found(1)
}

async function slow(id) {
  const user = findUserLater(id)
  await pause()
  return user.name
}

function hot(turns) {
  let last
  for (let turn = 0; turn <= turns; turn += 1) {
    last = turn === turns ? undefined : turn
  }
  return last.toFixed()
}

function numbered(text, shift) {
  const day = Number(text)
  const time = day + shift // seen number
  return new Date(time).toISOString()
}

function orDefault(window = 0) {
  const days = window || 7
  const first = users[days] // seen or
  return first.name
}

function either(first) {
  let chosen = users[8]
  chosen = first
  chosen = first.next ?? users[9] // seen again
  return chosen.name
}

function walk(node) {
  return node.next === null ? node.value.name : walk(node.next)
}

function sign(password, touchy) {
  const given = password
  const user = users[touchy.value === password ? 0 : 5] // seen secret
  return user.name
}

function secret() {
  const found = []
  const touchy = Object.defineProperty({}, 'value', { enumerable: true, get: () => found.length })
  return sign('hunter2', touchy, found)
}

/** By name; what they are asked for is wrong in each. */
export const programs: Readonly<Record<string, () => unknown>> = {
  nan: () => totalOf([{ price: 2, count: 1 }, { price: 3 }]),
  closure: () => eachOf([{ price: 2, count: 1 }, { price: 3 }]),
  find: () => findUser(2).name,
  later: async () => (await loadUser(2)).name,
  branch: () => rateOf('FR').toFixed(2),
  argument: () => greet('Ann'), // seen argument
  property: () => place(order(users[0])),
  date: () => day('2026-01'),
  outer: () => {
    const rate = Number('x%') // seen outer
    return discounted([{ price: 1 }], rate)
  },
  iterable: () => partsOf('none'),
  empty: () => checked('  '),
  wrapped: () => wrapped(7),
  assigned: () => limited({ limits: [] }),
  callable: () => handler('remove'),
  parallel: async () => Promise.all([slow(2), slow(3)]),
  twins: async () => Promise.all([slow(2), slow(2)]),
  hot: () => hot(700),
  number: () => numbered('4'),
  or: () => orDefault(2),
  again: () => either({ last: 0 }),
  secret: () => secret(),
  walk: () => walk({ next: { next: { next: null } } }),
}

/** Responses that are wrong in other ways: no value is missing. */
export const fine: Readonly<Record<string, () => unknown>> = {
  cents: () => ({ total: 0.1 + 0.2 }),
  sorted: () => [10, 9, 1].sort(),
  shared: () => ({ names: users.reverse().map(({ name }) => name) }),
  rounded: () => ({ share: Math.round(2.5) - Math.round(-2.5) }),
  late: async () => {
    let done = 0
    ;[1, 2].forEach(async () => {
      await pause()
      done += 1
    })
    return { done }
  },
  text: () => ({ sum: '1' + 1 }),
  stale: () => ({ at: new Date(0).getFullYear() }),
  none: () => ({ user: users.find(({ id }) => id === 9) }),
}
