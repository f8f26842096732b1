import type { Credential, CredentialTest } from '@carabiner/sdk'
import { lazy, Suspense, useState } from 'react'
import { useApiMutation } from '../api/use-api-mutation.ts'
import { useConnectorName } from '../api/use-connectors.ts'
import { useMay } from '../shell/use-session.ts'
import { Button } from '../ui/button.tsx'
import { Badge, type Tone } from '../ui/data/badge.tsx'
import { ConnectorNames } from '../ui/data/connector-names.tsx'
import { RelativeTime } from '../ui/data/relative-time.tsx'
import { ErrorNote } from '../ui/states/error-note.tsx'
import type { AccountOwner } from './account-owner.ts'
import { describeAccess } from './describe-access.ts'
import { Reconnect } from './reconnect.tsx'

const AccessDialog = lazy(() => import('./access-dialog.tsx'))
const RenameDialog = lazy(() => import('./rename-dialog.tsx'))
const ReplaceDialog = lazy(() => import('./replace-dialog.tsx'))
const DisconnectDialog = lazy(() => import('./disconnect-dialog.tsx'))

const STATUSES: Record<Credential['status'], { label: string; tone: Tone }> = {
  active: { label: 'Active', tone: 'good' },
  needs_reauth: { label: 'Needs reconnecting', tone: 'warn' },
  revoked: { label: 'Revoked', tone: 'neutral' },
}

type Props = { account: Credential; owner: AccountOwner; isOneOfSeveral: boolean }

export const AccountRow = ({ account, owner, isOneOfSeveral }: Props) => {
  const mayBuild = useMay('build')
  const { connector_slug: slug, label, status } = account
  const connector = useConnectorName()(slug)
  const name = isOneOfSeveral ? `${connector} (${label})` : connector
  return (
    <li className="grid gap-2 px-3.5 py-3 text-sm">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <Description account={account} isOrganization={owner.isOrganization} />
        {account.paused_until ? (
          <Badge tone="warn">
            <span>
              Paused until <RelativeTime at={account.paused_until} isAbsolute />
            </span>
          </Badge>
        ) : (
          <Health account={account} />
        )}
      </div>
      {mayBuild && owner.isActive && account.health.state !== 'healthy' && (
        <Reconnect owner={owner} account={account} />
      )}
      {status !== 'revoked' && (mayBuild || describeAccess(account) !== null) && (
        <Actions account={account} owner={owner} name={name} mayBuild={mayBuild} />
      )}
    </li>
  )
}

/** The end of an account at risk, if it is known. A refusal that may be an outage is not shown. */
const Health = ({ account: { status, health } }: { account: Credential }) =>
  health.state === 'at_risk' && health.ends_at !== null ? (
    <Badge tone="warn">
      <span>
        {health.reason === 'rotation_due' ? 'Needs a new key by' : 'Ends'}{' '}
        <RelativeTime at={health.ends_at} isAbsolute />
      </span>
    </Badge>
  ) : (
    <Badge tone={STATUSES[status].tone}>{STATUSES[status].label}</Badge>
  )

const Description = ({ account, isOrganization }: { account: Credential; isOrganization: boolean }) => {
  const access = describeAccess(account) ?? (isOrganization && 'Not shared: nobody can use it')
  return (
    <div className="grid min-w-0 flex-1 gap-0.5">
      <span className="flex flex-wrap gap-x-2">
        <span className="font-medium">
          <ConnectorNames slugs={[account.connector_slug]} />
        </span>
        <span className="min-w-0 wrap-anywhere">{account.label}</span>
      </span>
      <span className="text-xs text-muted">
        {account.account && account.account !== account.label && `${account.account} · `}connected{' '}
        <RelativeTime at={account.created_at} />
        {account.checked_at && (
          <>
            {' '}
            · checked <RelativeTime at={account.checked_at} />
          </>
        )}
      </span>
      {access && <span className="text-xs text-muted">{access}</span>}
      {account.scopes.length > 0 && (
        <code className="font-mono text-xs text-muted">{account.scopes.join(' ')}</code>
      )}
    </div>
  )
}

type ActionsProps = { account: Credential; owner: AccountOwner; name: string; mayBuild: boolean }

const Actions = ({ account, owner, name, mayBuild }: ActionsProps) => {
  const [openDialog, setOpenDialog] = useState<'rename' | 'replace' | 'access' | 'disconnect' | null>(null)
  const { credential_id: id } = account
  const invalidates = [owner.queryKey]
  const test = useApiMutation((api, one: string) => api.registeredUsers.credentials.test(owner.id, one), {
    invalidates,
  })
  const resume = useApiMutation((api, one: string) => api.registeredUsers.credentials.resume(owner.id, one), {
    invalidates,
  })
  const close = (): void => setOpenDialog(null)
  const dialog = { account, owner, name, onClose: close }
  return (
    <>
      <div className="flex flex-wrap gap-1.5">
        {mayBuild && (
          <Button
            size="sm"
            isBusy={test.isPending}
            onClick={() => test.mutate(id)}
            aria-label={`Test ${name}`}
          >
            Test
          </Button>
        )}
        {mayBuild && account.paused_until && (
          <Button
            size="sm"
            isBusy={resume.isPending}
            onClick={() => resume.mutate(id)}
            aria-label={`Resume ${name}`}
          >
            Resume
          </Button>
        )}
        {mayBuild && (
          <Button size="sm" onClick={() => setOpenDialog('rename')} aria-label={`Rename ${name}`}>
            Rename
          </Button>
        )}
        {mayBuild && owner.isOrganization && account.method !== 'oauth2' && (
          <Button
            size="sm"
            onClick={() => setOpenDialog('replace')}
            aria-label={`Replace credentials of ${name}`}
          >
            Replace credentials
          </Button>
        )}
        <Button size="sm" onClick={() => setOpenDialog('access')} aria-label={`Access to ${name}`}>
          Access
        </Button>
        {mayBuild && (
          <Button
            size="sm"
            kind="quiet-danger"
            onClick={() => setOpenDialog('disconnect')}
            aria-label={`Disconnect ${name}`}
          >
            Disconnect
          </Button>
        )}
      </div>
      {test.error && <ErrorNote error={test.error} />}
      {resume.error && <ErrorNote error={resume.error} />}
      {test.data && <TestResult result={test.data} />}
      <Suspense>
        {openDialog === 'rename' && <RenameDialog {...dialog} />}
        {openDialog === 'replace' && <ReplaceDialog {...dialog} />}
        {openDialog === 'access' && <AccessDialog {...dialog} isReadOnly={!mayBuild} />}
        {openDialog === 'disconnect' && <DisconnectDialog {...dialog} />}
      </Suspense>
    </>
  )
}

const TestResult = ({ result: { works, message, account } }: { result: CredentialTest }) => (
  <p role="status" className={works ? 'text-good' : 'text-bad'}>
    {message} {account && `Account: ${account}.`}
  </p>
)
