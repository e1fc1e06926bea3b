// Makes currency records.

import type { Currency } from '../../app/currencies/currency.ts'

/** The euro as it is kept; every part can be replaced. */
export function makeCurrency(parts: Partial<Currency> = {}): Currency {
  return {
    code: 'EUR',
    title: 'Euro',
    rate: '1',
    sign: '€',
    is_active: true,
    is_default: true,
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: '2026-11-20T15:00:00.000Z',
    rate_at: '2026-11-20T00:00:00.000Z',
    ...parts,
  }
}
