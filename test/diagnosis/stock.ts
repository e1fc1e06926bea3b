// What the cases of elsewhere.ts use: each function has a fault that shows only where its result is used.

export interface Shelf {
  readonly name: string
  readonly price: { readonly amount: number }
}

const shelves: readonly Shelf[] = [{ name: 'lamps', price: { amount: 12 } }]

export function findShelf(name: string): Shelf {
  return shelves.find((shelf) => shelf.name === `${name}s `) as Shelf
}

export function shippingOf(country: string): { readonly days: number } | undefined {
  switch (country) {
    case 'DE':
      return { days: 1 }
    case 'FR':
      return { days: 2 }
  }
  return undefined
}

export async function loadTax(): Promise<{ rate: string }> {
  return { rate: '0.19' }
}

export function stockUrl(): string {
  return process.env['STOCK_SERVICE_URL'] as string
}

export const rates: Readonly<Record<string, number>> = { eur: 1, usd: 1.1 }

export function rateOf(code: string): number {
  return rates[code] as number
}

export function parseQuantity(text: string): number {
  return Number(text)
}

export function toOptions(): { readonly limit: number; readonly page?: { readonly size: number } } {
  return { limit: 10 }
}

export const templateFolder = 'templates/mails'
