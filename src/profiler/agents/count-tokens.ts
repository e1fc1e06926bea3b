// How many tokens a text has for a model at most. Tokenizers differ and weigh megabytes; this one is never less than what the
// tokenizers of GPT-4 and GPT-5 count, for any text.
//
// Both cut a text into pieces and join bytes to the longest tokens they know, so a piece has no more tokens than bytes. Where both
// know every pair of neighbours, two single letters never stay side by side: n lower-case letters have (2n + 1) / 3 tokens at most.

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

const lines =
  'about above access add address after again Agent all allowed also an and AND another answer any API api app APP application are ' +
  'args argument arguments around AS as asks async at auto await back background base batch be before below binding block body ' +
  'boolean both box browser budget but BY by bytes call called calls can cannot capture case catch category cause chain change ' +
  'changes charset check child class client close code column come comes command commands compare comparison components config ' +
  'connection const constructor content Content context continue cookie cookies copy count COUNT counts current cut data database ' +
  'Date debug Default default define delete DELETE depth detail details display do document does each editor else empty end ended ' +
  'ends entries entry env error Error errors event every example exception exchange Exchange export extends facts failed failure ' +
  'false family fault fetch field fields file files filter filters find first fleet for found frame Frame frames framework from FROM ' +
  'full function functions GET get gets given grid group groups gzip handler has have HEAD head header headers height here hidden ' +
  'hint holder holds host Host how href html HTML http HTTP https ID id if import in IN includes index inner input INSERT insert ' +
  'inside interface into is IS it item items its join JSON json keep kernel key keys kind known label last LEFT left Left length let ' +
  'level library light limit LIMIT limits line lines Lines link links list listener listeners lists live load localhost location ' +
  'Location lock log Log logger long look lookup loop machine made main maintenance many map Map mark match matches max may MB md ' +
  'member members memory message meter method milliseconds min missing modules more most Mozilla ms must name Name named names near ' +
  'needs never new next no node Node none NOT not Not note notes now npm null NULL number Number object Object of ON on once one ones ' +
  'only open option options OR or order ORDER origin other others out over own owner package page pages panel Panel parameter ' +
  'parameters params parent part parts PATCH path pattern performance piece place places plain plugins pool port POST price problem ' +
  'process product profile Profile profiles Profiles program project Promise properties property push PUT queries Queries query queue ' +
  'range rate read readonly reads reason record Record records redirect redis reference relative rem reply Reply request requests ' +
  'response rest result return right root route Route routes routing row rows rules run running runs said same say scope search ' +
  'second seconds section seen select SELECT send sent sentence server Server SET set Set settings share show shown shows side since ' +
  'site size slice slow small so some source sources space span Span SQL sql src stack start starts state stats status Status step ' +
  'steps stop store stores stream string String such sum summary syntax system table take takes target test text texts than that the ' +
  'their them then there they this those thread throw throws time Time timeline timer times title to token Token tokens too tools top ' +
  'total trace trail Trail tree true try ts two type Type typeof types undefined under unknown until up update UPDATE URL url use Use ' +
  'used user User users UTC valid value values var version view void wait wanted warning was web weight were what when where WHERE ' +
  'which while whole whose why width with within without word words work would wrap write written wrong you your'

export const commonWords: ReadonlySet<string> = new Set(lines.split(' '))
