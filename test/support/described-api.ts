// Asks a profiler for JSON and holds every response to the OpenAPI document: address, status, media type, content.

import assert from 'node:assert/strict'
import addFormats from 'ajv-formats'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { OpenApiDocument } from '../../src/profiler/web/openapi/openapi-document.ts'

/** The parts of a response that are checked. */
export interface AnsweredRequest {
  readonly status: number
  readonly contentType: string
  readonly body: string
}

interface MediaType {
  readonly schema: object
  readonly 'x-events'?: Readonly<Record<string, object>>
}

interface DescribedResponse {
  readonly content?: Readonly<Record<string, MediaType>>
}

export class DescribedApi {
  readonly document: OpenApiDocument
  /** What was checked: `get /_profiler/index.json 200`. */
  readonly seen: Set<string> = new Set()
  readonly #ajv: Ajv2020
  readonly #validators = new Map<object, ValidateFunction>()

  constructor(document: OpenApiDocument) {
    this.document = document
    this.#ajv = new Ajv2020({ allErrors: true, strictTypes: false, keywords: ['components'] })
    addFormats.default(this.#ajv)
    this.#ajv.addSchema({ $id: 'openapi', components: document.components })
  }

  /** Every described operation and status. */
  get described(): readonly string[] {
    return Object.entries(this.document.paths).flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, { responses }]) =>
        Object.keys(responses).map((status) => `${method} ${path} ${status}`),
      ),
    )
  }

  /** Fails for a response that the document does not describe. `target` is path and query. */
  check(method: string, target: string, { status, contentType, body }: AnsweredRequest): void {
    const path = this.#pathOf(target.replace(/\?.*/, ''), method.toLowerCase())
    const operation = this.document.paths[path]?.[method.toLowerCase()]
    const response = operation?.responses[String(status)] as DescribedResponse | undefined
    const place = `${method} ${target} ${status}`
    assert.ok(response !== undefined, `${place} is not described: ${body.slice(0, 500)}`)
    this.seen.add(`${method.toLowerCase()} ${path} ${status}`)
    if (response.content === undefined) return
    const type = contentType.replace(/;.*/, '')
    const media = response.content[type]
    assert.ok(media !== undefined, `${place} sends ${type}`)
    if (type === 'application/json') this.#validate(media.schema, JSON.parse(body), place)
    for (const [, event = '', data = ''] of body.matchAll(/^event: (.*)\ndata: (.*)$/gm)) {
      const schema = media['x-events']?.[event]
      if (media['x-events'] !== undefined) assert.ok(schema !== undefined, `${place} sends the event ${event}`)
      if (schema !== undefined) this.#validate(schema, JSON.parse(data), `${place} ${event}`)
    }
  }

  /** Fails for a value that is not as the named schema says. */
  checkValue(name: string, value: unknown): void {
    this.#validate({ $ref: `#/components/schemas/${name}` }, value, name)
  }

  #validate(schema: object, value: unknown, place: string): void {
    let validate = this.#validators.get(schema)
    if (validate === undefined) {
      validate = this.#ajv.compile(
        JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"openapi#/components/')) as object,
      )
      this.#validators.set(schema, validate)
    }
    if (validate(value)) return
    const errors = (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    )
    assert.fail(`${place} is not as described:\n${errors.slice(0, 20).join('\n')}`)
  }

  /** The template that the path fits; one without a parameter goes first. */
  #pathOf(path: string, method: string): string {
    const fitting = Object.entries(this.document.paths)
      .filter(([template, operations]) => method in operations && patternOf(template).test(path))
      .map(([template]) => template)
      .sort((one, other) => one.split('{').length - other.split('{').length)
    return fitting[0] ?? path
  }
}

function patternOf(template: string): RegExp {
  const escaped = template.replace(/[.?+*^$()[\]\\|]/g, '\\$&')
  return new RegExp(`^${escaped.replace(/\{[^}]+\}/g, '[^/]+')}$`)
}
