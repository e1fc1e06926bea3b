// The clients of the driver `mongodb`. They report commands only when they are made so, so the class is made to make them so.

import type { Observer } from '../integration.ts'

/** Takes the exports of the module that defines the class. Throws a TypeError if they have none. */
export function observeMongoClients(exports: unknown, observe: (client: object) => void, observer: Observer): void {
  const { MongoClient } = Object(exports) as { readonly MongoClient?: unknown }
  if (typeof MongoClient !== 'function') throw new TypeError('there is no class MongoClient')
  const construct = (target: object, args: readonly unknown[], newTarget: unknown): object => {
    const [url, options, ...rest] = args
    const make = (given: unknown): object =>
      Reflect.construct(target as NewableFunction, [url, given, ...rest], newTarget as NewableFunction) as object
    if (isOfMongoose(options)) return make(options)
    // An application that says no is not overruled.
    const client = make({ monitorCommands: true, ...Object(options) })
    if (Reflect.get(Object(Reflect.get(client, 'options')), 'monitorCommands') === true) {
      observer.guard('mongodb: client', () => observe(client))
    }
    return client
  }
  Reflect.set(Object(exports), 'MongoClient', new Proxy(MongoClient, { construct }))
}

/** Mongoose publishes what it sends. */
function isOfMongoose(options: unknown): boolean {
  const driver: unknown = Reflect.get(Object(options), 'driverInfo')
  return Reflect.get(Object(driver), 'name') === 'Mongoose'
}
