import type { Credential, CredentialTest, LinkToken, RegisteredUser } from '@carabiner/sdk'
import { lazy, Suspense, useState } from 'react'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useMay } from '../../shell/use-session.ts'
import { Button } from '../../ui/button.tsx'
import { Badge, type Tone } from '../../ui/data/badge.tsx'
import { RelativeTime } from '../../ui/data/relative-time.tsx'
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.tsx'
import { ErrorNote } from '../../ui/states/error-note.tsx'
import { SkeletonRows } from '../../ui/states/skeleton.tsx'
import { useCredentials } from './use-users.ts'

const SendLinkDialog = lazy(() => import('./send-link-dialog.tsx'))

/** The accounts that the user has connected. */
export const UserCredentials = ({ user }: { user: RegisteredUser }) => {
  const { data, error } = useCredentials(user.id)
  return (
    <section className="grid gap-2.5">
      <h3 className="text-sm font-semibold">Connected accounts</h3>
      {error ? (
        <ErrorNote error={error} />
      ) : !data ? (
        <SkeletonRows label="Loading accounts" rows={2} isInCard={false} />
      ) : data.length === 0 ? (
        <p className="text-sm text-muted">
          Nothing is connected. Send the user a link, or let an agent ask for it.
        </p>
      ) : (
        <ul className="divide-y divide-line rounded-popup border border-line">
          {data.map(credential => (
            <CredentialRow
              key={credential.credential_id}
              credential={credential}
              user={user}
              isOneOfSeveral={isOneOfSeveral(credential, data)}
            />
          ))}
        </ul>
      )}
    </section>
  )
}

const STATUSES: Record<Credential['status'], { label: string; tone: Tone }> = {
  active: { label: 'Active', tone: 'good' },
  needs_reauth: { label: 'Needs to be connected again', tone: 'warn' },
  revoked: { label: 'Revoked', tone: 'neutral' },
}

const isOneOfSeveral = ({ connector_slug: slug }: Credential, all: Credential[]): boolean =>
  all.filter(other => other.connector_slug === slug && other.status !== 'revoked').length > 1

/** Null: the account is not shared. */
const describeShares = ({ shared_with: access }: Credential): string | null => {
  if (access.everyone) return 'Shared with everyone'
  const counts = [
    [access.registered_user_ids.length, 'user'],
    [access.tool_pack_ids.length, 'Tool Pack'],
  ] as const
  const parts = counts.flatMap(([count, noun]) =>
    count > 0 ? `${count} ${noun}${count > 1 ? 's' : ''}` : [],
  )
  return parts.length > 0 ? `Shared with ${parts.join(' and ')}` : null
}

type CredentialRowProps = { credential: Credential; user: RegisteredUser; isOneOfSeveral: boolean }

const CredentialRow = ({ credential, user, isOneOfSeveral: isNamed }: CredentialRowProps) => {
  const mayBuild = useMay('build')
  const [isAsked, setAsked] = useState(false)
  const { credential_id: id, registered_user_id: userId, connector_slug: slug } = credential
  const { label, tone } = STATUSES[credential.status]
  const name = isNamed ? `${slug} (${credential.label})` : slug
  const shares = describeShares(credential)
  const test = useApiMutation((api, one: string) => api.registeredUsers.credentials.test(userId, one), {
    invalidates: [['users', 'credentials', userId]],
  })
  const resume = useApiMutation((api, one: string) => api.registeredUsers.credentials.resume(userId, one), {
    invalidates: [['users', 'credentials', userId]],
  })
  const disconnect = useApiMutation(
    (api, one: string) => api.registeredUsers.credentials.delete(userId, one),
    { invalidates: [['users']], onSuccess: () => setAsked(false) },
  )
  return (
    <li className="grid gap-2 px-3.5 py-3 text-sm">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <div className="grid min-w-0 flex-1 gap-0.5">
          <span className="font-medium">{slug}</span>
          <span className="text-xs text-muted">
            {credential.label !== credential.account && `${credential.label} · `}
            {credential.account && `${credential.account} · `}connected{' '}
            <RelativeTime at={credential.created_at} />
            {credential.checked_at && (
              <>
                {' '}
                · checked <RelativeTime at={credential.checked_at} />
              </>
            )}
          </span>
          {shares && <span className="text-xs text-muted">{shares}</span>}
          {credential.scopes.length > 0 && (
            <code className="font-mono text-xs text-muted">{credential.scopes.join(' ')}</code>
          )}
        </div>
        {credential.paused_until ? (
          <Badge tone="warn">
            Paused until <RelativeTime at={credential.paused_until} isAbsolute />
          </Badge>
        ) : (
          <Badge tone={tone}>{label}</Badge>
        )}
      </div>
      {mayBuild && user.is_active && credential.status !== 'active' && (
        <Reconnect user={user} credential={credential} />
      )}
      {mayBuild && credential.status !== 'revoked' && (
        <div className="flex flex-wrap gap-1.5">
          <Button
            size="sm"
            isBusy={test.isPending}
            onClick={() => test.mutate(id)}
            aria-label={`Test ${name}`}
          >
            Test
          </Button>
          {credential.paused_until && (
            <Button
              size="sm"
              isBusy={resume.isPending}
              onClick={() => resume.mutate(id)}
              aria-label={`Resume ${name}`}
            >
              Resume
            </Button>
          )}
          <Button size="sm" kind="quiet" onClick={() => setAsked(true)} aria-label={`Disconnect ${name}`}>
            Disconnect
          </Button>
        </div>
      )}
      {test.error && <ErrorNote error={test.error} />}
      {test.data && <TestResult result={test.data} />}
      <ConfirmDialog
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        onConfirm={() => disconnect.mutate(id)}
        title={`Disconnect ${name}?`}
        action="Disconnect"
        isBusy={disconnect.isPending}
        error={disconnect.error}
      >
        The token is revoked at the provider where possible. Tools of this connector ask the user to connect
        again.
      </ConfirmDialog>
    </li>
  )
}

/** Creates a link that reconnects a broken connection. A revoked one is linked as a new one. */
const Reconnect = ({ user, credential }: { user: RegisteredUser; credential: Credential }) => {
  const { connector_slug: connector, credential_id, status } = credential
  const [link, setLink] = useState<LinkToken | null>(null)
  const mint = useApiMutation(
    (api, slug: string) =>
      api.linkTokens.mint(user.id, {
        connector_slug: slug,
        ...(status !== 'revoked' && { credential_id }),
      }),
    { invalidates: [['users', 'link-sessions', user.id]], onSuccess: setLink },
  )
  return (
    <div className="grid justify-items-start gap-2">
      <Button
        size="sm"
        kind="primary"
        isBusy={mint.isPending}
        onClick={() => mint.mutate(connector)}
        aria-label={`Reconnect ${connector}`}
      >
        Reconnect
      </Button>
      {mint.error && <ErrorNote error={mint.error} />}
      <Suspense>
        {link && <SendLinkDialog user={user} created={{ link, connector }} onClose={() => setLink(null)} />}
      </Suspense>
    </div>
  )
}

const TestResult = ({ result: { works, message, account } }: { result: CredentialTest }) => (
  <p role="status" className={works ? 'text-good' : 'text-bad'}>
    {message} {account && `Account: ${account}.`}
  </p>
)
