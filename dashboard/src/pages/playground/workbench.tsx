import type { RegisteredUser, ToolPack } from '@carabiner/sdk'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useApi } from '../../api/use-api.ts'
import { Card } from '../../ui/card.tsx'
import { SearchInput } from '../../ui/lists/search-input.tsx'
import { EmptyState } from '../../ui/states/empty-state.tsx'
import { NotLoaded } from '../../ui/states/not-loaded.tsx'
import { listTools } from './list-tools.ts'
import { createMcpCaller, type McpCaller } from './mcp-caller.ts'
import { ToolList } from './tool-list.tsx'
import { ToolRunner } from './tool-runner.tsx'

const route = getRouteApi('/o/$organization/$mode/playground')

const useCaller = (packId: string, userId: string): McpCaller => {
  const { api } = useApi()
  const [caller] = useState(() => createMcpCaller({ api, packId, userId, keyName: 'Playground' }))
  useEffect(() => {
    window.addEventListener('pagehide', caller.close)
    return () => {
      window.removeEventListener('pagehide', caller.close)
      caller.close()
    }
  }, [caller])
  return caller
}

export const Workbench = ({ user, pack }: { user: RegisteredUser; pack: ToolPack }) => {
  const { tool: chosen, q = '' } = route.useSearch()
  const navigate = route.useNavigate()
  const caller = useCaller(pack.id, user.id)
  const { scopeKey } = useApi()
  const { data, error, refetch } = useQuery({
    queryKey: [...scopeKey, 'playground', pack.id, user.id],
    queryFn: ({ signal }) => listTools(caller, signal),
    // The key of a previous visit is revoked, so a cached list would hide that.
    gcTime: 0,
  })
  const search = (text: string): void =>
    void navigate({ search: previous => ({ ...previous, q: text.trim() || undefined }), replace: true })
  if (error || !data)
    return (
      <Card isFlush>
        <NotLoaded error={error} onRetry={refetch} label="Loading tools" />
      </Card>
    )
  const tool = data.find(({ name }) => name === chosen)
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[19rem_minmax(0,1fr)]">
      <Card isFlush>
        <div className="grid gap-2 p-3">
          <SearchInput label="Find a tool" placeholder={`${data.length} tools`} value={q} onChange={search} />
        </div>
        <ToolList tools={data} text={q} chosen={chosen} />
      </Card>
      {tool ? (
        <ToolRunner
          key={tool.name}
          tool={tool}
          caller={caller}
          user={user}
          packId={pack.id}
          onListChanged={() => void refetch()}
        />
      ) : (
        <Card>
          <EmptyState title={chosen ? 'This pack does not offer the tool' : 'Choose a tool'}>
            {chosen
              ? `An agent acting for this user does not see ${chosen}. Explain shows why.`
              : 'These are the tools that this user’s agents see.'}
          </EmptyState>
        </Card>
      )}
    </div>
  )
}
