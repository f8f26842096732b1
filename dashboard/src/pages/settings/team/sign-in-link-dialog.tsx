import type { InvitedMember } from '@carabiner/sdk'
import { Button } from '../../../ui/button.tsx'
import { useCopy } from '../../../ui/copy-button.tsx'
import { RelativeTime } from '../../../ui/data/relative-time.tsx'
import { Dialog } from '../../../ui/overlays/dialog.tsx'

/** The result of an invitation: sent by e-mail, a link to pass on, or neither for people who can sign in already. */
export const SignInLinkDialog = ({ invited, onClose }: { invited: InvitedMember; onClose: () => void }) => {
  const { isCopied, copy } = useCopy()
  const { sign_in_url: url, sign_in_url_expires_at: expiresAt, mailed, name, email } = invited
  return (
    <Dialog
      isOpen
      onClose={onClose}
      mustAnswer={url !== null}
      width="md"
      title={mailed ? 'Invitation sent' : url ? `Pass this link on to ${name}` : `${name} is a member now`}
      description={
        mailed
          ? `${email} gets a link that signs in once.`
          : url
            ? 'This service has no mail server. The link is shown only now; send it over a channel that only this person reads.'
            : `${name} has an account already and finds the organization after the next sign-in. No link is needed.`
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
