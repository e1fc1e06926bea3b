// Small applications of several files, each with one fault, in the line that ends with "the fault".

/** One application of fixtures/, by the name of its folder. */
export interface OriginCase {
  readonly app: string
  /** Default `/` and the name of the only route. */
  readonly url: string
  readonly method?: string
  /** Requests before the one that fails. */
  readonly before?: readonly string[]
}

export const originCases: readonly OriginCase[] = [
  { app: 'missing-await', url: '/orders/7' },
  { app: 'env-typo', url: '/stock/a' },
  { app: 'sql-column', url: '/orders' },
  { app: 'default-mutated', url: '/search?tag=a' },
  { app: 'missing-return-switch', url: '/quote/express' },
  { app: 'arrow-without-return', url: '/basket' },
  { app: 'swapped-arguments', url: '/transfer', method: 'POST' },
  { app: 'regex-lastindex', url: '/check' },
  { app: 'prototype-lost', url: '/invoice' },
  { app: 'config-key', url: '/mail' },
  { app: 'off-by-one', url: '/last' },
  { app: 'loop-past-end', url: '/report' },
  { app: 'json-shape', url: '/rates' },
  { app: 'route-parameter', url: '/products/lamp' },
  { app: 'unbound-method', url: '/prices' },
  { app: 'missing-return-branch', url: '/me' },
  { app: 'date-parsing', url: '/delivery' },
  { app: 'nan-page', url: '/list?page=2' },
  { app: 'wrong-import', url: '/cheapest' },
  { app: 'cache-key', url: '/profile/3' },
  { app: 'for-each-async', url: '/details' },
  { app: 'promise-all', url: '/names' },
  { app: 'shared-state', url: '/race' },
  { app: 'sort-mutates', url: '/winner' },
  { app: 'wrong-path', url: '/terms' },
  { app: 'constant-typo', url: '/price' },
  { app: 'status-unchecked', url: '/weather' },
  { app: 'table-key', url: '/convert' },
  { app: 'missing-argument', url: '/greet' },
  { app: 'circular', url: '/circle' },
  { app: 'module-not-found', url: '/plugin/pdf' },
  { app: 'missing-export', url: '/report' },
  { app: 'handler-returns-nothing', url: '/list' },
  { app: 'string-thrown', url: '/pay' },
  { app: 'class-field', url: '/shop' },
  { app: 'lookup-field', url: '/stock' },
  { app: 'then-without-return', url: '/user' },
  { app: 'alias-import', url: '/total' },
  { app: 'money-shape', url: '/receipt' },
  { app: 'wrong-method-order', url: '/render' },
]
