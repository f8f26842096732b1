import type { RegisteredUser, ToolPack } from '@carabiner/sdk'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useCallback, useEffect, useState } from 'react'
import { useApi } from '../../api/use-api.ts'
import { Card } from '../../ui/card.tsx'
import { SearchInput } from '../../ui/lists/search-input.tsx'
import { EmptyState } from '../../ui/states/empty-state.tsx'
import { ErrorState } from '../../ui/states/error-state.tsx'
import { SkeletonRows } from '../../ui/states/skeleton.tsx'
import { createMcpCaller, type McpCaller } from './mcp-caller.ts'
import { ToolList } from './tool-list.tsx'
import { ToolRunner } from './tool-runner.tsx'

const route = getRouteApi('/o/$organization/$mode/playground')

export type ListedTool = {
  name: string
  title?: string
  description: string
  inputSchema: Record<string, unknown>
  annotations: Record<string, unknown>
}

const useCaller = (packId: string, userId: string): McpCaller => {
  const { api } = useApi()
  const [caller] = useState(() => createMcpCaller({ api, packId, userId }))
  useEffect(() => {
    window.addEventListener('pagehide', caller.close)
    return () => {
      window.removeEventListener('pagehide', caller.close)
      caller.close()
    }
  }, [caller])
  return caller
}

/** The MCP protocol pages the list; a model sees all of it. */
const listAll = async (caller: McpCaller, signal: AbortSignal): Promise<ListedTool[]> => {
  const tools: ListedTool[] = []
  for (let cursor: unknown; ; ) {
    const { answer } = await caller.call('tools/list', cursor === undefined ? {} : { cursor }, signal)
    if (!answer.result) throw new Error(answer.error?.message ?? 'The tools could not be listed.')
    tools.push(...(answer.result['tools'] as ListedTool[]))
    cursor = answer.result['nextCursor']
    if (cursor === undefined) return tools
  }
}

export const Workbench = ({ user, pack }: { user: RegisteredUser; pack: ToolPack }) => {
  const { tool: chosen, q = '' } = route.useSearch()
  const navigate = route.useNavigate()
  const caller = useCaller(pack.id, user.id)
  const { scopeKey } = useApi()
  const { data, error, refetch } = useQuery({
    queryKey: [...scopeKey, 'playground', pack.id, user.id],
    queryFn: ({ signal }) => listAll(caller, signal),
    // The key of a previous visit is revoked, so a cached list would hide that.
    gcTime: 0,
  })
  const search = useCallback(
    (text: string) =>
      void navigate({ search: previous => ({ ...previous, q: text.trim() || undefined }), replace: true }),
    [navigate],
  )
  if (error)
    return (
      <Card>
        <ErrorState error={error} onRetry={() => void refetch()} />
      </Card>
    )
  if (!data)
    return (
      <Card isFlush>
        <SkeletonRows label="Loading tools" />
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
              ? `${chosen} is not in the list that an agent of this user sees. Explain tells why.`
              : 'This is the list that an agent of this user sees.'}
          </EmptyState>
        </Card>
      )}
    </div>
  )
}
