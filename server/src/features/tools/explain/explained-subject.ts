import type { ConnectorFile } from '@carabiner/contract'
import { asConnector } from '../../connectors/mcp-servers/mcp-connector.ts'
import type { ToolArguments } from '../../upstream/http/http-tool.ts'
import { type AddressedTool, callableTool } from '../admission/address-tool.ts'
import type { CallAdmission } from '../admission/admission-rows.ts'
import type { Admitted } from '../admission/admit-call.ts'
import type { ToolAddress } from '../admission/tool-names.ts'
import type { ExplainedCall, ExplainTarget } from './explained-call-store.ts'

/** A call to explain, and everything that was read about it. */
export type Subject = {
  name: string
  args: ToolArguments | null
  /** The account that the call names. */
  account: string | null
  requestId: string
  target: ExplainTarget
  /** Null: no connector has a tool with such a name. */
  address: ToolAddress | null
  addressed: AddressedTool
  call: ExplainedCall
  /** Whether the pack offers the tool of the service with this name; null if it is not such a tool. */
  ownToolOffered: boolean | null
}

/** The connector as far as it is known. */
export const connectorOf = ({ addressed, call: { server } }: Subject): ConnectorFile | null => {
  if (addressed.kind === 'http') return addressed.connector
  return server ? asConnector({ slug: addressed.slug, ...server }) : addressed.shipped
}

/** The call as it continues after its admission. Null: it is not admitted. */
export const admittedCall = ({
  name,
  addressed,
  call,
}: Subject): Pick<Admitted, 'admission' | 'callable'> | null => {
  const admission = admissionOf(call)
  const callable = admission && callableTool(name, addressed, call)
  return callable && { admission, callable }
}

const admissionOf = (call: ExplainedCall): CallAdmission | null => {
  const { servedOrganizationId, userId, packId, userActive } = call
  const isAdmitted =
    call.userInMode &&
    call.userOfKey &&
    call.packOfKey &&
    call.connectorInPack &&
    call.connectorUsable &&
    call.toolKnown &&
    call.toolChosen
  return isAdmitted && servedOrganizationId !== null && userId !== null && packId !== null && userActive
    ? { ...call, userId, packId, userActive }
    : null
}
