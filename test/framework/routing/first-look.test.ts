// What the first look turns away must be no path of the table, in whatever encoding it comes.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FirstLook } from '../../../src/framework/routing/first-look.ts'
import { RouteCollection } from '../../../src/framework/routing/route-collection.ts'
import { RouteTable } from '../../../src/framework/routing/route-table.ts'

function lookAt(...paths: readonly string[]): FirstLook | null {
  const routes = new RouteCollection()
  paths.forEach((path, index) => routes.add({ name: `r${index}`, path, handler: () => new Response() }))
  const table = new RouteTable(routes)
  return FirstLook.of(table.statics.keys(), table.root)
}

describe('FirstLook', () => {
  const look = lookAt('/users/{id}', '/about', '/api', '/reports/all')

  it('turns away what begins like no route', () => {
    for (const path of ['/favicon.ico', '/wp-login.php', '/.env.local'])
      assert.equal(look?.isStranger(path), true, path)
  })

  it('lets pass what may be a route in another form', () => {
    for (const path of [
      '/users/1',
      '/about',
      '/about/',
      '/api/',
      '/api',
      '/%61bout',
      '/ab%6fut',
      '/abou%74',
      '/reports/all',
    ]) {
      assert.equal(look?.isStranger(path), false, path)
    }
  })

  it('is not there for a table with a parameter at the beginning', () => {
    assert.equal(lookAt('/{page}'), null)
    assert.equal(lookAt('/en/{page}'), null)
    assert.equal(lookAt('/{path<.+>}'), null)
    assert.notEqual(lookAt('/docs/{page}'), null)
  })
})
