// Draws one curve as a picture: plain SVG with a light ground, axes with labels, a line a series, and the middle half of the
// rounds as a bar at each point.

/** One point as it is drawn. */
export interface ChartPoint {
  readonly label: string
  readonly low: number
  readonly middle: number
  readonly high: number
}

/** What is drawn; every series ends at the last label, but may begin later. */
export interface Chart {
  readonly title: string
  readonly across: string
  readonly up: string
  readonly labels: readonly string[]
  readonly series: readonly { readonly name: string; readonly points: readonly ChartPoint[] }[]
}

const width = 720
const height = 400
const area = { left: 70, right: 690, top: 78, bottom: 340 }
/** Told apart by eyes that see few colours, too. */
const strokes = [
  { colour: '#0b5cad', dash: 'none' },
  { colour: '#b34700', dash: '7 4' },
  { colour: '#4d4d4d', dash: '2 4' },
]

/** The picture as a text. */
export function drawChart({ title, across, up, labels, series }: Chart): string {
  const highest = Math.max(1.2, ...series.flatMap(({ points }) => points.map(({ high }) => high)))
  const step = [0.25, 0.5, 1, 2, 5].find((one) => highest / one <= 7) ?? Math.ceil(highest / 6)
  const top = Math.ceil(highest / step) * step
  const y = (value: number): number => Math.round(area.bottom - (value / top) * (area.bottom - area.top))
  const x = (place: number): number =>
    Math.round(area.left + ((place + 0.5) / labels.length) * (area.right - area.left))
  const ticks = Array.from({ length: Math.round(top / step) + 1 }, (_, index) => index * step)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" font-family="sans-serif" font-size="13" fill="#1a1a1a">
<title>${escape(title)}</title>
<rect width="${width}" height="${height}" fill="#ffffff"/>
<text x="16" y="26" font-size="16" font-weight="bold">${escape(title)}</text>
${ticks.map((tick) => gridLine(y(tick), tick)).join('\n')}
${labels.map((one, place) => `<text x="${x(place)}" y="${area.bottom + 20}" text-anchor="middle">${escape(one)}</text>`).join('\n')}
<text x="${(area.left + area.right) / 2}" y="${height - 14}" text-anchor="middle">${escape(across)}</text>
<text transform="translate(20 ${(area.top + area.bottom) / 2}) rotate(-90)" text-anchor="middle">${escape(up)}</text>
${series.map(({ name, points }, index) => drawSeries(name, points, index, (one) => x(labels.indexOf(one)), y)).join('\n')}
</svg>
`
}

function gridLine(at: number, tick: number): string {
  const colour = tick === 0 ? '#666666' : tick === 1 ? '#999999' : '#dddddd'
  return (
    `<line x1="${area.left}" x2="${area.right}" y1="${at}" y2="${at}" stroke="${colour}"/>` +
    `<text x="${area.left - 8}" y="${at + 4}" text-anchor="end">${tick}</text>`
  )
}

function drawSeries(
  name: string,
  points: readonly ChartPoint[],
  index: number,
  x: (label: string) => number,
  y: (value: number) => number,
): string {
  const { colour, dash } = strokes[index % strokes.length] ?? { colour: '#000000', dash: 'none' }
  const line = points.map(({ label, middle }) => `${x(label)},${y(middle)}`).join(' ')
  // The bars of two series at one place are next to each other.
  const shift = index * 4
  const bars = points.map(({ label, low, high }) => {
    const at = x(label) + shift
    return `<line x1="${at}" x2="${at}" y1="${y(low)}" y2="${y(high)}" stroke="${colour}" stroke-width="5" opacity="0.35"/>`
  })
  const dots = points.map(({ label, middle }) => `<circle cx="${x(label)}" cy="${y(middle)}" r="4" fill="${colour}"/>`)
  const keyY = 48 + index * 18
  return [
    ...bars,
    `<polyline points="${line}" fill="none" stroke="${colour}" stroke-width="2" stroke-dasharray="${dash}"/>`,
    ...dots,
    `<line x1="${area.left}" x2="${area.left + 34}" y1="${keyY - 4}" y2="${keyY - 4}" stroke="${colour}" stroke-width="2" stroke-dasharray="${dash}"/>`,
    `<text x="${area.left + 42}" y="${keyY}">${escape(name)}</text>`,
  ].join('\n')
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
