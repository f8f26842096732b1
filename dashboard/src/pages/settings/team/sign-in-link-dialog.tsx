import type { InvitedMember } from '@carabiner/sdk'
import { Button } from '../../../ui/button.tsx'
import { useCopy } from '../../../ui/copy-button.tsx'
import { RelativeTime } from '../../../ui/data/relative-time.tsx'
import { Dialog } from '../../../ui/overlays/dialog.tsx'

/** The result of an invitation: sent by email, or a link to pass on. */
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
          ? `${email} gets a one-time sign-in link. People who already have an account sign in as usual and accept the invitation.`
          : 'No mail server is configured, so send the link yourself, over a channel that only this person reads. It is shown only now. People who already have an account sign in as usual and accept the invitation.'
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
            <Button onClick={() => copy(url)}>{isCopied ? 'Copied' : 'Copy link'}</Button>
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
