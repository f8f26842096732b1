import type { Connector } from '@carabiner/sdk'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { useConnectorTools } from '../../api/use-connectors.ts'
import { ConnectorLogo } from '../../ui/data/connector-logo.tsx'
import { Details } from '../../ui/data/details.tsx'
import { Tabs } from '../../ui/lists/tabs.tsx'
import { Drawer } from '../../ui/overlays/drawer.tsx'
import { EmptyState } from '../../ui/states/empty-state.tsx'
import { NotLoaded } from '../../ui/states/not-loaded.tsx'
import { ToolBadges } from '../tool-badges.tsx'
import type { ConnectorTab } from './connector-search.ts'
import { ConnectorUse } from './connector-use.tsx'
import { McpServerActions, McpServerDetails } from './mcp-server.tsx'
import { OAuthApp } from './oauth-app.tsx'
import { PendingTools } from './pending-tools.tsx'
import { UnusedScopes } from './unused-scopes.tsx'

const route = getRouteApi('/o/$organization/$mode/connectors')

/** What an MCP server of the catalog requires is discovered when it is first used. */
const connectedBy = ({ methods, needs_account: needsAccount }: Connector): string => {
  if (!needsAccount) return 'No account needed'
  return methods.map(method => METHODS[method]).join(', ') || 'Detected on first use'
}

const takesApp = ({ kind, methods }: Connector): boolean =>
  kind === 'http' && (methods.includes('oauth2') || methods.includes('oauth1'))
const needsApp = (connector: Connector): boolean =>
  takesApp(connector) && !connector.is_usable && connector.tool_count !== 0

type Props = { slug: string; connector: Connector | undefined; onClose: () => void }

const ConnectorDrawer = ({ slug, connector, onClose }: Props) => {
  // It stays when the app has been saved, because the next step is to test it.
  const [first] = useState<ConnectorTab>(connector && needsApp(connector) ? 'app' : 'tools')
  const { tab = first } = route.useSearch()
  const navigate = route.useNavigate()
  if (!connector)
    return (
      <Drawer isOpen onClose={onClose} title={slug}>
        <EmptyState title="This connector does not exist">It may have been removed.</EmptyState>
      </Drawer>
    )
  const hasApp = takesApp(connector)
  const isServer = connector.kind === 'mcp'
  return (
    <Drawer
      isOpen
      onClose={onClose}
      title={
        <span className="flex items-center gap-3">
          <ConnectorLogo connector={connector} /> {connector.name}
        </span>
      }
      subtitle={connector.summary}
      actions={
        isServer &&
        connector.source === 'custom' && (
          <McpServerActions slug={slug} name={connector.name} onRemoved={onClose} />
        )
      }
    >
      {needsApp(connector) && (
        <p role="note" className="rounded-card bg-warn-soft px-4 py-3 text-sm text-warn">
          {connector.name} needs an OAuth app before users can connect it. The tab “OAuth app” has the steps.
        </p>
      )}
      <Details
        entries={[
          ['Slug', <code className="font-mono text-xs">{slug}</code>],
          ['Connection', connectedBy(connector)],
          [
            'Documentation',
            <a
              href={connector.documentation_url}
              target="_blank"
              rel="noreferrer"
              className="inline-flex min-h-6 items-center underline underline-offset-2"
            >
              {hostOf(connector.documentation_url)}
            </a>,
          ],
        ]}
      />
      {isServer && <McpServerDetails slug={slug} />}
      {connector.is_usable && <ConnectorUse connector={connector} />}
      {takesApp(connector) && <UnusedScopes slug={slug} />}
      <Tabs
        label="Connector"
        value={tab === 'app' && !hasApp ? 'tools' : tab === 'changes' && !isServer ? 'tools' : tab}
        onChange={(next: ConnectorTab) =>
          void navigate({ search: previous => ({ ...previous, tab: next }), replace: true })
        }
        tabs={[
          { value: 'tools' as const, label: 'Tools', content: <ToolsOfConnector slug={slug} /> },
          ...(hasApp
            ? [
                {
                  value: 'app' as const,
                  label: 'OAuth app',
                  content: <OAuthApp connector={connector} />,
                },
              ]
            : []),
          ...(isServer
            ? [{ value: 'changes' as const, label: 'Changes', content: <PendingTools slug={slug} /> }]
            : []),
        ]}
      />
    </Drawer>
  )
}

const METHODS = {
  oauth2: 'Sign-in with the provider (OAuth)',
  api_key: 'API key',
  token_request: 'Short-lived tokens for entered values',
  aws_signature: 'Access key that signs requests (AWS)',
  signature: 'Secrets that sign requests',
  oauth1: 'Sign-in with the provider (OAuth 1.0a)',
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url)

const ToolsOfConnector = ({ slug }: { slug: string }) => {
  const { data, error, refetch } = useConnectorTools(slug)
  if (error || !data)
    return <NotLoaded error={error} onRetry={refetch} label="Loading tools" isInCard={false} />
  if (data.tools.length === 0)
    return (
      <p className="text-sm text-muted">
        This server lists its tools only after a user has connected an account. They appear here then.
      </p>
    )
  return (
    <ul aria-label="Tools" className="grid gap-3">
      {data.tools.map(({ name, description, annotations, effects }) => (
        <li key={name} className="grid gap-0.5">
          <span className="flex flex-wrap items-center gap-2">
            <code className="font-mono text-xs font-medium">{name}</code>
            <ToolBadges annotations={annotations} effects={effects} />
          </span>
          <span className="line-clamp-3 text-xs text-muted">{description}</span>
        </li>
      ))}
    </ul>
  )
}

export default ConnectorDrawer
