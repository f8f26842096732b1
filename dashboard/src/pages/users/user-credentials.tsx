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
            <CredentialRow key={credential.credential_id} credential={credential} user={user} />
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

const CredentialRow = ({ credential, user }: { credential: Credential; user: RegisteredUser }) => {
  const mayBuild = useMay('build')
  const [isAsked, setAsked] = useState(false)
  const { credential_id: id, registered_user_id: userId, connector_slug: slug } = credential
  const { label, tone } = STATUSES[credential.status]
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
            {credential.account && `${credential.account} · `}connected{' '}
            <RelativeTime at={credential.created_at} />
            {credential.checked_at && (
              <>
                {' '}
                · checked <RelativeTime at={credential.checked_at} />
              </>
            )}
          </span>
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
        <Reconnect user={user} connector={slug} />
      )}
      {mayBuild && credential.status !== 'revoked' && (
        <div className="flex flex-wrap gap-1.5">
          <Button
            size="sm"
            isBusy={test.isPending}
            onClick={() => test.mutate(id)}
            aria-label={`Test ${slug}`}
          >
            Test
          </Button>
          {credential.paused_until && (
            <Button
              size="sm"
              isBusy={resume.isPending}
              onClick={() => resume.mutate(id)}
              aria-label={`Resume ${slug}`}
            >
              Resume
            </Button>
          )}
          <Button size="sm" kind="quiet" onClick={() => setAsked(true)} aria-label={`Disconnect ${slug}`}>
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
        title={`Disconnect ${slug}?`}
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

/** Creates a link for the connector of a broken connection. */
const Reconnect = ({ user, connector }: { user: RegisteredUser; connector: string }) => {
  const [link, setLink] = useState<LinkToken | null>(null)
  const mint = useApiMutation((api, slug: string) => api.linkTokens.mint(user.id, { connector_slug: slug }), {
    invalidates: [['users', 'link-sessions', user.id]],
    onSuccess: setLink,
  })
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
