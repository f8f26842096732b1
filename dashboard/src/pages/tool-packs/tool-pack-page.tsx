import type { ToolPack } from '@carabiner/sdk'
import { getRouteApi, Link } from '@tanstack/react-router'
import { FlaskConical } from 'lucide-react'
import { useScope } from '../../api/use-api.ts'
import { usePackTools, useToolPack } from '../../api/use-tool-packs.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Badge } from '../../ui/data/badge.tsx'
import { Stat } from '../../ui/data/stat.tsx'
import { Tabs } from '../../ui/lists/tabs.tsx'
import { Page } from '../../ui/page.tsx'
import { ErrorState } from '../../ui/states/error-state.tsx'
import { SkeletonRows } from '../../ui/states/skeleton.tsx'
import { ConnectClients } from './connect-clients.tsx'
import { PackSettings } from './pack-settings.tsx'
import { PackTools } from './pack-tools.tsx'
import type { PackTab } from './routes.ts'
import { describeTokens } from './token-cost.ts'

const route = getRouteApi('/o/$organization/$mode/tool-packs/$packId')

const ToolPackPage = () => {
  const { packId } = route.useParams()
  const scope = useScope()
  const { data: pack, error, refetch } = useToolPack(packId)
  return (
    <Page
      title={pack?.name ?? 'Tool Pack'}
      note={
        <>
          <Link
            to="/o/$organization/$mode/tool-packs"
            params={scope}
            className="underline underline-offset-2"
          >
            Tool Packs
          </Link>
          {pack?.description && ` · ${pack.description}`}{' '}
          {pack?.is_default && <Badge tone="info">Default</Badge>}
        </>
      }
      actions={
        <Link
          to="/o/$organization/$mode/playground"
          params={scope}
          search={{ pack: packId }}
          className={buttonClass()}
        >
          <FlaskConical className="size-4" aria-hidden="true" /> Open in the playground
        </Link>
      }
    >
      {pack ? (
        <PackContent key={pack.id} pack={pack} />
      ) : (
        <Card isFlush>
          {error ? (
            <ErrorState error={error} onRetry={() => void refetch()} />
          ) : (
            <SkeletonRows label="Loading the Tool Pack" />
          )}
        </Card>
      )}
    </Page>
  )
}

const PackContent = ({ pack }: { pack: ToolPack }) => {
  const { tab = 'tools' } = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <>
      <PackCost pack={pack} />
      <Tabs
        label="Tool Pack"
        value={tab}
        onChange={(next: PackTab) =>
          void navigate({ search: previous => ({ ...previous, tab: next }), replace: true })
        }
        tabs={[
          { value: 'tools', label: 'Tools', content: <PackTools pack={pack} /> },
          { value: 'connect', label: 'Connect a client', content: <ConnectClients pack={pack} /> },
          { value: 'settings', label: 'Settings', content: <PackSettings pack={pack} /> },
        ]}
      />
    </>
  )
}

/** What the saved pack costs a model. */
const PackCost = ({ pack }: { pack: ToolPack }) => {
  const { data, error } = usePackTools(pack.id)
  if (error) return null
  const cost = data?.list_costs[pack.serving]
  const whole = data?.list_costs.list
  const bytes = cost?.definition_bytes ?? 0
  const heaviest = data?.data.toSorted((a, b) => b.definition_bytes - a.definition_bytes)[0]
  return (
    <div className="grid gap-3 md:grid-cols-3">
      <Stat
        label="Tools that a model sees"
        value={cost?.tools.toLocaleString()}
        note={
          whole &&
          pack.serving !== 'list' &&
          `Served as search. The pack has ${whole.tools.toLocaleString()} tools.`
        }
        isPending={!data}
      />
      <Stat
        label="Cost of the list"
        value={cost && `≈ ${cost.estimated_tokens.toLocaleString()}`}
        note={
          whole && pack.serving !== 'list'
            ? `Tokens in every request, estimated with 4 bytes for a token. The list of all tools costs about ${whole.estimated_tokens.toLocaleString()}.`
            : `Tokens in every request, estimated: the definitions in tools/list have ${bytes.toLocaleString()} bytes, and 4 bytes are about one token.`
        }
        isPending={!data}
      />
      <Stat
        label="Largest definition"
        value={heaviest ? <span className="text-base font-medium">{heaviest.name}</span> : '–'}
        note={heaviest && describeTokens(heaviest.definition_bytes)}
        isPending={!data}
      />
    </div>
  )
}

export default ToolPackPage
