import type { LinkToken } from '@carabiner/sdk'
import { useConnectors } from '../api/use-connectors.ts'
import { LinkShare } from '../linking/link-share.tsx'
import { Dialog } from '../ui/overlays/dialog.tsx'
import type { AccountOwner } from './account-owner.ts'

type Props = { owner: AccountOwner; link: LinkToken; connector: string; onClose: () => void }

/** The link that reconnects an account. */
const LinkDialog = ({ owner, link, connector, onClose }: Props) => {
  const { data: connectors = [] } = useConnectors()
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={owner.isOrganization ? `Reconnect an account of ${owner.name}` : `Send a link to ${owner.name}`}
      description={
        owner.isOrganization
          ? 'Open the link, or send it to the person who can sign in. It is valid for 30 minutes.'
          : 'The link opens a page where the user connects an account. It is valid for 30 minutes.'
      }
    >
      <LinkShare
        link={link}
        name={owner.name}
        email={owner.email}
        connector={connectors.find(({ slug }) => slug === connector)?.name}
      />
    </Dialog>
  )
}

export default LinkDialog
