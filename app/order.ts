// Reads what a customer wants to put into the basket, from a form or from JSON, and says what is wrong with it.

import * as v from 'valibot'
import { maxQuantity, type Basket } from './basket.ts'
import { findProduct, type Product } from './catalogue.ts'

/** A product and how many pieces of it. */
export interface Order {
  readonly product: Product
  readonly quantity: number
}

/** What is wrong with one field, and what is allowed in it. */
export interface Problem {
  readonly field: string
  /** One sentence that names both: `Field "quantity" is "many"; allowed: a whole number from 1 to 20`. */
  readonly message: string
}

/** An order, or every problem with what was sent. */
export type OrderReading =
  | { readonly isUsable: true; readonly order: Order }
  | { readonly isUsable: false; readonly problems: readonly Problem[] }

const allowed = {
  product: 'the slug of a product, such as "lion-knocker"',
  quantity: `a whole number from 1 to ${maxQuantity}`,
} as const

const productSchema = v.pipe(
  v.string(),
  v.rawTransform(({ dataset, addIssue, NEVER }) => {
    const product = findProduct(dataset.value)
    if (product === undefined) {
      addIssue({ message: 'unknown product' })
      return NEVER
    }
    return product
  }),
)

// A form sends digits, JSON a number.
const quantitySchema = v.pipe(
  v.union([v.number(), v.pipe(v.string(), v.regex(/^\s*\d{1,3}\s*$/), v.transform(Number))]),
  v.integer(),
  v.minValue(1),
  v.maxValue(maxQuantity),
)

const orderSchema = v.object({ product: productSchema, quantity: v.optional(quantitySchema, 1) })

/** Reads an order: `{ product: 'lion-knocker', quantity: 2 }`; without a quantity it is one piece. */
export function readOrder(sent: unknown): OrderReading {
  const result = v.safeParse(orderSchema, sent)
  if (result.success) return { isUsable: true, order: result.output }
  if (!isFields(sent)) {
    const message = `The body is ${describe(sent)}; allowed: an object with the fields "product" and "quantity"`
    return { isUsable: false, problems: [{ field: '', message }] }
  }
  const fields = new Set(result.issues.map((issue) => String(issue.path?.[0]?.key)))
  const problems = (['product', 'quantity'] as const)
    .filter((field) => fields.has(field))
    .map((field) => ({ field, message: `Field "${field}" is ${describe(sent[field])}; allowed: ${allowed[field]}` }))
  return { isUsable: false, problems }
}

/** What keeps an order out of a basket: too many pieces of one product. `undefined` when it fits. */
export function roomProblem({ product, quantity }: Order, basket: Basket): Problem | undefined {
  const room = basket.roomFor(product)
  if (quantity <= room) return undefined
  const already = `the basket takes ${maxQuantity} of a product and holds ${maxQuantity - room}`
  return {
    field: 'quantity',
    message: `Field "quantity" is ${quantity}; allowed: at most ${room} more, because ${already}`,
  }
}

/** Form fields as the record that `readOrder` takes; the first value of a name counts. */
export function fieldsOf(form: ReadonlyMap<string, readonly string[]>): Record<string, string | undefined> {
  return { product: form.get('product')?.[0], quantity: form.get('quantity')?.[0] }
}

function isFields(sent: unknown): sent is Readonly<Record<string, unknown>> {
  return typeof sent === 'object' && sent !== null && !Array.isArray(sent)
}

function describe(value: unknown): string {
  if (value === undefined) return 'missing'
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value)
  return Array.isArray(value) ? 'a list' : 'an object'
}
