import { useState } from 'react'
import { canCreatePasskeys, createPasskey, deletePasskey, type Passkey } from '../../../api/account.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { RelativeTime } from '../../../ui/data/relative-time.tsx'
import { ConfirmDialog } from '../../../ui/overlays/confirm-dialog.tsx'
import { ErrorNote } from '../../../ui/states/error-note.tsx'
import { NotLoaded } from '../../../ui/states/not-loaded.tsx'
import { deviceOf } from './device-of.ts'
import { useAccountChange, usePasskeys } from './use-account.ts'

export const Passkeys = () => {
  const { data, error, refetch } = usePasskeys()
  const [removed, setRemoved] = useState<Passkey | null>(null)
  const add = useAccountChange(createPasskey)
  return (
    <Card
      title="Passkeys"
      note="Sign in with your fingerprint, face or device PIN instead of a password."
      actions={
        canCreatePasskeys() && (
          <Button isBusy={add.isPending} onClick={() => add.mutate(deviceOf(navigator.userAgent))}>
            Add passkey
          </Button>
        )
      }
    >
      <div className="grid gap-3">
        {add.error && <PasskeyError error={add.error} />}
        {error || !data ? (
          <NotLoaded error={error} onRetry={refetch} label="Loading passkeys" rows={1} isInCard={false} />
        ) : data.length === 0 ? (
          <p className="text-sm text-muted">You have no passkeys.</p>
        ) : (
          <ul className="divide-y divide-line">
            {data.map(passkey => (
              <li key={passkey.id} className="flex flex-wrap items-center gap-3 py-2.5 text-sm">
                <span className="grid min-w-0 flex-1">
                  <span className="font-medium">{passkey.name ?? 'Passkey'}</span>
                  <span className="text-xs text-muted">
                    Added <RelativeTime at={passkey.createdAt} />
                  </span>
                </span>
                <Button
                  size="sm"
                  kind="quiet"
                  onClick={() => setRemoved(passkey)}
                  aria-label={`Remove ${passkey.name ?? 'the passkey'}`}
                >
                  Remove
                </Button>
              </li>
            ))}
          </ul>
        )}
      </div>
      {removed && <RemovePasskey passkey={removed} onClose={() => setRemoved(null)} />}
    </Card>
  )
}

/** The browser reports an aborted dialog as an error; better-auth wants a sign-in within the last ten minutes. */
const PasskeyError = ({ error }: { error: Error & { status?: number } }) =>
  error.name === 'NotAllowedError' ? (
    <p role="alert" className="text-sm text-muted">
      No passkey was created. The dialog was closed, or this device does not support passkeys.
    </p>
  ) : error.status === 403 ? (
    <p role="alert" className="rounded-control bg-warn-soft px-3 py-2.5 text-sm text-warn">
      You signed in more than ten minutes ago. Sign out and back in, then add the passkey.
    </p>
  ) : (
    <ErrorNote error={error} />
  )

const RemovePasskey = ({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) => {
  const remove = useAccountChange(deletePasskey, onClose)
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      onConfirm={() => remove.mutate(passkey.id)}
      title={`Remove ${passkey.name ?? 'this passkey'}?`}
      action="Remove passkey"
      request={remove}
    >
      You can no longer sign in with it. Delete it from your device’s password manager too.
    </ConfirmDialog>
  )
}
