import type { ConnectorFile } from '@carabiner/contract'
import type { OrganizationState } from '../../../../core/organization-state.ts'
import { asConnector } from '../../../connectors/mcp-servers/mcp-connector.ts'
import type { ToolArguments } from '../../../upstream/http/http-tool.ts'
import type { AddressedTool } from '../../admission/address-tool.ts'
import type { AdmissionPreview, ExplainTarget } from '../../admission/admission-preview-store.ts'
import type { ToolAddress } from '../../admission/tool-names.ts'

/** Who calls, as far as it was found. */
export type CallerFacts = {
  organizationId: string | null
  organizationState: OrganizationState
  userId: string | null
  /** Absent if a user of another mode was not read at all. */
  userInMode?: boolean
  packId: string | null
  userActive: boolean
}

/** A call to explain, and everything that was read about it. */
export type Subject = {
  name: string
  args: ToolArguments | null
  /** The account that the call names. */
  account: string | null
  target: ExplainTarget
  /** The user, as the subject of a sentence. */
  who: string
  caller: CallerFacts
  /** Null: no connector has a tool with such a name. */
  address: ToolAddress | null
  addressed: AddressedTool
  preview: AdmissionPreview
  /** Whether the pack offers the tool of the service with this name; null if it is not such a tool. */
  ownToolOffered: boolean | null
}

/** The connector as far as it is known. */
export const connectorOf = ({ addressed, preview: { server } }: Subject): ConnectorFile | null => {
  if (addressed.kind === 'http') return addressed.connector
  return server ? asConnector({ slug: addressed.slug, ...server }) : addressed.shipped
}
