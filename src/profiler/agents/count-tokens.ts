// How many tokens a text has for a model at most. Tokenizers differ and weigh megabytes; this one is never less than what the
// tokenizers of GPT-4 and GPT-5 count, for any text.
//
// Both cut a text into pieces and join bytes to the longest tokens they know, so a piece has no more tokens than bytes. Where both
// know every pair of neighbours, two single letters never stay side by side: n lower-case letters have (2n + 1) / 3 tokens at most.

import { commonWords } from './common-words.ts'

/** At least the number of tokens of the text. */
export function countTokens(text: string): number {
  let count = 0
  // What went before: a piece may begin with one sign or space.
  let before = '\n'
  for (const { 0: piece, index } of text.matchAll(pieces)) {
    count += tokensOf(piece, before, text.charAt(index + piece.length))
    before = piece.at(-1) ?? ' '
  }
  return Math.ceil(count)
}

const pieces = /[A-Za-z]+|\d+| +|[^A-Za-z\d ]/gsu
/** Behind an apostrophe a word may be cut elsewhere, and behind other scripts it is part of a longer piece. */
const startsWord = /[\d\s`"(/.:=\-_[{<|&?@*#,>+!%$;)\]}~^\\]/
const digitsOfToken = 3
/** Spaces of one token at least, where so many follow each other. */
const spacesOfToken = 16

function tokensOf(piece: string, before: string, after: string): number {
  const first = piece.charCodeAt(0)
  if (first === 32) return 1 + (piece.length > 1 ? 1 + Math.floor(piece.length / spacesOfToken) : 0)
  if (first >= 48 && first <= 57) return Math.ceil(piece.length / digitsOfToken)
  if (!isLetter(first)) return first < 128 ? 1 : Buffer.byteLength(piece)
  // A space in front belongs to the token of a known word.
  if (isKnown(piece, before, after)) return before === ' ' ? 0 : 1
  return lettersCost(piece)
}

function isKnown(piece: string, before: string, after: string): boolean {
  return commonWords.has(piece) && startsWord.test(before) && (after === '' || after.charCodeAt(0) < 128)
}

function isLetter(code: number): boolean {
  return (code >= 65 && code <= 90) || (code >= 97 && code <= 122)
}

/** An upper-case letter counts as one: tokenizers cut words there, and know only some of its pairs. */
function lettersCost(letters: string): number {
  let cost = 0
  for (const [run] of letters.matchAll(/[A-Z]|[a-z]+/g)) {
    if (run.length === 1) cost += 1
    else cost += (2 * run.length + 1 + unknownPairsIn(run)) / 3
  }
  return cost
}

function unknownPairsIn(run: string): number {
  let count = 0
  for (let index = 1; index < run.length; index += 1) {
    if (unknownPairs.has(run.slice(index - 1, index + 1))) count += 1
  }
  return count
}

const unknownPairs: ReadonlySet<string> = new Set(
  (
    'bq fj fz gj gk gq hj jg jv jw jx jy jz kq kx kz lq mz nq oq qf qg qj qk qo qv qy qz rj tj tq uq vq vz wq wv wz xg xh xj xk xq xu ' +
    'xv xw yf yj yq yv zg zj zq zr zv'
  ).split(' '),
)
