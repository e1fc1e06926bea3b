// A comparison as Markdown, for tickets, chats and agents. Whatever comes from a request stands in code spans.

import { codeSpan } from '../../../errors/markdown-text.ts'
import type { FigureComparison, TextComparison } from '../../compare/compare.ts'
import type { Compared } from './compare-view.ts'
import { changeText, deltaText, figureText, sideText, unitOf } from './difference-text.ts'

/** Differences of one section at most. */
const maxRows = 50

/** The sides, then every section with what differs. */
export function compareMarkdown({ a, b, comparison }: Compared): string {
  const sides = `- A: ${codeSpan(sideText(a))}\n- B: ${codeSpan(sideText(b))}\n\nA against B: + means that A has more.`
  const sections = comparison.sections.flatMap((section) => sectionOf(section) ?? [])
  const nothing = comparison.differenceCount === 0 ? ['Nothing differs.'] : []
  return `${['# Comparison of profiles', sides, ...nothing, ...sections].join('\n\n')}\n`
}

function sectionOf(section: FigureComparison | TextComparison): string | null {
  const { title, missing, differences } = section
  if (missing !== null) return `## ${title}\n\nNot compared: ${codeSpan(missing)}`
  if (differences.length === 0) return null
  const lines = section.kind === 'figures' ? figureLines(section) : textLines(section)
  const rest = differences.length > maxRows ? [`- and ${differences.length - maxRows} more`] : []
  return `## ${title}\n\n${[...lines, ...rest].join('\n')}`
}

function figureLines({ differences, measures }: FigureComparison): string[] {
  return differences.slice(0, maxRows).map((difference) => {
    const { name, figures } = difference
    const mark = changeText(difference, measures)
    const parts = figures.flatMap((figure, index) => {
      const measure = measures[index]
      if (measure === undefined || figure.delta === 0) return []
      const unit = unitOf(name, measure)
      const label = measure.label === '' ? '' : `${measure.label} `
      return [`${label}${deltaText(figure, unit)}, ${figureText(figure.a, unit)} against ${figureText(figure.b, unit)}`]
    })
    return `- ${codeSpan(name.replace(/, ms$/, ''))}${mark === '' ? '' : ` (${mark})`}: ${parts.join('; ')}`
  })
}

function textLines({ differences }: TextComparison): string[] {
  return differences.slice(0, maxRows).map(({ name, a, b }) => `- ${codeSpan(name)}: A ${textOf(a)}, B ${textOf(b)}`)
}

function textOf(text: string | null): string {
  return text === null ? 'none' : codeSpan(text.slice(0, 500))
}
