// The fields by which the answer to a recorded request differs from the next one of its route.

/** Their names, in lower case. They stand behind all others; their values are visible ASCII. */
export const recordedAnswerFields: ReadonlySet<string> = new Set([
  'x-debug-token',
  'x-debug-token-link',
  'server-timing',
])
