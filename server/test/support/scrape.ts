/** One value of a scrape. */
export type Sample = { name: string; labels: Record<string, string>; value: number }

const SAMPLE = /^([a-z_][a-z0-9_]*)(?:\{(.*)\})? (\S+)$/
const LABEL = /([a-z_]+)="((?:[^"\\]|\\.)*)"/g

export const scrape = async (port: number): Promise<Sample[]> => {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`)
  if (!response.ok) throw new Error(`status ${response.status}`)
  const lines = (await response.text()).split('\n').filter(line => line !== '' && !line.startsWith('#'))
  return lines.map(line => {
    const [, name, labels = '', value] = SAMPLE.exec(line) ?? []
    if (name === undefined) throw new Error(`not a sample: ${line}`)
    const pairs = [...labels.matchAll(LABEL)].map(([, label, text]) => [label, text] as const)
    return { name, labels: Object.fromEntries(pairs), value: Number(value) }
  })
}

/** The sum of the samples with this name and these labels. */
export const sumOf = (samples: Sample[], name: string, labels: Record<string, string> = {}): number =>
  samples
    .filter(sample => sample.name === name)
    .filter(sample => Object.entries(labels).every(([label, value]) => sample.labels[label] === value))
    .reduce((sum, { value }) => sum + value, 0)
