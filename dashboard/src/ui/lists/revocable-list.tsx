import { type ReactNode, useState } from 'react'
import { Button } from '../button.tsx'
import { ConfirmDialog } from '../overlays/confirm-dialog.tsx'

export type RevocableEntry = { id: string; name: string; details: ReactNode; isRevocable: boolean }

type Props = {
  entries: readonly RevocableEntry[]
  revoke: { mutate: (id: string) => void; isPending: boolean; error: unknown }
  /** Label of the button that confirms, as in "Revoke key". */
  action: string
  /** What a revocation breaks. */
  consequence: string
}

/** Names with details, and a button that revokes each after a confirmation. The dialog closes when its entry has left the list. */
export const RevocableList = ({ entries, revoke, action, consequence }: Props) => {
  const [revokedId, setRevokedId] = useState<string | null>(null)
  const revoked = entries.find(({ id, isRevocable }) => id === revokedId && isRevocable)
  const close = (): void => setRevokedId(null)
  return (
    <>
      {entries.length > 0 && (
        <ul className="divide-y divide-line rounded-popup border border-line">
          {entries.map(({ id, name, details, isRevocable }) => (
            <li key={id} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3.5 py-2.5 text-sm">
              <span className="grid min-w-0 flex-1 gap-0.5">
                <span className="font-medium">{name}</span>
                <span className="text-xs text-muted">{details}</span>
              </span>
              {isRevocable && (
                <Button
                  size="sm"
                  kind="quiet-danger"
                  onClick={() => setRevokedId(id)}
                  aria-label={`Revoke ${name}`}
                >
                  Revoke
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      <ConfirmDialog
        isOpen={revoked !== undefined}
        onClose={close}
        onConfirm={() => revoked && revoke.mutate(revoked.id)}
        title={revoked ? `Revoke ${revoked.name}?` : `${action}?`}
        action={action}
        request={revoke}
      >
        {consequence}
      </ConfirmDialog>
    </>
  )
}
