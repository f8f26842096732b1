import type { Mode } from '../../../core/mode.ts'
import { isUuid, NIL_UUID } from '../../../core/uuid.ts'
import type { Queryable } from '../../../platform/database/database.ts'
import type { Connectors } from '../../connectors/availability.ts'
import type { ToolArguments } from '../../upstream/http/http-tool.ts'
import { type AddressedTool, addressTool, recordedName } from '../admission/address-tool.ts'
import { namedAccount } from '../admission/named-account.ts'
import { parseToolName, type ToolAddress } from '../admission/tool-names.ts'
import { offeredOwnTool } from '../listing/own-tools.ts'
import {
  type ExplainedCall,
  type ExplainedCaller,
  type ExplainTarget,
  explainedCallStore,
} from './explained-call-store.ts'
import type { Subject } from './explained-subject.ts'

/** A call to explain. The caller was authenticated for the organization and the mode. */
export type CallToExplain = {
  organizationId: string
  mode: Mode
  user: { registeredUserId: string } | { originUserId: string }
  /** Null: the default Tool Pack. */
  toolPackId: string | null
  tool: string
  /** Null: not checked. */
  args: ToolArguments | null
  /** The connectors that the caller of the tool selects; null: all of the pack. */
  only: string[] | null
  requestId: string
}

type Deps = { db: Queryable; connectors: Connectors }

/** Stands for a name that no connector has, so that the other steps are read all the same. */
const NO_TOOL: ToolAddress = { slug: '', tool: '' }

export const readSubject = async (deps: Deps, request: CallToExplain): Promise<Subject> => {
  const { organizationId, mode, tool: name, args, only, requestId } = request
  const target = await readTarget(deps, request)
  const address = parseToolName(name)
  const { slug, tool } = address ?? NO_TOOL
  const addressed = addressTool(deps.connectors, { slug, tool })
  const account = args && namedAccount(args)
  const read = await readCall(deps, addressed, {
    organizationId,
    mode,
    registeredUserId: target.userId ?? NIL_UUID,
    toolPackId: target.packId ?? NIL_UUID,
    connectorSlug: slug,
    tool: recordedName({ slug, tool }),
    account,
  })
  const isSelected = only === null || only.includes(slug)
  const call = { ...read, connectorInPack: read.connectorInPack && isSelected }
  const ownToolOffered = offeredOwnTool(name, call)
  return { name, args, account, requestId, target, address, addressed, call, ownToolOffered }
}

const readTarget = (
  { db }: Deps,
  { organizationId, mode, user, toolPackId }: CallToExplain,
): Promise<ExplainTarget> =>
  explainedCallStore.target(db, {
    organizationId,
    mode,
    // A test key must not reveal which production users exist.
    visibleModes: mode === 'production' ? ['production', 'test'] : ['test'],
    registeredUserId: 'registeredUserId' in user ? uuidOf(user.registeredUserId) : null,
    originUserId: 'originUserId' in user ? user.originUserId : null,
    toolPackId: toolPackId === null ? null : uuidOf(toolPackId),
  })

/** A malformed ID is one that nothing has. */
const uuidOf = (text: string): string => (isUuid(text) ? text.toLowerCase() : NIL_UUID)

const readCall = ({ db }: Deps, addressed: AddressedTool, caller: ExplainedCaller): Promise<ExplainedCall> =>
  addressed.kind === 'http'
    ? explainedCallStore.http(db, caller, addressed)
    : explainedCallStore.mcp(db, caller, addressed)
