import { join } from 'node:path'
import {
  allRules,
  compileRules,
  defaultRules,
  type Rules,
} from '../../../server/src/features/rules/compile-rules.ts'
import type { Entity } from '../../../server/src/features/rules/entities.ts'
import { redactValue } from '../../../server/src/features/rules/redact-value.ts'
import { scanValue } from '../../../server/src/features/rules/scan-value.ts'
import { type Document, LABELLED } from '../../../server/test/rules/corpus.ts'
import { type Asked, SHARED, type Told } from './subjects.ts'
import { sizeOf, texts } from './texts.ts'

/** One subject in a process of its own, so that nobody pays for the garbage and the compiled code of another. */
type Redact = (text: string) => Promise<string>

const own =
  (rules: Rules): Redact =>
  async text =>
    redactValue(text, scanValue(text, rules)) as string

const [, , name = '', programs = ''] = process.argv
const { peers } = (await import(join(programs, 'peers.mjs'))) as { peers: () => Record<string, Redact> }
const subjects: Record<string, () => Redact> = {
  'carabiner, default rules': () => own(defaultRules),
  'carabiner, every entity': () => own(allRules),
  [`carabiner, those ${SHARED.length}`]: () =>
    own(compileRules({ entities: Object.fromEntries(SHARED.map(entity => [entity, {}])) })),
}
const redact = subjects[name]?.() ?? peers()[name]
if (!redact) throw new Error(`«${name}» is no subject`)

const redactAll = async (documents: readonly Document[]): Promise<string[]> => {
  const redacted: string[] = []
  for (const { value } of documents) redacted.push(await redact(value as string))
  return redacted
}

const KILOBYTES = 100
/** How long each may run before it is measured: a service has run for longer. */
const WARM_UP = 1500
/** The clock of processor time ticks in hundredths of a second: it is read after some of them. */
const LEAST = 200

const measure = async (documents: readonly Document[]): Promise<number> => {
  const started = process.threadCpuUsage()
  for (let times = 1; ; times++) {
    await redactAll(documents)
    const { user, system } = process.threadCpuUsage(started)
    const spent = (user + system) / 1000
    if (spent >= LEAST) return (spent / times) * ((KILOBYTES * 1024) / sizeOf(documents))
  }
}

const recallOf = (documents: readonly Document[], redacted: readonly string[]): [Entity, number][] => {
  const tally = new Map(LABELLED.map(entity => [entity, { all: 0, gone: 0 }]))
  for (const [n, { labels }] of documents.entries())
    for (const { entity, value } of labels) {
      const count = tally.get(entity) as { all: number; gone: number }
      count.all++
      if (!redacted[n]?.includes(value)) count.gone++
    }
  return [...tally].map(([entity, { all, gone }]) => [entity, all === 0 ? 1 : gone / all])
}

let documents: Document[] = []
const answer = async (asked: Asked): Promise<Told> => {
  if (asked.kind === 'round') return { milliseconds: await measure(documents) }
  documents = texts(asked.count, asked.density)
  const recall = recallOf(documents, await redactAll(documents))
  for (const started = performance.now(); performance.now() - started < WARM_UP; ) await redactAll(documents)
  return { recall, size: sizeOf(documents) }
}
process.on('message', (asked: Asked) => {
  void answer(asked).then(told => process.send?.(told))
})
process.stdout.write('ready\n')
