import type { LinkToken } from '@carabiner/sdk'
import { Copy, ExternalLink, Mail } from 'lucide-react'
import { Button, buttonClass } from '../ui/button.tsx'
import { useCopy } from '../ui/copy-button.tsx'
import { RelativeTime } from '../ui/data/relative-time.tsx'
import { QrImage } from '../ui/qr-image.tsx'

type Props = { link: LinkToken; name: string; email?: string | undefined; connector?: string | undefined }

/** A magic link to pass on: copy, email, QR code. */
export const LinkShare = ({ link, name, email, connector }: Props) => {
  const { isCopied, copy } = useCopy()
  const url = link.magic_link_url
  const what = connector ?? 'your account'
  const mail = `mailto:${encodeURIComponent(email ?? '')}?subject=${encodeURIComponent(`Connect ${what}`)}&body=${encodeURIComponent(
    `Hello ${name},\n\nPlease open this link to connect ${what}. It is valid for 30 minutes and only for you.\n\n${url}\n`,
  )}`
  return (
    <div className="grid gap-4">
      <code className="rounded-control border border-line bg-ground px-3 py-2 font-mono text-xs select-all">
        {url}
      </code>
      <div className="flex flex-wrap gap-2">
        <Button
          kind="primary"
          icon={<Copy className="size-4" aria-hidden="true" />}
          onClick={() => copy(url)}
        >
          {isCopied ? 'Copied' : 'Copy link'}
        </Button>
        <a href={mail} className={buttonClass()}>
          <Mail className="size-4" aria-hidden="true" /> Email
        </a>
        <a href={url} target="_blank" rel="noreferrer" className={buttonClass()}>
          <ExternalLink className="size-4" aria-hidden="true" /> Open
        </a>
      </div>
      <QrImage text={url} label={`QR code of the link for ${name}`} />
      <p className="text-xs text-muted">
        Anyone with this link can connect an account for {name}. It expires{' '}
        <RelativeTime at={link.expires_at} /> or once used.
      </p>
    </div>
  )
}
