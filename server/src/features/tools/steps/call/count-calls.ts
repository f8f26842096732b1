import type { ToolFacts } from '../../../policies/conditions/policy.ts'
import {
  type CountToRead,
  countsToRead,
  type DecidingPolicy,
  type NamedFacts,
} from '../../../policies/decide-call.ts'
import { toolName } from '../../admission/tool-names.ts'
import { callCountStore } from './call-count-store.ts'
import type { CallState, DecisionDeps, RunningCall } from './call-step.ts'

/** Counts the calls that the rules for the tools of a call count. */
export type CountCalls<Call extends CallState> = (
  deps: Pick<DecisionDeps, 'db' | 'connectors'>,
  call: Call,
  policies: readonly DecidingPolicy[],
  tools: readonly ToolFacts[],
) => Promise<NamedFacts['counts']>

/** Reserves the call too, so that concurrent calls count each other. The reservation ends with the call, and counts on if it was carried out. */
export const reserveAndCount: CountCalls<RunningCall> = async (deps, call, policies, tools) => {
  const toRead = countsToRead(policies, tools)
  if (!toRead) return undefined
  const reserved = {
    ...ownerOf(call),
    callId: call.callId,
    countedAs: tools.map(({ name }) => name),
    counts: toRead.map(toStatement(deps)),
  }
  return byTool(toRead, (await callCountStore.reserve(deps.db, reserved)) ?? [])
}

/** What a call would count now. */
export const countOnly: CountCalls<CallState> = async (deps, call, policies, tools) => {
  const toRead = countsToRead(policies, tools) ?? []
  if (toRead.length === 0) return undefined
  return byTool(
    toRead,
    await callCountStore.read(deps.db, { ...ownerOf(call), counts: toRead.map(toStatement(deps)) }),
  )
}

const ownerOf = ({ admission: { organizationId, userId } }: CallState) => ({ organizationId, userId })

const toStatement =
  ({ connectors }: Pick<DecisionDeps, 'connectors'>) =>
  ({ tool, seconds, effect }: CountToRead) => ({
    seconds,
    tools: effect === null ? [tool] : toolsWith(connectors, effect),
  })

/** Tools of MCP servers declare no effects. */
const toolsWith = (
  connectors: DecisionDeps['connectors'],
  effect: NonNullable<CountToRead['effect']>,
): string[] =>
  connectors.catalog
    .all()
    .flatMap(({ slug }) =>
      (connectors.findShipped(slug)?.tools ?? [])
        .filter(({ effects }) => effects?.includes(effect))
        .map(({ name }) => toolName(slug, name)),
    )

/** A count without a number is unknown, and its rule fails. */
const byTool = (
  toRead: readonly CountToRead[],
  numbers: readonly number[],
): Map<string, Map<string, number>> => {
  const counts = new Map<string, Map<string, number>>()
  for (const [position, { tool, key }] of toRead.entries()) {
    const ofTool = counts.get(tool) ?? new Map<string, number>()
    const number = numbers[position]
    if (number !== undefined) ofTool.set(key, number)
    counts.set(tool, ofTool)
  }
  return counts
}
