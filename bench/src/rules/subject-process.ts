import { join } from 'node:path'
import { compileRules, type Entity, type Rules, redactValue, scanValue } from '@carabiner/detection'
import { type Document, LABELED } from '../../../packages/detection/test/corpus.ts'
import { allRules, defaultRules } from '../../../packages/detection/test/rule-sets.ts'
import { SHARED, type SubjectRequest, type SubjectResult } from './subjects.ts'
import { asText, sizeOf, texts } from './texts.ts'

/** Runs one subject per process, so that garbage collection and compilation for one do not affect the others. */
type Redact = (value: unknown) => Promise<unknown>
/** The peers redact only strings. */
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
  [`carabiner, ${SHARED.length} shared entities`]: () =>
    own(compileRules({ entities: Object.fromEntries(SHARED.map(entity => [entity, {}])) })),
}
const peer = peers()[name]
const redact = subjects[name]?.() ?? (peer && ((value: unknown) => peer(value as string)))
if (!redact) throw new Error(`unknown subject: ${name}`)

const redactAll = async (values: readonly unknown[]): Promise<unknown[]> => {
  const redacted: unknown[] = []
  for (const value of values) redacted.push(await redact(value))
  return redacted
}

const KILOBYTES = 100
/** Warm-up before the measurement, because a service is usually warm. */
const WARM_UP_MS = 1500
/** The CPU clock has a resolution of 10 ms, so a measurement takes at least this long. */
const MIN_MEASUREMENT_MS = 200

const measure = async (size: number): Promise<number> => {
  const started = process.threadCpuUsage()
  for (let times = 1; ; times++) {
    await redactAll(values)
    const { user, system } = process.threadCpuUsage(started)
    const spent = (user + system) / 1000
    if (spent >= MIN_MEASUREMENT_MS) return (spent / times) * ((KILOBYTES * 1024) / size)
  }
}

const recallOf = (documents: readonly Document[], redacted: readonly unknown[]): [Entity, number][] => {
  const tally = new Map(LABELED.map(entity => [entity, { total: 0, removed: 0 }]))
  for (const [n, { labels }] of documents.entries())
    for (const { entity, value } of labels) {
      const count = tally.get(entity) as { total: number; removed: number }
      count.total++
      if (!asText(redacted[n]).includes(value)) count.removed++
    }
  return [...tally].map(([entity, { total, removed }]) => [entity, total === 0 ? 1 : removed / total])
}

let values: unknown[] = []
let size = 0
const handle = async (request: SubjectRequest): Promise<SubjectResult> => {
  if (request.kind === 'round') return { milliseconds: await measure(size) }
  const documents = texts(request.count, request.density)
  size = sizeOf(documents)
  values = documents.map(({ value }) => (peer ? asText(value) : value))
  const recall = recallOf(documents, await redactAll(values))
  for (const started = performance.now(); performance.now() - started < WARM_UP_MS; ) await redactAll(values)
  return { recall, size }
}
process.on('message', (request: SubjectRequest) => {
  void handle(request).then(result => process.send?.(result))
})
process.stdout.write('ready\n')
