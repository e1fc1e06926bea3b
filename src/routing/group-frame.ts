// What a group gives to the routes in it.

import type { AnyHandlerOptions, GroupOptions } from './route-options.ts'
import type { RouteParts } from './route.ts'
import { handlerOptionsOf } from './definition-types.ts'

/** What the groups around a route give, put together. */
export interface Frame extends Pick<GroupOptions, 'name' | 'path' | 'host' | 'requirements' | 'defaults'> {
  /** Options around handlers, the outermost group first. */
  readonly groupOptions?: readonly AnyHandlerOptions[]
}

/** Where the routes of a group are, and what is around their handlers. */
export interface Area extends Pick<RouteParts, 'name' | 'path' | 'host' | 'requirements' | 'groupOptions'> {}

/** Gives nothing. */
export const noFrame: Frame = Object.freeze({})

/** The frame of a group inside another one. */
export function innerFrame(frame: Frame, options: GroupOptions<never>): Frame {
  const host = options.host ?? frame.host
  return {
    ...(host === undefined ? {} : { host }),
    name: (frame.name ?? '') + (options.name ?? ''),
    path: joinPath(frame.path ?? '', options.path ?? ''),
    requirements: { ...frame.requirements, ...options.requirements },
    defaults: { ...frame.defaults, ...options.defaults },
    groupOptions: handlerOptionsOf(options, frame.groupOptions),
  }
}

/** A route with what the frame gives, but for the path. */
export function framed<Given extends Omit<RouteParts, 'path' | 'handler'>>(frame: Frame, given: Given): Given {
  if (frame === noFrame) return given
  return {
    ...given,
    ...(given.host === undefined && frame.host !== undefined ? { host: frame.host } : {}),
    name: (frame.name ?? '') + given.name,
    requirements: { ...frame.requirements, ...given.requirements },
    defaults: { ...frame.defaults, ...given.defaults },
    groupOptions: optionsAround(frame, given),
  }
}

/** The options of the frame around those of the groups inside it. */
export function optionsAround(
  { groupOptions: outer = [] }: Frame,
  { groupOptions: inner = [] }: Pick<RouteParts, 'groupOptions'>,
): readonly AnyHandlerOptions[] {
  return inner.length === 0 ? outer : [...outer, ...inner]
}

/** `/blog` and `/{slug}` give `/blog/{slug}`; nothing stays nothing, so that an inner `''` is the prefix itself. */
export function joinPath(prefix: string, path: string): string {
  const outer = prefix.trim().replaceAll(/^\/+|\/+$/g, '')
  if (outer === '') return path
  const inner = path.trim().replace(/^\/+/, '')
  return path.trim() === '' ? `/${outer}` : `/${outer}/${inner}`
}
