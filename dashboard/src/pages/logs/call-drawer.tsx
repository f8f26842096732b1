import type { ToolCallDetail } from '@carabiner/sdk'
import { getRouteApi } from '@tanstack/react-router'
import { useApiQuery } from '../../api/use-api-query.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Details } from '../../ui/data/details.tsx'
import { JsonView } from '../../ui/data/json-view.tsx'
import { OutcomeDot } from '../../ui/data/outcome.tsx'
import { RelativeTime } from '../../ui/data/relative-time.tsx'
import { UserName } from '../../ui/data/user-name.tsx'
import { Drawer } from '../../ui/overlays/drawer.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { ErrorState } from '../../ui/states/error-state.tsx'
import { SkeletonRows } from '../../ui/states/skeleton.tsx'
import { rowOfRecord, shownOutcome, toolName } from './call-row.ts'
import { CallTiming } from './call-timing.tsx'
import { errorWords } from './error-words.ts'

const route = getRouteApi('/o/$organization/$mode/logs')

export const useCall = (id: string) =>
  useApiQuery(['tool-calls', 'one', id], (api, options) => api.toolCalls.get(id, options))

/** The details of one call. Its ID is in the URL, so the view can be shared. */
const CallDrawer = ({ callId, onClose }: { callId: string; onClose: () => void }) => {
  const { data: call, error, refetch } = useCall(callId)
  return (
    <Drawer
      isOpen
      onClose={onClose}
      title={call ? <code className="font-mono text-base">{toolName(call)}</code> : 'Tool call'}
      subtitle={call && <RelativeTime at={call.started_at} isAbsolute />}
      actions={call && <CallActions call={call} />}
    >
      {call ? (
        <CallDetails call={call} />
      ) : error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <SkeletonRows label="Loading the call" isInCard={false} />
      )}
    </Drawer>
  )
}

const CallActions = ({ call }: { call: ToolCallDetail }) => {
  const navigate = route.useNavigate()
  const query = new URLSearchParams({
    pack: call.tool_pack_id,
    user: call.registered_user_id,
    tool: toolName(call),
  })
  return (
    <>
      <PageLink path={`/explain?${query}`} className={buttonClass('primary')}>
        Explain
      </PageLink>
      <PageLink path={`/playground?${query}`} className={buttonClass()}>
        Open in playground
      </PageLink>
      <Button
        kind="quiet"
        onClick={() =>
          void navigate({ search: previous => ({ ...previous, call: undefined, compare: call.id }) })
        }
      >
        Compare
      </Button>
    </>
  )
}

const CallDetails = ({ call }: { call: ToolCallDetail }) => {
  const words = errorWords(call.error_code, call.outcome)
  return (
    <>
      <section className="grid gap-1.5">
        <OutcomeDot {...shownOutcome(rowOfRecord(call))} />
        {words && <p className="text-sm text-muted">{words}</p>}
      </section>
      <CallTiming call={call} />
      <Details
        entries={[
          [
            'User',
            <PageLink
              key="user"
              path={`/users?user=${call.registered_user_id}`}
              className="inline-flex min-h-6 items-center underline"
            >
              <UserName id={call.registered_user_id} />
            </PageLink>,
          ],
          ['Account', call.account_label],
          ['Counted', call.counted ? 'Yes, toward the plan' : 'No'],
          ['Call ID', <Identifier key="id" text={call.id} />],
          ['Request ID', <Identifier key="request" text={call.request_id} />],
          ['Trace ID', call.trace_id && <Identifier key="trace" text={call.trace_id} />],
          ['Sizes', sizesOf(call)],
        ]}
      />
      <Payload call={call} />
      {Object.keys(call.headers).length > 0 && (
        <section className="grid gap-2.5">
          <h3 className="text-sm font-semibold">Headers of the caller</h3>
          <JsonView label="Headers of the caller" value={call.headers} />
        </section>
      )}
    </>
  )
}

const Identifier = ({ text }: { text: string }) => (
  <span className="-my-1.5 flex items-center gap-1">
    <code className="min-w-0 font-mono text-xs">{text}</code>
    <CopyButton text={text} />
  </span>
)

const sizesOf = ({
  arguments_bytes: given,
  result_bytes: returned,
  view_bytes: viewed,
}: ToolCallDetail): string | null =>
  given === null && returned === null
    ? null
    : `${(given ?? 0).toLocaleString()} bytes sent, ${(returned ?? 0).toLocaleString()} returned${viewed === null ? '' : `, ${viewed.toLocaleString()} after the view`}`

const Payload = ({ call }: { call: ToolCallDetail }) => {
  if (call.payload !== 'kept')
    return (
      <p className="text-sm text-muted">
        {call.payload === 'unreadable'
          ? 'Arguments and result cannot be decrypted. They were modified, or a key is lost.'
          : 'Arguments and result were not stored. Capture can be turned on in the settings of the organization.'}
      </p>
    )
  return (
    <>
      <section className="grid gap-2.5">
        <h3 className="text-sm font-semibold">Arguments</h3>
        <JsonView label="Arguments" value={call.arguments} />
        {call.arguments_truncated && <Truncated />}
      </section>
      <section className="grid gap-2.5">
        <h3 className="text-sm font-semibold">Result</h3>
        <JsonView label="Result" value={call.result} />
        {call.result_truncated && <Truncated />}
      </section>
    </>
  )
}

const Truncated = () => <p className="text-xs text-muted">Truncated to the first 64 KB.</p>

export default CallDrawer
