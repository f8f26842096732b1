import { SECOND } from '../../../core/duration.ts'
import type { Egress } from '../../../platform/egress/egress.ts'
import { IsolatedError, type IsolatedPool } from '../../../platform/isolation/isolated-pool.ts'
import { nextTurn } from '../../../platform/isolation/next-turn.ts'
import type { McpServer } from './exchange.ts'
import { type Inspection, inspectServer } from './inspect-server.ts'
import { hashTools, type VettedTools, vetTools } from './tool-definitions.ts'
import { maxToolNameLength } from './tool-names.ts'

type Input = { tools: string; maxNameLength: number }

/** Vetted tools and the hash that they are pinned by. */
export type HashedTools = VettedTools & { hash: string }

const VETTING_CPU_LIMIT_MS = 5 * SECOND
/** Vetting a list of this size takes a few milliseconds, unless it contains references. */
const MAX_INLINE_LENGTH = 8 * 1024

export type VettedInspection =
  | (Omit<Extract<Inspection, { kind: 'ready' }>, 'tools'> & { found: HashedTools })
  | Exclude<Inspection, { kind: 'ready' }>

type Deps = { egress: Egress; isolated: IsolatedPool; timeoutMs?: number }
/** `slug`: the connector's, which counts towards the length of a tool name. */
type OwnedServer = McpServer & { revision?: string | null; organizationId: string; slug: string }

/** Connects to a server, lists all of its tools and vets them. */
export const inspectTools = async (
  deps: Deps,
  { organizationId, slug, ...server }: OwnedServer,
): Promise<VettedInspection> => {
  const egress = deps.egress.onBehalfOf(organizationId)
  const inspection = await inspectServer({ ...deps, egress }, server)
  if (inspection.kind !== 'ready') return inspection
  const { tools, ...rest } = inspection
  try {
    return {
      ...rest,
      found: await vetIsolated(deps.isolated, organizationId, tools, maxToolNameLength(slug)),
    }
  } catch (error) {
    if (!(error instanceof IsolatedError)) throw error
    return { kind: 'refused', reason: 'too_complex', message: ISOLATION_MESSAGES[error.failure] }
  }
}

const ISOLATION_MESSAGES = {
  too_expensive:
    'The tools of this server take too long to check. Offer fewer tools, or simpler input schemas.',
  busy: 'Too many checks of this organization are in progress. Try again in a few seconds.',
}

/** Throws an `IsolatedError` if vetting exceeds its limits. */
const vetIsolated = async (
  isolated: IsolatedPool,
  owner: string,
  tools: unknown[],
  maxNameLength: number,
): Promise<HashedTools> => {
  // A list of 1 MB takes about 10 ms to parse and 10 ms to serialize, so each step has a turn of its own.
  await nextTurn()
  const input: Input = { tools: JSON.stringify(tools), maxNameLength }
  await nextTurn()
  if (input.tools.length <= MAX_INLINE_LENGTH && !input.tools.includes('$ref')) return vetAndHash(input)
  const json = (await isolated.run(owner, 'vet-tools', input, { cpuMs: VETTING_CPU_LIMIT_MS })) as string
  await nextTurn()
  const vetted = JSON.parse(json) as HashedTools
  await nextTurn()
  return vetted
}

const vetAndHash = ({ tools, maxNameLength }: Input): HashedTools => {
  const vetted = vetTools(JSON.parse(tools) as unknown[], maxNameLength)
  return { ...vetted, hash: hashTools(vetted.tools) }
}

/** Returns JSON, which is copied between threads faster than objects. */
export const vetToolsTask = (input: Input): string => JSON.stringify(vetAndHash(input))
