// Compiled code is shared by the processes of a run (scripts/test.ts says where), also by those that get an environment of
// their own.

const directory = process.env['NODE_COMPILE_CACHE']

/** What such an environment needs for it; nothing where a test file runs alone. */
export const compiledCode: Readonly<Record<string, string>> =
  directory === undefined ? {} : { NODE_COMPILE_CACHE: directory }
