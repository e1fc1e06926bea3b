// Template engines: `eta`, `ejs`, `nunjucks`, `handlebars`.

import { isAbsolute } from 'node:path'
import { renderObserved } from '../../capture/begin-query.ts'
import { hasMethods, wrapMethod, type Observable } from './wrap-method.ts'
import { membersOf } from '../../base/members.ts'

/** The methods that its renderings go through are of the object, not of its class. */
export const eta: Observable = {
  what: 'an Eta of eta',
  fits: (target) =>
    hasMethods(target, ['render', 'renderAsync', 'renderString', 'compile']) && 'templatesSync' in target,
  observe: (target) => {
    for (const name of ['render', 'renderAsync']) {
      wrapMethod(target, name, (own, args, run) =>
        // A function is a text that was compiled just now.
        typeof args[0] === 'string'
          ? renderObserved(() => ({ engine: 'eta', name: etaName(own, args) }), args, run)
          : run(),
      )
    }
    for (const name of ['renderString', 'renderStringAsync']) {
      wrapMethod(target, name, (_own, args, run) =>
        renderObserved(() => ({ engine: 'eta', name: null, text: String(args[0]) }), args, run),
      )
    }
  },
}

/** The file that the template is read from; a name that was given to a text begins with `@`. */
function etaName(eta: object, [template, , options]: readonly unknown[]): string {
  const name = String(template)
  const { resolvePath } = membersOf(eta)
  if (typeof resolvePath !== 'function' || name.startsWith('@')) return name
  return String(Reflect.apply(resolvePath, eta, [name, options]))
}

/** Everything that it renders was compiled by this method, what a template includes too. */
export const ejs: Observable = {
  what: 'ejs',
  fits: (target) =>
    hasMethods(target, ['compile', 'render', 'renderFile', 'clearCache']) && Object.isExtensible(target),
  observe: (target) =>
    wrapMethod(target, 'compile', (_own, args, run) => {
      const [text, options] = args
      const { filename } = membersOf(options)
      const name = typeof filename === 'string' ? filename : null
      return renderedBy(run(), () => ({ engine: 'ejs', name, text: String(text) }))
    }),
}

/** Templates are asked for by name, by other templates too. */
export const nunjucks: Observable = {
  what: 'an Environment of nunjucks',
  fits: (target) => hasMethods(target, ['getTemplate', 'renderString', 'addFilter', 'addGlobal']),
  observe: (target) => {
    wrapMethod(target, 'getTemplate', (_own, args, run) => {
      const [name] = args
      const take = (template: unknown): void => observeTemplate(template, typeof name === 'string' ? name : null)
      const callback = args.at(-1)
      if (typeof callback !== 'function') {
        const template = run()
        take(template)
        return template
      }
      const taken = (thrown: unknown, template: unknown): unknown => {
        take(template)
        return Reflect.apply(callback, undefined, [thrown, template])
      }
      return run([...args.slice(0, -1), taken])
    })
    wrapMethod(target, 'renderString', (_own, args, run) =>
      renderObserved(() => ({ engine: 'nunjucks', name: null, text: String(args[0]) }), args, run),
    )
  },
}

function observeTemplate(template: unknown, name: string | null): void {
  if (typeof template !== 'object' || template === null || !hasMethods(template, ['render'])) return
  const { path } = membersOf(template)
  const shown = typeof path === 'string' && isAbsolute(path) ? path : name
  wrapMethod(template, 'render', (_own, args, run) =>
    renderObserved(() => ({ engine: 'nunjucks', name: shown }), args, run),
  )
}

/** Its templates have no names; partials are compiled by it as well. */
export const handlebars: Observable = {
  what: 'handlebars',
  fits: (target) =>
    hasMethods(target, ['compile', 'precompile', 'registerPartial', 'registerHelper']) && Object.isExtensible(target),
  observe: (target) => {
    wrapMethod(target, 'compile', (_own, args, run) =>
      renderedBy(run(), () => ({
        engine: 'handlebars',
        name: null,
        ...(typeof args[0] === 'string' ? { text: args[0] } : {}),
      })),
    )
    wrapMethod(target, 'create', (_own, _args, run) => {
      const made = run()
      if (typeof made === 'object' && made !== null) handlebars.observe(made)
      return made
    })
  },
}

/** A compiled template that reports each of its renderings; in everything else it is as it was. */
function renderedBy(compiled: unknown, template: Parameters<typeof renderObserved>[0]): unknown {
  if (typeof compiled !== 'function') return compiled
  return new Proxy(compiled, {
    apply: (render, own, args) => renderObserved(template, args, (given) => Reflect.apply(render, own, given)),
  })
}
