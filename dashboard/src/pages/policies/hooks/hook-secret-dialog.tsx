import { SecretDialog, ShownOnce } from '../../../ui/overlays/secret-dialog.tsx'

type Props = { secret: string; isRotated?: boolean; onClose: () => void }

const HookSecretDialog = ({ secret, isRotated = false, onClose }: Props) => (
  <SecretDialog
    title="Copy the signing secret"
    description={
      <>
        This is the only time it is shown. Your endpoint verifies requests with it.
        {isRotated &&
          ' For 24 hours, requests are signed with both the old and the new secret. Deploy the new one within that time.'}
      </>
    }
    confirmation="I have stored it"
    onClose={onClose}
  >
    <ShownOnce text={secret} action="Copy" />
  </SecretDialog>
)

export default HookSecretDialog
