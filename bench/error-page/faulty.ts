// The errors that every contestant draws. They are thrown by real calls in files of this folder, so that each frame has
// source of its own to be shown.

import { NotFoundHttpError } from '../../src/base/http/http-error.ts'
import { ResourceNotFoundError } from '../../src/routing/errors.ts'
import { openOrder } from './faulty-orders.ts'

/** One error to draw, made anew each time. */
export interface Fault {
  readonly name: string
  readonly statusCode: number
  readonly make: () => unknown
}

/** What is drawn, in the order of the report. */
export const faults: readonly Fault[] = [
  { name: '404', statusCode: 404, make: () => withFrames(10, unmatched) },
  { name: 'TypeError of 5 frames', statusCode: 500, make: () => withFrames(5, () => caught(showCart)) },
  {
    name: 'chain of 3, 40 frames each',
    statusCode: 500,
    make: () => withFrames(40, () => caught(() => openOrder(48))),
  },
]

/** Runs with as many frames as the error shall have. */
function withFrames(count: number, make: () => unknown): unknown {
  const before = Error.stackTraceLimit
  Error.stackTraceLimit = count
  try {
    return make()
  } finally {
    Error.stackTraceLimit = before
  }
}

function unmatched(): Error {
  return new NotFoundHttpError('No route found for "GET http://127.0.0.1:8000/prodcuts"', {
    cause: new ResourceNotFoundError('/prodcuts'),
  })
}

function caught(run: () => unknown): unknown {
  try {
    return run()
  } catch (error) {
    return error
  }
}

interface Cart {
  readonly customer?: { readonly address: { readonly city: string } }
}

function showCart(): string {
  return describeCart({})
}

function describeCart(cart: Cart): string {
  const city = cityOf(cart)
  return `A cart for ${city}`
}

function cityOf(cart: Cart): string {
  return addressOf(cart).city
}

function addressOf(cart: Cart): { readonly city: string } {
  // Not checked on purpose: the customer is missing.
  return (cart.customer as NonNullable<Cart['customer']>).address
}
