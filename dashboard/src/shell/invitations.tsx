import type { CarabinerError } from '@carabiner/sdk'
import { useMutation } from '@tanstack/react-query'
import { respondToInvitation } from '../api/account.ts'
import type { Invitation } from '../api/session.ts'
import { Button } from '../ui/button.tsx'
import { ErrorNote } from '../ui/states/error-note.tsx'
import { useSession } from './use-session.ts'

const ROLE_NAMES: Record<Invitation['role'], string> = {
  admin: 'an administrator',
  developer: 'a developer',
  security: 'a security member',
  read_only: 'a read-only member',
}

/** Organizations that have invited the signed-in person. */
const Invitations = () => (
  <>
    {useSession().invitations.map(invitation => (
      <InvitationNote key={invitation.organization_id} invitation={invitation} />
    ))}
  </>
)

const InvitationNote = ({ invitation: { organization_id: id, name, role } }: { invitation: Invitation }) => {
  const respond = useMutation<void, CarabinerError, 'accept' | 'decline'>({
    mutationFn: async verb => {
      await respondToInvitation(id, verb)
      // The list of organizations is part of every page.
      window.location.assign(verb === 'accept' ? `/dashboard/o/${id}/production` : '/dashboard')
    },
  })
  const isResponding = (verb: 'accept' | 'decline'): boolean =>
    respond.isPending && respond.variables === verb
  return (
    <section
      aria-label={`Invitation to ${name}`}
      className="grid gap-3 rounded-card border border-line bg-paper px-4 py-3 text-sm shadow-card"
    >
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p>
          <b className="font-semibold">{name}</b> invites you to join as {ROLE_NAMES[role]}. Its members see
          your name and when you were last active.
        </p>
        <div className="flex gap-2">
          <Button size="sm" isBusy={isResponding('decline')} onClick={() => respond.mutate('decline')}>
            Decline
          </Button>
          <Button
            size="sm"
            kind="primary"
            isBusy={isResponding('accept')}
            onClick={() => respond.mutate('accept')}
          >
            Join {name}
          </Button>
        </div>
      </div>
      {respond.error && <ErrorNote error={respond.error} />}
    </section>
  )
}

export default Invitations
