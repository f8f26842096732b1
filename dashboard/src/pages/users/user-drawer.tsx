import type { RegisteredUser } from '@carabiner/sdk'
import { lazy, Suspense, useState } from 'react'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useMay } from '../../shell/use-session.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Badge } from '../../ui/data/badge.tsx'
import { Copyable } from '../../ui/data/copyable.tsx'
import { Details } from '../../ui/data/details.tsx'
import { JsonView } from '../../ui/data/json-view.tsx'
import { RelativeTime } from '../../ui/data/relative-time.tsx'
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.tsx'
import { Drawer } from '../../ui/overlays/drawer.tsx'
import { toast } from '../../ui/overlays/toast.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { NotLoaded } from '../../ui/states/not-loaded.tsx'
import { useUser } from './use-users.ts'
import { UserCalls } from './user-calls.tsx'
import { UserCredentials } from './user-credentials.tsx'
import { UserGrants } from './user-grants.tsx'
import { UserLinkSessions } from './user-link-sessions.tsx'
import { UserMcpKeys } from './user-mcp-keys.tsx'
import { UserRemembered } from './user-remembered.tsx'

const CreateLinkDialog = lazy(() => import('./create-link-dialog.tsx'))

/** The details of one user. Its ID is in the URL, so the view can be shared. */
const UserDrawer = ({ userId, onClose }: { userId: string; onClose: () => void }) => {
  const { data: user, error, refetch } = useUser(userId)
  return (
    <Drawer
      isOpen
      onClose={onClose}
      title={user ? (user.origin_user_name ?? user.origin_user_id) : 'Registered User'}
      subtitle={user?.email}
      actions={user && <UserActions user={user} onDeleted={onClose} />}
    >
      {user ? (
        <UserDetails user={user} />
      ) : (
        <NotLoaded error={error} onRetry={refetch} label="Loading the user" isInCard={false} />
      )}
    </Drawer>
  )
}

const UserDetails = ({ user }: { user: RegisteredUser }) => (
  <>
    <Details
      entries={[
        ['Status', user.is_active ? <Badge tone="good">Active</Badge> : <Badge>Deactivated</Badge>],
        ['ID', <Copyable text={user.id} label="Copy the ID" />],
        ['Your ID', <Copyable text={user.origin_user_id} label="Copy your ID" />],
        ['Rate limit', user.rate_limit_per_minute && `${user.rate_limit_per_minute} calls per minute`],
        ['Created', <RelativeTime at={user.created_at} isAbsolute />],
      ]}
    />
    <UserLinks user={user} />
    <UserCredentials user={user} />
    <UserCalls userId={user.id} />
    <UserLinkSessions userId={user.id} />
    <UserMcpKeys user={user} />
    <UserGrants userId={user.id} />
    <UserRemembered userId={user.id} />
    {Object.keys(user.metadata).length > 0 && (
      <section className="grid gap-2.5">
        <h3 className="text-sm font-semibold">Metadata</h3>
        <JsonView label="Metadata" value={user.metadata} />
      </section>
    )}
  </>
)

/** Where the user is used. */
const UserLinks = ({ user: { id } }: { user: RegisteredUser }) => (
  <nav aria-label="This user elsewhere" className="flex flex-wrap gap-2">
    <PageLink path={`/explain?user=${id}`} className={buttonClass('secondary', 'sm')}>
      Explain a call
    </PageLink>
    <PageLink path={`/playground?user=${id}`} className={buttonClass('secondary', 'sm')}>
      Open in Playground
    </PageLink>
  </nav>
)

type Confirmation = 'deactivate' | 'delete' | 'link' | null

const UserActions = ({ user, onDeleted }: { user: RegisteredUser; onDeleted: () => void }) => {
  const mayBuild = useMay('build')
  const [dialog, setDialog] = useState<Confirmation>(null)
  const close = (): void => setDialog(null)
  const setActive = useApiMutation(
    (api, is_active: boolean) => api.registeredUsers.update(user.id, { is_active }),
    { invalidates: [['users']], onSuccess: close },
  )
  const remove = useApiMutation((api, id: string) => api.registeredUsers.delete(id), {
    invalidates: [['users', 'list']],
    onSuccess: () => {
      close()
      onDeleted()
      toast({ title: 'User deleted', description: 'All of the user’s data was deleted.' })
    },
  })
  if (!mayBuild) return null
  const name = user.origin_user_name ?? user.origin_user_id
  return (
    <>
      {user.is_active && (
        <Button kind="primary" onClick={() => setDialog('link')}>
          Create link
        </Button>
      )}
      <Suspense>{dialog === 'link' && <CreateLinkDialog user={user} onClose={close} />}</Suspense>
      {user.is_active ? (
        <Button onClick={() => setDialog('deactivate')}>Deactivate</Button>
      ) : (
        <Button isBusy={setActive.isPending} onClick={() => setActive.mutate(true)}>
          Activate
        </Button>
      )}
      <Button kind="quiet-danger" onClick={() => setDialog('delete')}>
        Delete
      </Button>
      <ConfirmDialog
        isOpen={dialog === 'deactivate'}
        onClose={close}
        onConfirm={() => setActive.mutate(false)}
        title={`Deactivate ${name}?`}
        action="Deactivate"
        request={setActive}
      >
        Tool calls for this user will fail, and the user’s credentials are revoked. If you activate the user
        again, the accounts must be reconnected.
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={dialog === 'delete'}
        onClose={close}
        onConfirm={() => remove.mutate(user.id)}
        title={`Delete ${name}?`}
        action="Delete user"
        typedName={user.origin_user_id}
        request={remove}
      >
        Deletes the user with all credentials, keys and links. This cannot be undone.
      </ConfirmDialog>
    </>
  )
}

export default UserDrawer
