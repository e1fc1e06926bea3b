// Names the subject of a decision for people.

const maxLength = 200

/** `Order 7`, `Order`, `"report"`; `null` where there is none. Never throws. */
export function subjectName(subject: unknown): string | null {
  try {
    return nameOf(subject)?.slice(0, maxLength) ?? null
  } catch {
    return 'an object'
  }
}

function nameOf(subject: unknown): string | null {
  if (subject === undefined || subject === null) return null
  if (typeof subject === 'string') return JSON.stringify(subject.slice(0, maxLength))
  if (typeof subject === 'function') return subject.name || 'a function'
  if (typeof subject !== 'object') return typeof subject === 'symbol' ? 'a symbol' : `${subject as number | bigint}`
  if (Array.isArray(subject)) return `a list of ${subject.length}`
  const constructor: unknown = Reflect.get(subject, 'constructor')
  const kind = typeof constructor === 'function' && constructor !== Object ? constructor.name : 'object'
  const id: unknown = Reflect.get(subject, 'id')
  return typeof id === 'string' || typeof id === 'number' || typeof id === 'bigint' ? `${kind} ${id}` : kind
}
