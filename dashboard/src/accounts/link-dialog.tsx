import type { LinkToken } from '@carabiner/sdk'
import { Dialog } from '../ui/overlays/dialog.tsx'
import type { AccountOwner } from './account-owner.ts'
import { LinkShare } from './link-share.tsx'

/** `connector`: the name of the connector. */
type Props = { owner: AccountOwner; link: LinkToken; connector: string; onClose: () => void }

/** The link that reconnects an account. */
const LinkDialog = ({ owner, link, connector, onClose }: Props) => (
  <Dialog
    isOpen
    onClose={onClose}
    title={
      owner.isOrganization ? `Reconnect an account for ${owner.name}` : `Create a link for ${owner.name}`
    }
    description={
      owner.isOrganization
        ? 'Open the link, or send it to someone who can sign in to the account. It is valid for 30 minutes.'
        : 'The link opens a page where the user connects an account. It is valid for 30 minutes.'
    }
  >
    <LinkShare link={link} name={owner.name} email={owner.email} connector={connector} />
  </Dialog>
)

export default LinkDialog
