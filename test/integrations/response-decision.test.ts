// The decision about a framework's response, as a table.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  type ResponseDecision,
  type ResponseFacts,
  namedForm,
  decideResponse,
} from '../../src/integrations/decide-head.ts'

const page: ResponseFacts = {
  status: 200,
  isHead: false,
  isAdmitted: true,
  names: 'html',
  asksForPage: true,
  isJson: false,
  isPage: true,
  hasFailed: false,
  isDefault: false,
  errorPage: 'framework',
}
const failed: ResponseFacts = { ...page, status: 500, isPage: false, hasFailed: true, isDefault: true }
const own: ResponseFacts = { ...failed, isDefault: false }

const table: readonly (readonly [what: string, facts: ResponseFacts, decision: ResponseDecision])[] = [
  ['a page', page, 'toolbar'],
  ['a page for a stranger', { ...page, isAdmitted: false }, 'as it is'],
  ['a page that is fetched', { ...page, asksForPage: false }, 'as it is'],
  ['a page for */*', { ...page, names: null }, 'as it is'],
  ['a page for an agent', { ...page, names: 'markdown' }, 'as it is'],
  ['the head of a page', { ...page, isHead: true }, 'as it is'],
  ['the page of a redirect', { ...page, status: 302 }, 'as it is'],
  ['JSON', { ...page, isPage: false }, 'as it is'],
  ['a default error response', failed, 'page'],
  ['a default error response for an agent', { ...failed, names: 'markdown' }, 'page'],
  ['a default error response for JSON', { ...failed, names: 'json' }, 'page'],
  ['a default error response in JSON', { ...failed, names: 'json', isJson: true }, 'as it is'],
  ['a default error response in JSON, for text', { ...failed, names: 'text', isJson: true }, 'page'],
  ['a default error response for */*', { ...failed, names: null }, 'as it is'],
  ['a default error response for a stranger', { ...failed, isAdmitted: false }, 'as it is'],
  ['a default error response to HEAD', { ...failed, isHead: true }, 'page'],
  ['a default error response, pages off', { ...failed, errorPage: false }, 'as it is'],
  ['a default response without a known error', { ...failed, hasFailed: false }, 'as it is'],
  ['a default response that is no error', { ...failed, status: 302 }, 'as it is'],
  ['a default 404', { ...failed, status: 404 }, 'page'],
  ['an own error response', own, 'as it is'],
  ['an own error page', { ...own, isPage: true }, 'toolbar'],
  ['an own error response, pages in place of own', { ...own, errorPage: 'browser' }, 'page'],
  ['an own 4xx, pages in place of own', { ...own, status: 422, errorPage: 'browser' }, 'as it is'],
  ['an own error response for an agent', { ...own, names: 'markdown', errorPage: 'browser' }, 'as it is'],
  ['an own error response without a known error', { ...own, hasFailed: false, errorPage: 'browser' }, 'as it is'],
]

describe('the decision about a response', () => {
  for (const [what, facts, decision] of table) {
    it(`${what}: ${decision}`, () => assert.equal(decideResponse(facts), decision))
  }
})

describe('the form that a client names', () => {
  for (const [accept, named] of [
    [undefined, null],
    ['*/*', null],
    ['application/json', 'json'],
    ['application/json, text/plain, */*', 'json'],
    ['application/problem+json', 'json'],
    ['text/*', null],
    ['text/plain', 'text'],
    ['text/css, */*;q=0.1', null],
    ['text/html', 'html'],
    ['application/xhtml+xml', 'html'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'html'],
    ['application/json, text/html;q=0.5', 'json'],
    ['text/html;q=0.5, */*', 'html'],
    ['text/markdown', 'markdown'],
    ['text/markdown, text/html;q=0.9', 'markdown'],
    ['not a header', null],
  ] as const) {
    it(`${accept}: ${named}`, () => assert.equal(namedForm(accept), named))
  }
})
