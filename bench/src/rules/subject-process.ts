import { join } from 'node:path'
import { compileRules, type Entity, type Rules, redactValue, scanValue } from '@carabiner/detection'
import { type Document, LABELED } from '../../../packages/detection/test/corpus.ts'
import { allRules, defaultRules } from '../../../packages/detection/test/rule-sets.ts'
import { type Asked, SHARED, type Told } from './subjects.ts'
import { asText, sizeOf, texts } from './texts.ts'

/** One subject in a process of its own, so that nobody pays for the garbage and the compiled code of another. */
type Redact = (value: unknown) => Promise<unknown>
/** As others have it: texts alone, whatever they say. */
type RedactText = (text: string) => Promise<string>

const own =
  (rules: Rules): Redact =>
  async value =>
    redactValue(value, scanValue(value, rules))

const [, , name = '', programs = ''] = process.argv
const { peers } = (await import(join(programs, 'peers.mjs'))) as { peers: () => Record<string, RedactText> }
const subjects: Record<string, () => Redact> = {
  'carabiner, default rules': () => own(defaultRules),
  'carabiner, every entity': () => own(allRules),
  [`carabiner, those ${SHARED.length}`]: () =>
    own(compileRules({ entities: Object.fromEntries(SHARED.map(entity => [entity, {}])) })),
}
const peer = peers()[name]
const redact = subjects[name]?.() ?? (peer && ((value: unknown) => peer(value as string)))
if (!redact) throw new Error(`«${name}» is no subject`)

const redactAll = async (values: readonly unknown[]): Promise<unknown[]> => {
  const redacted: unknown[] = []
  for (const value of values) redacted.push(await redact(value))
  return redacted
}

const KILOBYTES = 100
/** How long each may run before it is measured: a service has run for longer. */
const WARM_UP = 1500
/** The clock of processor time ticks in hundredths of a second: it is read after some of them. */
const LEAST = 200

const measure = async (size: number): Promise<number> => {
  const started = process.threadCpuUsage()
  for (let times = 1; ; times++) {
    await redactAll(values)
    const { user, system } = process.threadCpuUsage(started)
    const spent = (user + system) / 1000
    if (spent >= LEAST) return (spent / times) * ((KILOBYTES * 1024) / size)
  }
}

const recallOf = (documents: readonly Document[], redacted: readonly unknown[]): [Entity, number][] => {
  const tally = new Map(LABELED.map(entity => [entity, { all: 0, gone: 0 }]))
  for (const [n, { labels }] of documents.entries())
    for (const { entity, value } of labels) {
      const count = tally.get(entity) as { all: number; gone: number }
      count.all++
      if (!asText(redacted[n]).includes(value)) count.gone++
    }
  return [...tally].map(([entity, { all, gone }]) => [entity, all === 0 ? 1 : gone / all])
}

let values: unknown[] = []
let size = 0
const answer = async (asked: Asked): Promise<Told> => {
  if (asked.kind === 'round') return { milliseconds: await measure(size) }
  const documents = texts(asked.count, asked.density)
  size = sizeOf(documents)
  values = documents.map(({ value }) => (peer ? asText(value) : value))
  const recall = recallOf(documents, await redactAll(values))
  for (const started = performance.now(); performance.now() - started < WARM_UP; ) await redactAll(values)
  return { recall, size }
}
process.on('message', (asked: Asked) => {
  void answer(asked).then(told => process.send?.(told))
})
process.stdout.write('ready\n')
