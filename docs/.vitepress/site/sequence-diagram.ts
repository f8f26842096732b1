/** Draws the subset of Mermaid's sequence diagrams that the pages use as an SVG, with the colors of the theme. */

type Step =
  | { kind: 'message'; from: number; to: number; isReply: boolean; text: string }
  | { kind: 'note'; from: number; to: number; text: string }
  | { kind: 'divider'; text: string }

type Diagram = { title: string; participants: string[]; steps: Step[] }

const LANE_WIDTH = 176
const LINE_HEIGHT = 17
const CHARACTER_WIDTH = 6.7
const HEADER_HEIGHT = 40
const GAP = 22
/** Space for the text of the last participant's own work. */
const LOOP_MARGIN = 84

const FORMS = {
  title: /^accTitle: (.+)$/,
  participant: /^participant (\w+) as (.+)$/,
  message: /^(\w+)(--?>>)(\w+): (.+)$/,
  note: /^Note over (\w+)(?:, ?(\w+))?: (.+)$/,
  divider: /^(?:alt|else|opt) (.+)$/,
  ignored: /^(?:sequenceDiagram|end|)$/,
}

export const drawSequence = (source: string): string => {
  const { title, participants, steps } = parse(source)
  const last = participants.length - 1
  const needsMargin = steps.some(step => step.kind === 'message' && step.from === last && step.to === last)
  const width = participants.length * LANE_WIDTH + (needsMargin ? LOOP_MARGIN : 0)
  let y = HEADER_HEIGHT + GAP
  const drawn = steps.map(step => {
    const { svg, height } = draw(step, y, width)
    y += height
    return svg
  })
  const lanes = participants.map((label, lane) => drawLane(label, lane, y))
  return (
    `<figure class="diagram" tabindex="0"><svg role="img" aria-label="${escape(title)}" viewBox="0 0 ${width} ${y + 8}" width="${width}" height="${y + 8}">` +
    `<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto-start-reverse"><path class="arrow-head" d="M0 0.6 7.4 4 0 7.4Z"/></marker></defs>` +
    `${lanes.join('')}${drawn.join('')}</svg></figure>\n`
  )
}

const parse = (source: string): Diagram => {
  const names: string[] = []
  const diagram: Diagram = { title: '', participants: [], steps: [] }
  const lane = (name: string): number => {
    const index = names.indexOf(name)
    if (index === -1) throw new Error(`The diagram has no participant "${name}".`)
    return index
  }
  for (const line of source.split('\n').map(text => text.trim())) {
    const [form, found] = matchForm(line)
    const [, a = '', b = '', c = '', d = ''] = found
    if (form === 'title') diagram.title = a
    if (form === 'participant') {
      names.push(a)
      diagram.participants.push(b)
    }
    if (form === 'message')
      diagram.steps.push({
        kind: 'message',
        from: lane(a),
        to: lane(c),
        isReply: b.startsWith('--'),
        text: d,
      })
    if (form === 'note')
      diagram.steps.push({ kind: 'note', from: lane(a), to: lane(b === '' ? a : b), text: c })
    if (form === 'divider') diagram.steps.push({ kind: 'divider', text: a })
  }
  if (diagram.title === '') throw new Error('The diagram has no accTitle.')
  return diagram
}

const matchForm = (line: string): [form: string, found: RegExpExecArray] => {
  for (const [form, pattern] of Object.entries(FORMS)) {
    const found = pattern.exec(line)
    if (found) return [form, found]
  }
  throw new Error(`The site draws no such line in a diagram: "${line}".`)
}

const centerOf = (lane: number): number => (lane + 0.5) * LANE_WIDTH

const drawLane = (label: string, lane: number, bottom: number): string => {
  const x = centerOf(lane)
  const half = LANE_WIDTH / 2 - 8
  return (
    `<line class="lane" x1="${x}" x2="${x}" y1="${HEADER_HEIGHT}" y2="${bottom}"/>` +
    `<rect class="participant" x="${x - half}" y="1" width="${half * 2}" height="${HEADER_HEIGHT - 8}" rx="9"/>` +
    `<text class="name" x="${x}" y="21.5" text-anchor="middle">${escape(label)}</text>`
  )
}

const draw = (step: Step, y: number, width: number): { svg: string; height: number } => {
  if (step.kind === 'message') return step.from === step.to ? drawLoop(step, y) : drawArrow(step, y)
  return step.kind === 'note' ? drawNote(step, y) : drawDivider(step, y, width)
}

const drawArrow = ({ from, to, isReply, text }: Step & { kind: 'message' }, y: number) => {
  const lines = wrap(text, Math.abs(to - from) * LANE_WIDTH - 24)
  const at = y + lines.length * LINE_HEIGHT + 2
  const side = to > from ? -3 : 3
  const middle = (centerOf(from) + centerOf(to)) / 2
  return {
    svg: `${drawLines(lines, middle, y + 11)}<line class="${isReply ? 'reply' : 'message'}" x1="${centerOf(from)}" x2="${centerOf(to) + side}" y1="${at}" y2="${at}" marker-end="url(#arrow)"/>`,
    height: lines.length * LINE_HEIGHT + GAP,
  }
}

/** A participant's own work: the text is beside its lane. */
const drawLoop = ({ from, text }: Step & { kind: 'message' }, y: number) => {
  const lines = wrap(text, LANE_WIDTH - 30)
  const height = Math.max(lines.length * LINE_HEIGHT, 24)
  const x = centerOf(from)
  return {
    svg: `<path class="message" d="M${x} ${y + 4}h14a5 5 0 0 1 5 5v${height - 14}a5 5 0 0 1-5 5h-11" marker-end="url(#arrow)"/>${drawLines(lines, x + 27, y + 14, 'start')}`,
    height: height + GAP - 6,
  }
}

const drawNote = ({ from, to, text }: Step & { kind: 'note' }, y: number) => {
  const left = centerOf(from) - LANE_WIDTH / 2 + 10
  const width = (to - from + 1) * LANE_WIDTH - 20
  const lines = wrap(text, width - 24)
  const height = lines.length * LINE_HEIGHT + 12
  return {
    svg: `<rect class="note" x="${left}" y="${y}" width="${width}" height="${height}" rx="8"/>${drawLines(lines, left + width / 2, y + 18)}`,
    height: height + GAP - 4,
  }
}

const drawDivider = ({ text }: { text: string }, y: number, width: number) => ({
  svg: `<line class="divider" x1="4" x2="${width - 4}" y1="${y + 1}" y2="${y + 1}"/><text class="condition" x="8" y="${y + 19}">${escape(text)}</text>`,
  height: LINE_HEIGHT + GAP - 6,
})

const drawLines = (lines: string[], x: number, y: number, anchor = 'middle'): string =>
  `<text x="${x}" text-anchor="${anchor}">${lines
    .map((line, index) => `<tspan x="${x}" y="${y + index * LINE_HEIGHT}">${escape(line)}</tspan>`)
    .join('')}</text>`

const wrap = (text: string, width: number): string[] => {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && (last.length + 1 + word.length) * CHARACTER_WIDTH <= width)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

const escape = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('"', '&quot;')
    .replaceAll('{', '&#123;')
    .replaceAll('}', '&#125;')
