import type { InvitedMember } from '@carabiner/sdk'
import { Button } from '../../../ui/button.tsx'
import { useCopy } from '../../../ui/copy-button.tsx'
import { RelativeTime } from '../../../ui/data/relative-time.tsx'
import { Dialog } from '../../../ui/overlays/dialog.tsx'

/** The result of an invitation: sent by e-mail, or a link to pass on. */
export const SignInLinkDialog = ({ invited, onClose }: { invited: InvitedMember; onClose: () => void }) => {
  const { isCopied, copy } = useCopy()
  const { sign_in_url: url, sign_in_url_expires_at: expiresAt, mailed, name, email } = invited
  return (
    <Dialog
      isOpen
      onClose={onClose}
      mustAnswer={url !== null}
      width="md"
      title={mailed ? 'Invitation sent' : `Send this link to ${name}`}
      description={
        mailed
          ? `${email} gets a link that signs in once. People who already have an account sign in as usual and accept the invitation.`
          : 'This service has no mail server. The link is shown only now: send it over a channel that only this person reads. People who already have an account sign in as usual and accept the invitation.'
      }
      actions={
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      {url && (
        <div className="grid gap-3 rounded-popup border border-line bg-ground p-3.5">
          <code className="font-mono text-xs break-all select-all">{url}</code>
          <div className="flex flex-wrap items-center gap-3">
            <Button onClick={() => copy(url)}>{isCopied ? 'Copied' : 'Copy the link'}</Button>
            {expiresAt && (
              <span className="text-xs text-muted">
                Works once. Expires <RelativeTime at={expiresAt} />.
              </span>
            )}
          </div>
        </div>
      )}
    </Dialog>
  )
}
