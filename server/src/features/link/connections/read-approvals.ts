import type { Database } from '../../../platform/database/database.ts'
import type { Connectors } from '../../connectors/availability.ts'
import { knownTools } from '../../connectors/mcp-servers/known-tools.ts'
import { translatorFor } from '../../pages/page-response.ts'
import type { AskedAction } from '../../pages/views/connections/model.ts'
import { toolTitle } from '../pages/abilities-of.ts'
import type { ConnectionsPageContext } from './connections-guard.ts'
import { ownerOf } from './read-connections.ts'
import type { UserApprovals } from './user-approvals.ts'

type Deps = { db: Database; connectors: Connectors; approvals: UserApprovals }
type Listed = Awaited<ReturnType<UserApprovals['list']>>
type Named = { connectorSlug: string; tool: string; accountLabel: string | null }

/** Approvals that ask the user, and those that are remembered, with the names of their connectors and tools. */
export const readApprovals = async (deps: Deps, context: ConnectionsPageContext) => {
  const { pending, decided, grants } = await deps.approvals.list(ownerOf(context))
  const slugs = [...pending, ...decided, ...grants].map(({ connectorSlug }) => connectorSlug)
  const names = new Map(
    await Promise.all(
      [...new Set(slugs)].map(async slug => [slug, await namesOf(deps, context, slug)] as const),
    ),
  )
  const named = <One extends Named>(one: One): One & AskedAction => ({
    ...one,
    connector: names.get(one.connectorSlug)?.name ?? one.connectorSlug,
    title: names.get(one.connectorSlug)?.titles.get(one.tool) ?? one.tool,
  })
  return {
    pending: pending.map(named),
    decided: decided.map(named),
    grants: grants.map(named),
  } satisfies Record<keyof Listed, unknown>
}

const namesOf = async ({ db, connectors }: Deps, context: ConnectionsPageContext, slug: string) => {
  const { organizationId } = context.session
  const connector = await connectors.find(organizationId, slug)
  if (!connector) return null
  const translate = translatorFor(context, connectors)
  const tools = await knownTools(db, organizationId, connector)
  return { name: connector.name, titles: new Map(tools.map(tool => [tool.name, toolTitle(tool, translate)])) }
}
