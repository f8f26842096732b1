import type { NewWebhookEndpoint } from '@carabiner/sdk'
import { SecretDialog, ShownOnce } from '../../ui/overlays/secret-dialog.tsx'

type Props = { endpoint: NewWebhookEndpoint; isRotated?: boolean; onClose: () => void }

/** An Ed25519 endpoint has a public key instead of a secret, which can be read again. */
const EndpointSecretDialog = ({ endpoint, isRotated = false, onClose }: Props) => {
  const isSecret = endpoint.secret !== null
  return (
    <SecretDialog
      title={isSecret ? 'Copy the signing secret' : 'Copy the public key'}
      description={
        <>
          {isSecret ? 'This is the only time it is shown. ' : ''}Your receiver verifies webhooks with it.
          {isRotated &&
            ' For 24 hours, webhooks are signed with both the old and the new secret. Deploy the new one within that time.'}
        </>
      }
      confirmation="I have stored it"
      onClose={onClose}
    >
      <ShownOnce text={endpoint.secret ?? endpoint.public_key ?? ''} action="Copy" />
    </SecretDialog>
  )
}

export default EndpointSecretDialog
