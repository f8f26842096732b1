import { type Identity, removeIdentity } from '../../../api/account.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { RelativeTime } from '../../../ui/data/relative-time.tsx'
import { toast } from '../../../ui/overlays/toast.tsx'
import { ErrorNote } from '../../../ui/states/error-note.tsx'
import { useAccountChange, useIdentities } from './use-account.ts'

/** Accounts at the identity provider. Hidden if there are none. */
export const Identities = () => {
  const { data = [] } = useIdentities()
  if (data.length === 0) return null
  return (
    <Card
      title="Single sign-on"
      note="The identity provider account you sign in with. If you remove it, your next single sign-on links one again."
    >
      <ul className="divide-y divide-line">
        {data.map(identity => (
          <IdentityRow key={identity.id} identity={identity} />
        ))}
      </ul>
    </Card>
  )
}

const IdentityRow = ({ identity: { id, subject, created_at } }: { identity: Identity }) => {
  const remove = useAccountChange(removeIdentity, () =>
    toast({ title: 'Identity removed', description: 'Your other sessions were signed out.' }),
  )
  return (
    <li className="flex flex-wrap items-center gap-3 py-2.5 text-sm">
      <span className="grid min-w-0 flex-1">
        <code className="font-mono text-xs break-all">{subject}</code>
        <span className="text-xs text-muted">
          linked <RelativeTime at={created_at} />
        </span>
      </span>
      <Button
        size="sm"
        isBusy={remove.isPending}
        onClick={() => remove.mutate(id)}
        aria-label={`Remove the identity ${subject}`}
      >
        Remove
      </Button>
      {remove.error && <ErrorNote error={remove.error} />}
    </li>
  )
}
