import { Moon, X } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useConnectorName } from '../../api/use-connectors.ts'
import { useMay } from '../../shell/use-session.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { ConnectorNames } from '../../ui/data/connector-names.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { EmptyState } from '../../ui/states/empty-state.tsx'
import { errorWords } from '../logs/error-words.ts'
import { keyOf, useHiddenGroups } from './hidden-groups.ts'
import type { ErrorGroup } from './summary-query.ts'

const CreateLinksDialog = lazy(() => import('./create-links-dialog.tsx'))

const time = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
const dayAndTime = new Intl.DateTimeFormat(undefined, {
  weekday: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
})

const formatStart = (at: string): string => {
  const start = new Date(at)
  return (start.toDateString() === new Date().toDateString() ? time : dayAndTime).format(start)
}

const VERBS: Record<ErrorGroup['outcome'], string> = {
  error: 'failed',
  needs_auth: 'needed a connection',
  approval_required: 'needed an approval',
  blocked: 'blocked by a rule',
  limited: 'hit a limit',
  unknown: 'ended with an unknown outcome',
  withheld: 'withheld because the user or the key was deactivated',
  success: 'succeeded',
  replayed: 'replayed',
}

const logsPath = (group: ErrorGroup): string => {
  const query = new URLSearchParams({
    outcome: group.outcome,
    ...(group.error_code !== null && { error: group.error_code }),
    ...(group.connector !== null && { connector: group.connector }),
  })
  return `/logs?${query}`
}

const plural = (count: number, one: string, many: string): string =>
  `${count.toLocaleString()} ${count === 1 ? one : many}`

/** Failed calls, grouped by their cause instead of listed. A group can be hidden until it happens again, or for a day. */
export const ErrorGroups = ({ groups }: { groups: readonly ErrorGroup[] }) => {
  const mayBuild = useMay('build')
  const [chosen, setChosen] = useState<ErrorGroup | null>(null)
  const { isHidden, dismiss, snooze, showAll } = useHiddenGroups()
  const shown = groups.filter(group => !isHidden(group))
  const hiddenCount = groups.length - shown.length
  return (
    <>
      {shown.length === 0 && <EmptyState title="Nothing new" />}
      <ul className="divide-y divide-line">
        {shown.map(group => (
          <li key={keyOf(group)} className="flex flex-wrap items-center gap-x-4 gap-y-3 px-4.5 py-4 md:px-5">
            <span className="w-14 text-lg font-semibold">{group.calls.toLocaleString()}</span>
            <div className="grid min-w-0 flex-1 basis-72 gap-0.5 text-sm">
              <p>
                {group.calls === 1 ? 'call' : 'calls'} {VERBS[group.outcome]}
                {group.error_code !== null && (
                  <>
                    {group.outcome === 'needs_auth' ? ': ' : ' with '}
                    <code className="font-mono text-xs font-medium">{group.error_code}</code>
                  </>
                )}
                {group.connector !== null && (
                  <>
                    {' '}
                    on{' '}
                    <b className="font-medium">
                      <ConnectorNames slugs={[group.connector]} />
                    </b>
                  </>
                )}
              </p>
              <p className="text-xs text-muted">
                since {formatStart(group.first_at)}, {plural(group.users, 'user', 'users')}
                {group.tool !== null && (
                  <>
                    , all from <code className="font-mono">{group.tool}</code>
                  </>
                )}
                . {errorWords(group.error_code, group.outcome)}
              </p>
            </div>
            <div className="flex flex-wrap gap-2">
              <PageLink path={logsPath(group)} className={buttonClass('secondary', 'sm')}>
                See calls
              </PageLink>
              {group.outcome === 'needs_auth' && mayBuild && (
                <Button kind="primary" size="sm" onClick={() => setChosen(group)}>
                  Create links for {plural(group.users, 'user', 'users')}
                </Button>
              )}
              <span className="-my-0.5 flex">
                <IconButton
                  label="Snooze for 24 hours"
                  icon={<Moon className="size-4" aria-hidden="true" />}
                  onClick={() => snooze(group)}
                />
                <IconButton
                  label="Dismiss until it happens again"
                  icon={<X className="size-4" aria-hidden="true" />}
                  onClick={() => dismiss(group)}
                />
              </span>
            </div>
          </li>
        ))}
      </ul>
      {hiddenCount > 0 && (
        <p className="flex items-center gap-2 border-t border-line px-4.5 py-2 text-sm text-muted md:px-5">
          {hiddenCount === 1 ? '1 hidden' : `${hiddenCount} hidden`}
          <Button kind="quiet" size="sm" onClick={showAll}>
            Show
          </Button>
        </p>
      )}
      <Suspense>{chosen && <CreateLinks group={chosen} onClose={() => setChosen(null)} />}</Suspense>
    </>
  )
}

/** For the users whose calls need a connection. */
const CreateLinks = ({ group, onClose }: { group: ErrorGroup; onClose: () => void }) => {
  const connector = group.connector ?? undefined
  const nameOf = useConnectorName()
  return (
    <CreateLinksDialog
      title={`Create links${connector ? ` for ${nameOf(connector)}` : ''}`}
      queryKey={['tool-calls', 'affected-users', group]}
      load={async (api, options) => {
        const users = await api.toolCalls.affectedUsers(
          {
            outcome: 'needs_auth',
            ...(group.error_code !== null && { error_code: group.error_code }),
            ...(connector !== undefined && { connector }),
          },
          options,
        )
        const recipients = users.data.map(({ registered_user_id: userId, tool_pack_id }) => ({
          userId,
          request: { tool_pack_id, ...(connector !== undefined && { connector }) },
        }))
        return { recipients, hasMore: users.has_more }
      }}
      onClose={onClose}
    />
  )
}
