// A deep way through many functions, each on its own lines, that ends in an error wrapped twice on its way out.

/** Opens an order that cannot be opened, below `depth` calls. Throws an error with two causes. */
export function openOrder(depth: number): number {
  return readCustomer(depth - 1)
}

function readCustomer(depth: number): number {
  const next = readAddress(depth - 1)
  return next + 1
}

function readAddress(depth: number): number {
  const next = readBasket(depth - 1)
  return next + 2
}

function readBasket(depth: number): number {
  const next = readPrices(depth - 1)
  return next * 2
}

function readPrices(depth: number): number {
  if (depth < 8) return countStock({ amounts: [] })
  try {
    return readStock(depth - 1)
  } catch (cause) {
    // Wrapped at two depths, so that the chain has three errors.
    const message = wraps.get(depth)
    throw message === undefined ? cause : new Error(message, { cause })
  }
}

function readStock(depth: number): number {
  const next = [depth - 1].map((rest) => readDelivery(rest))
  return next[0] ?? 0
}

function readDelivery(depth: number): number {
  return depth > 0 ? readInvoice(depth - 1) : 0
}

function readInvoice(depth: number): number {
  const next = readCustomer(depth - 1)
  return next - 1
}

const wraps: ReadonlyMap<number, string> = new Map([
  [23, 'The prices of the order cannot be read'],
  [37, 'Order 4711 cannot be opened'],
])

function countStock(stock: { readonly amounts: readonly number[] }): number {
  const first = stock.amounts[0]
  if (first === undefined) throw new RangeError('A stock of 0 places cannot be counted')
  return first
}
