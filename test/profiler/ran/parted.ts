// Code of an application that does another thing for each side, for the tests of where two requests part.

export interface Visit {
  readonly side: 'A' | 'B'
  readonly user: { readonly vip?: boolean; readonly name: string }
  readonly prices: readonly (number | string)[]
}

export function branch({ user }: Visit): number {
  const vip = user.vip
  let sum = 10
  if (vip) {
    sum *= 0.9
  }
  return sum
}

export function loop({ prices }: Visit): number {
  let sum = 0
  for (const price of prices) {
    const isFree = price === 0
    if (isFree) {
      continue
    }
    sum += Number(price)
  }
  return sum
}

export function failing({ side, prices }: Visit): number {
  const rate = side === 'A' ? 'x' : '2'
  check(rate)
  return prices.length
}

function check(rate: string): void {
  JSON.parse(rate)
}

export function value({ prices }: Visit): number {
  const [first] = prices
  const price = Number(first)
  const withTax = price * 1.2
  return withTax
}

export function called(visit: Visit): number {
  const pick = visit.side === 'A' ? { of: ten } : { of: two }
  return pick.of()
}

function ten(): number {
  return 10
}

function two(): number {
  return 2
}

export function passedOn({ side }: Visit): string {
  const limit = side === 'A' ? undefined : 3
  return asPage(limit)
}

function asPage(size: number | undefined): string {
  return sized(size)
}

function sized(count: number | undefined): string {
  if (count === undefined) {
    return 'all'
  }
  return String(count)
}

export function alike(): number {
  const id = crypto.randomUUID()
  const at = new Date().toISOString()
  return id.length + at.length
}

export function long({ side }: Visit): number {
  let sum = 0
  for (let turn = 0; turn < 2000; turn += 1) {
    sum += 1
  }
  if (side === 'A') {
    sum = 0
  }
  return sum
}
