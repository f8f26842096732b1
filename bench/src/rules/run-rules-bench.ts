import { once } from 'node:events'
import type { Entity } from '@carabiner/detection'
import { installFolder } from '../../../server/test/support/installed-folder.ts'
import { type Child, startChild } from '../child.ts'
import { median } from '../figures.ts'
import { SUBJECTS, type SubjectRequest, type SubjectResult } from './subjects.ts'
import type { Density } from './texts.ts'

/** CPU milliseconds per 100 KB for each round, and the share of each entity's values that were removed from the text. */
export type Subject = { name: string; rounds: number[]; recall: Map<Entity, number>; size: number }

export type RulesBench = {
  /** Prepares the subjects one after the other, then measures them alternately in each round. */
  run(count: number, density: Density, rounds: number): Promise<Subject[]>
  stop(): Promise<void>
}

export const startRulesBench = async (): Promise<RulesBench> => {
  const { programs } = await installFolder('redaction-peers')
  const children: Child[] = []
  for (const name of SUBJECTS)
    children.push(
      await startChild({
        file: 'bench/src/rules/subject-process.ts',
        args: [name, programs],
        ready: /ready/,
      }),
    )
  return {
    run: async (count, density, rounds) => {
      const subjects: Subject[] = []
      for (const [n, child] of children.entries()) {
        const prepared = await request(child, { kind: 'texts', count, density })
        const { recall, size } = prepared as Extract<SubjectResult, { size: number }>
        subjects.push({ name: SUBJECTS[n] as string, rounds: [], recall: new Map(recall), size })
      }
      for (let round = 0; round < rounds; round++)
        for (const [n, child] of children.entries()) {
          const measured = await request(child, { kind: 'round' })
          subjects[n]?.rounds.push(
            (measured as Extract<SubjectResult, { milliseconds: number }>).milliseconds,
          )
        }
      return subjects
    },
    stop: async () => {
      await Promise.all(children.map(child => child.stop()))
    },
  }
}

const request = async ({ process: child }: Child, message: SubjectRequest): Promise<SubjectResult> => {
  const reply = once(child, 'message')
  child.send(message)
  return (await reply)[0] as SubjectResult
}

export const meanRecall = ({ recall }: Subject, entities: readonly Entity[]): number =>
  entities.reduce((sum, entity) => sum + (recall.get(entity) ?? 0), 0) / entities.length

export const milliseconds = ({ rounds }: Subject): number => median(rounds)
