// Why a statement failed, in the words of the server, which repeats values that do not belong into a profile.

/**
 * The message without the values it quotes after words that announce one: `Duplicate entry ? for key 'PRIMARY'`. What the
 * statement shows of itself stays (`text`, without its values), so do names of tables and constraints.
 */
export function failureText(message: string, text: string): string {
  return message.replace(announced, (part: string, words: string, quoted: string) =>
    text.includes(quoted.slice(1, -1)) ? part : `${words}?`,
  )
}

/** The last quote of a message that was cut is missing. */
const announced =
  /((?:\b(?:entry|value|values|near|input)|:) )("(?:[^"]|"")*(?:"|$)|'(?:[^'\\]|\\[^]|''|'(?=\w))*(?:'(?!\w)|$))/g
