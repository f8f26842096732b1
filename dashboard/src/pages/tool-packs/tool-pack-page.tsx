import type { ToolPack } from '@carabiner/sdk'
import { getRouteApi, Link } from '@tanstack/react-router'
import { FlaskConical } from 'lucide-react'
import { useScope } from '../../api/use-api.ts'
import { useToolPack } from '../../api/use-tool-packs.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Badge } from '../../ui/data/badge.tsx'
import { Tabs } from '../../ui/lists/tabs.tsx'
import { Page } from '../../ui/page.tsx'
import { NotLoaded } from '../../ui/states/not-loaded.tsx'
import { ConnectClients } from './connect-clients.tsx'
import { PackCost } from './pack-cost.tsx'
import type { PackTab } from './pack-search.ts'
import { PackSettings, usePackSettings } from './pack-settings.tsx'
import { PackTools } from './pack-tools.tsx'
import { usePackDraft } from './use-pack-draft.ts'

const route = getRouteApi('/o/$organization/$mode/tool-packs/$packId')

const ToolPackPage = () => {
  const { packId } = route.useParams()
  const scope = useScope()
  const { data: pack, error, refetch } = useToolPack(packId)
  return (
    <Page
      title={pack?.name ?? 'Tool Pack'}
      parent={{ title: 'Tool Packs', path: '/tool-packs' }}
      note={
        (pack?.description || pack?.is_default) && (
          <>
            {pack.description} {pack.is_default && <Badge tone="info">Default</Badge>}
          </>
        )
      }
      actions={
        <Link
          to="/o/$organization/$mode/playground"
          params={scope}
          search={{ pack: packId }}
          className={buttonClass()}
        >
          <FlaskConical className="size-4" aria-hidden="true" /> Open in Playground
        </Link>
      }
    >
      {pack ? (
        <PackContent key={pack.id} pack={pack} />
      ) : (
        <Card isFlush>
          <NotLoaded error={error} onRetry={refetch} label="Loading the Tool Pack" />
        </Card>
      )}
    </Page>
  )
}

const PackContent = ({ pack }: { pack: ToolPack }) => {
  const { tab = 'tools' } = route.useSearch()
  const navigate = route.useNavigate()
  // Here, because a draft belongs to the page and not to the open tab.
  const tools = usePackDraft(pack)
  const settings = usePackSettings(pack)
  return (
    <>
      <PackCost pack={pack} draft={tools} />
      <Tabs
        label="Tool Pack"
        value={tab}
        onChange={(next: PackTab) =>
          void navigate({ search: previous => ({ ...previous, tab: next }), replace: true })
        }
        tabs={[
          { value: 'tools', label: 'Tools', content: <PackTools draft={tools} /> },
          { value: 'connect', label: 'Connect a client', content: <ConnectClients pack={pack} /> },
          { value: 'settings', label: 'Settings', content: <PackSettings pack={pack} draft={settings} /> },
        ]}
      />
    </>
  )
}

export default ToolPackPage
