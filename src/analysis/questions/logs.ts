// The lines that all requests logged, the newest first.

import { counted, formatCount, formatTime, type Tone } from '../../base/html/components.ts'
import { isProblem, logLevels } from '../../base/log/logger.ts'
import { empty, recorded, text, wideTable } from '../../observe/blocks/blocks.ts'
import { lineAnchor, loggerName } from '../../observe/collectors/logger.ts'
import { gatheredFrom } from './groups.ts'
import { noneReachable } from '../../profiles/profile-store.ts'
import { pathLine, shortened } from '../../profiles/profile-facts.ts'
import { isNarrowing, oneOf, question, type Question } from '../../pages/question.ts'

/** Characters of a cell. */
const maxMessage = 180
const maxRequest = 60

export const logs: Question = question({
  name: 'logs',
  label: 'Logs',
  title: () => 'Logs',
  command: 'profiles logs',
  about: 'list the newest lines of the log of all requests',
  isFiltered: true,
  isRenewed: 'with new profiles',
  searches: 'Words of a line',
  rows: 100,
  parameters: {
    level: oneOf(['problems', ...logLevels], undefined, {
      label: 'Level',
      help: `problems (warnings and errors), ${logLevels.join(', ')} (default: all)`,
      buttons: { '': 'All', problems: 'Problems', error: 'Errors', warn: 'Warnings', info: 'Info', debug: 'Debug' },
    }),
  },
  ask: ({ profiles }, { filter: { text: words, ...filter }, limit: most = 100, values: { level = '' } }) =>
    profiles.gather({ ...filter, withSubRequests: true }, { of: 'lines', level, words, most }),
  draw: (found, { filter, values: { level } }) => {
    const { lines, omitted } = found
    if (lines.length === 0) {
      if (found.missing !== undefined) return [empty(noneReachable)]
      return [
        empty(isNarrowing(filter) || level !== undefined ? 'No line matches.' : 'No request has logged anything.'),
      ]
    }
    const shown =
      omitted > 0
        ? `The newest ${formatCount(lines.length)} lines`
        : `${counted(lines.length, 'line')}, the newest first`
    return [
      text(`${shown}, in ${gatheredFrom(found, 'with lines')}.`),
      wideTable(
        'Lines of the log, the newest first',
        'line',
        ['Message', 'Level', 'Channel', 'Request', { number: 'Time (UTC)' }],
        lines.map((line) => {
          const tone = toneOf(line.level)
          const cells = [
            recorded(shortened(line.message, maxMessage)),
            tone === 'neutral' ? line.level : { strong: line.level },
            recorded(line.channel),
            recorded(shortened(pathLine(line), maxRequest)),
            {
              profile: line.token,
              panel: loggerName,
              at: lineAnchor(line.index),
              text: formatTime(line.time).slice(5),
            },
          ]
          return { tone, cells }
        }),
      ),
    ]
  },
})

function toneOf(level: string): Tone {
  const known = logLevels.find((one) => one === level)
  if (known === undefined || !isProblem(known)) return 'neutral'
  return known === 'warn' ? 'warning' : 'error'
}
