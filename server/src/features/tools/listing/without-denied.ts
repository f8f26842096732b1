import type { ConnectorFile } from '@carabiner/contract'
import type { Mode } from '../../../core/mode.ts'
import type { Connectors } from '../../connectors/availability.ts'
import type { ToolFacts } from '../../policies/conditions/policy.ts'
import { NO_POLICY } from '../../policies/conditions/policy-cache.ts'
import { isAlwaysDenied } from '../../policies/decide-call.ts'
import type { PolicyReader } from '../../policies/policy-reader.ts'
import { toolFacts, unknownTool } from '../../policies/tool-facts.ts'
import { RAW_REQUEST } from '../../upstream/http/raw-request.ts'
import { parseToolName } from '../admission/tool-names.ts'
import type { ListedTool } from './listed-tool.ts'

type Deps = { connectors: Connectors; policies: PolicyReader }
type Owner = {
  organizationId: string
  packId: string
  mode: Mode
  organizationPolicyHash: string | null
  packPolicyHash: string | null
  mcpConnectors: readonly { slug: string }[]
}

/** Leaves out tools of which the policies deny every call, whatever its arguments, account and time. Such a call would only fail. */
export const withoutDenied = async (
  { connectors, policies }: Deps,
  { organizationId, packId, mode, organizationPolicyHash, packPolicyHash, mcpConnectors }: Owner,
  tools: ListedTool[],
): Promise<ListedTool[]> => {
  const hashes = { organization: organizationPolicyHash ?? NO_POLICY, pack: packPolicyHash ?? NO_POLICY }
  if (hashes.organization === NO_POLICY && hashes.pack === NO_POLICY) return tools
  const deciding = await policies.policiesFor({ organizationId, toolPackId: packId }, hashes)
  const servers = new Set(mcpConnectors.map(({ slug }) => slug))
  return tools.filter(({ name }) => {
    const address = parseToolName(name)
    // A tool of this service, or one that only requests linking.
    if (!address || address.tool === null) return true
    const { slug, tool } = address
    const connector = servers.has(slug) ? null : connectors.catalog.find(slug)
    return !everyCallOf(name, slug, connector, tool).every(facts =>
      isAlwaysDenied(deciding, { tools: [facts], pack: { id: packId }, mode }),
    )
  })
}

/** What a call of the tool can be. A raw request reads or writes, which depends on its arguments. */
const everyCallOf = (
  name: string,
  slug: string,
  connector: ConnectorFile | null,
  tool: string,
): ToolFacts[] => {
  const known = connector?.tools.find(each => each.name === tool)
  if (known) return [toolFacts(slug, name, known)]
  const reading = toolFacts(slug, name, { read_only: true, effects: [] })
  return connector && tool === RAW_REQUEST ? [reading, unknownTool(slug, name)] : [unknownTool(slug, name)]
}
