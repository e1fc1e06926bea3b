// Frequent words that are one token for models, even after a space or a sign: what `countTokens` need not guess. A test holds each
// of them against two tokenizers.

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
