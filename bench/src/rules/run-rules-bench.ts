import { join } from 'node:path'
import { allRules, defaultRules, type Rules } from '../../../server/src/features/rules/compile-rules.ts'
import type { Entity } from '../../../server/src/features/rules/entities.ts'
import { redactValue } from '../../../server/src/features/rules/redact-value.ts'
import { scanValue } from '../../../server/src/features/rules/scan-value.ts'
import { type Document, LABELLED, makeCorpus } from '../../../server/test/rules/corpus.ts'
import { installFolder } from '../../../server/test/support/installed-folder.ts'
import { median } from '../figures.ts'

type Redact = (text: string) => Promise<string>

/** Milliseconds of processor time for 100 KB, by round, and the share of each entity's values that no longer stand in the text. */
export type Subject = { name: string; rounds: number[]; recall: Map<Entity, number> }

const own =
  (rules: Rules): Redact =>
  async text =>
    redactValue(text, scanValue(text, rules)) as string

const subjects = async (): Promise<Record<string, Redact>> => {
  const { programs } = await installFolder('redaction-peers')
  const { peers } = (await import(join(programs, 'peers.mjs'))) as { peers: () => Record<string, Redact> }
  return {
    'carabiner, default rules': own(defaultRules),
    'carabiner, every entity': own(allRules),
    ...peers(),
  }
}

const KILOBYTES = 100
export const sizeOf = (documents: readonly Document[]): number =>
  documents.reduce((size, { value }) => size + (value as string).length, 0)

/** Sentences alone, since text is what all of them read, put together to what a tool answers: about 2 KB. */
const IN_ONE = 24
export const texts = (count: number): Document[] => {
  const sentences = makeCorpus(count * IN_ONE * 2).filter(({ value }) => typeof value === 'string')
  const joined = Array.from({ length: count }, (_, n): Document => {
    const part = sentences.slice(n * IN_ONE, (n + 1) * IN_ONE)
    return { value: part.map(({ value }) => value).join('\n'), labels: part.flatMap(({ labels }) => labels) }
  })
  // As they come from the wire, and not as a tree of the pieces that they were made of.
  return JSON.parse(JSON.stringify(joined)) as Document[]
}

/** All take turns, round after round; the first is to warm up, and is not counted. */
export const runRulesBench = async ({
  rounds,
  documents,
}: {
  rounds: number
  documents: Document[]
}): Promise<Subject[]> => {
  const all = Object.entries(await subjects())
  const results = all.map(([name]): Subject => ({ name, rounds: [], recall: new Map() }))
  for (let round = 0; round <= rounds; round++)
    for (const [n, [, redact]] of all.entries()) {
      const redacted: string[] = []
      const started = process.threadCpuUsage()
      for (const { value } of documents) redacted.push(await redact(value as string))
      const { user, system } = process.threadCpuUsage(started)
      const result = results[n] as Subject
      if (round > 0) result.rounds.push((((user + system) / 1000) * KILOBYTES * 1024) / sizeOf(documents))
      else result.recall = recallOf(documents, redacted)
    }
  return results
}

const recallOf = (documents: readonly Document[], redacted: readonly string[]): Map<Entity, number> => {
  const tally = new Map(LABELLED.map(entity => [entity, { all: 0, gone: 0 }]))
  for (const [n, { labels }] of documents.entries())
    for (const { entity, value } of labels) {
      const count = tally.get(entity) as { all: number; gone: number }
      count.all++
      if (!redacted[n]?.includes(value)) count.gone++
    }
  return new Map([...tally].map(([entity, { all, gone }]) => [entity, all === 0 ? 1 : gone / all]))
}

/** What all of them say that they find. */
export const SHARED: readonly Entity[] = ['EMAIL_ADDRESS', 'PHONE_NUMBER', 'CREDIT_CARD', 'US_SSN']

export const meanRecall = ({ recall }: Subject, entities: readonly Entity[]): number =>
  entities.reduce((sum, entity) => sum + (recall.get(entity) ?? 0), 0) / entities.length

export const milliseconds = ({ rounds }: Subject): number => median(rounds)
