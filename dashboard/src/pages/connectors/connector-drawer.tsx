import type { Connector } from '@carabiner/sdk'
import { getRouteApi } from '@tanstack/react-router'
import { useConnectorTools } from '../../api/use-connectors.ts'
import { Details } from '../../ui/data/details.tsx'
import { Tabs } from '../../ui/lists/tabs.tsx'
import { Drawer } from '../../ui/overlays/drawer.tsx'
import { EmptyState } from '../../ui/states/empty-state.tsx'
import { ErrorState } from '../../ui/states/error-state.tsx'
import { SkeletonRows } from '../../ui/states/skeleton.tsx'
import { ToolBadges } from '../tool-badges.tsx'
import { McpServerActions, McpServerDetails } from './mcp-server.tsx'
import { OAuthApp } from './oauth-app.tsx'
import { PendingTools } from './pending-tools.tsx'
import type { ConnectorTab } from './routes.ts'

const route = getRouteApi('/o/$organization/$mode/connectors')

type Props = { slug: string; connector: Connector | undefined; onClose: () => void }

const ConnectorDrawer = ({ slug, connector, onClose }: Props) => {
  const { tab = 'tools' } = route.useSearch()
  const navigate = route.useNavigate()
  if (!connector)
    return (
      <Drawer isOpen onClose={onClose} title={slug}>
        <EmptyState title="This connector does not exist">It may have been removed.</EmptyState>
      </Drawer>
    )
  const hasApp = connector.kind === 'http' && connector.methods.includes('oauth2')
  const isServer = connector.kind === 'mcp'
  return (
    <Drawer
      isOpen
      onClose={onClose}
      title={connector.name}
      subtitle={connector.summary}
      actions={
        isServer &&
        connector.source === 'custom' && (
          <McpServerActions slug={slug} name={connector.name} onRemoved={onClose} />
        )
      }
    >
      <Details
        entries={[
          ['Slug', <code className="font-mono text-xs">{slug}</code>],
          [
            'Connected by',
            connector.methods.map(method => METHODS[method]).join(', ') || 'No account needed',
          ],
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
                  content: <OAuthApp slug={slug} name={connector.name} />,
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

const METHODS = { oauth2: 'Sign-in at the provider (OAuth)', api_key: 'API key' }

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url)

const ToolsOfConnector = ({ slug }: { slug: string }) => {
  const { data, error, refetch } = useConnectorTools(slug)
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!data) return <SkeletonRows label="Loading tools" isInCard={false} />
  if (data.tools.length === 0)
    return (
      <p className="text-sm text-muted">
        The server lists its tools only for users who have connected an account. They appear here after the
        first one.
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
