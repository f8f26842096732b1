import { once } from 'node:events'
import type { Entity } from '@carabiner/detection'
import { installFolder } from '../../../server/test/support/installed-folder.ts'
import { type Child, startChild } from '../child.ts'
import { median } from '../figures.ts'
import { type Asked, SUBJECTS, type Told } from './subjects.ts'
import type { Density } from './texts.ts'

/** Milliseconds of processor time for 100 KB, by round, and the share of each entity's values that no longer stand in the text. */
export type Subject = { name: string; rounds: number[]; recall: Map<Entity, number>; size: number }

export type RulesBench = {
  /** All get ready, one after the other, and take turns after that, round after round. */
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
        const told = (await ask(child, { kind: 'texts', count, density })) as Extract<Told, { size: number }>
        const recall = new Map(told.recall)
        subjects.push({ name: SUBJECTS[n] as string, rounds: [], recall, size: told.size })
      }
      for (let round = 0; round < rounds; round++)
        for (const [n, child] of children.entries()) {
          const told = (await ask(child, { kind: 'round' })) as Extract<Told, { milliseconds: number }>
          subjects[n]?.rounds.push(told.milliseconds)
        }
      return subjects
    },
    stop: async () => {
      await Promise.all(children.map(child => child.stop()))
    },
  }
}

const ask = async ({ process: child }: Child, asked: Asked): Promise<Told> => {
  const told = once(child, 'message')
  child.send(asked)
  return (await told)[0] as Told
}

export const meanRecall = ({ recall }: Subject, entities: readonly Entity[]): number =>
  entities.reduce((sum, entity) => sum + (recall.get(entity) ?? 0), 0) / entities.length

export const milliseconds = ({ rounds }: Subject): number => median(rounds)
