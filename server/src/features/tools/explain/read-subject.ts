import type { Mode } from '../../../core/mode.ts'
import { isUuid, NIL_UUID } from '../../../core/uuid.ts'
import type { Queryable } from '../../../platform/database/database.ts'
import type { Connectors } from '../../connectors/availability.ts'
import type { ToolArguments } from '../../upstream/http/http-tool.ts'
import { type AddressedTool, addressTool, recordedName } from '../admission/address-tool.ts'
import {
  type AdmissionPreview,
  admissionPreviewStore,
  type ExplainTarget,
  type PreviewedCall,
} from '../admission/admission-preview-store.ts'
import { namedAccount } from '../admission/named-account.ts'
import { parseToolName, type ToolAddress } from '../admission/tool-names.ts'
import { offeredOwnTool } from '../listing/own-tools.ts'
import type { Subject } from '../steps/admission/subject.ts'

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
  const { organizationId, mode, tool: name, args, only } = request
  const target = await readTarget(deps, request)
  const address = parseToolName(name)
  const { slug, tool } = address ?? NO_TOOL
  const addressed = addressTool(deps.connectors, { slug, tool })
  const account = args && namedAccount(args)
  const read = await readPreview(deps, addressed, {
    organizationId,
    mode,
    registeredUserId: target.userId ?? NIL_UUID,
    toolPackId: target.packId ?? NIL_UUID,
    connectorSlug: slug,
    tool: recordedName({ slug, tool }),
    account,
  })
  const isSelected = only === null || only.includes(slug)
  const preview = { ...read, connectorInPack: read.connectorInPack && isSelected }
  return {
    name,
    args,
    account,
    target,
    who: target.originUserName ?? 'The user',
    caller: callerOf(target, preview),
    address,
    addressed,
    preview,
    ownToolOffered: offeredOwnTool(name, preview),
  }
}

const callerOf = (
  { userId }: ExplainTarget,
  { servedOrganizationId, userId: foundUserId, userInMode, packId, userActive }: AdmissionPreview,
): Subject['caller'] => ({
  organizationId: servedOrganizationId,
  organizationState: 'active',
  userId: userId && foundUserId,
  userInMode,
  packId,
  userActive: userActive ?? false,
})

const readTarget = (
  { db }: Deps,
  { organizationId, mode, user, toolPackId }: CallToExplain,
): Promise<ExplainTarget> =>
  admissionPreviewStore.target(db, {
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

const readPreview = (
  { db }: Deps,
  addressed: AddressedTool,
  call: PreviewedCall,
): Promise<AdmissionPreview> =>
  addressed.kind === 'http'
    ? admissionPreviewStore.http(db, call, addressed)
    : admissionPreviewStore.mcp(db, call, addressed)
