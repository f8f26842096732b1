import { join } from 'node:path'
import { allRules, defaultRules, type Rules } from '../../../server/src/features/rules/compile-rules.ts'
import type { Entity } from '../../../server/src/features/rules/entities.ts'
import { redactValue } from '../../../server/src/features/rules/redact-value.ts'
import { scanValue } from '../../../server/src/features/rules/scan-value.ts'
import { type Document, LABELLED } from '../../../server/test/rules/corpus.ts'
import { installFolder } from '../../../server/test/support/installed-folder.ts'
import { median } from '../figures.ts'
import { sizeOf } from './texts.ts'

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

/** How long each may run before it is measured: a service has run for longer. */
const WARM_UP = 1500

const redactAll = async (redact: Redact, documents: readonly Document[]): Promise<string[]> => {
  const redacted: string[] = []
  for (const { value } of documents) redacted.push(await redact(value as string))
  return redacted
}

/** All are warmed up for the same time, and take turns after that, round after round. */
export const runRulesBench = async (documents: readonly Document[], rounds: number): Promise<Subject[]> => {
  const all = Object.entries(await subjects())
  const results: Subject[] = []
  for (const [name, redact] of all) {
    results.push({ name, rounds: [], recall: recallOf(documents, await redactAll(redact, documents)) })
    for (const started = performance.now(); performance.now() - started < WARM_UP; )
      await redactAll(redact, documents)
  }
  for (let round = 0; round < rounds; round++)
    for (const [n, [, redact]] of all.entries())
      (results[n] as Subject).rounds.push(await measure(redact, documents))
  return results
}

/** The clock of processor time ticks in hundredths of a second: it is read after some of them. */
const LEAST = 200

const measure = async (redact: Redact, documents: readonly Document[]): Promise<number> => {
  const started = process.threadCpuUsage()
  for (let times = 1; ; times++) {
    await redactAll(redact, documents)
    const { user, system } = process.threadCpuUsage(started)
    const spent = (user + system) / 1000
    if (spent >= LEAST) return (spent / times) * ((KILOBYTES * 1024) / sizeOf(documents))
  }
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
