import { setOperator, signOutPerson } from '../../../api/installation.ts'
import { ConfirmDialog } from '../../../ui/overlays/confirm-dialog.tsx'
import { toast } from '../../../ui/overlays/toast.tsx'
import type { PersonAction } from './people-page.tsx'
import { usePersonChange } from './use-people.ts'

const TEXTS: Record<
  PersonAction['action'],
  { title: (name: string) => string; action: string; text: string; done: (name: string) => string }
> = {
  'make-operator': {
    title: name => `Make ${name} an operator?`,
    action: 'Make operator',
    text: 'Operators are administrators of every organization. They create, suspend and delete organizations, and make other people operators.',
    done: name => `${name} is an operator`,
  },
  'remove-operator': {
    title: name => `Remove ${name} as an operator?`,
    action: 'Remove as operator',
    text: 'It has effect at the next request. Memberships in organizations stay.',
    done: name => `${name} is no longer an operator`,
  },
  'sign-out': {
    title: name => `Sign ${name} out everywhere?`,
    action: 'Sign out',
    text: 'All sessions end at once, and sign-in links that were not used yet stop working. The person can sign in again with password, passkey or single sign-on.',
    done: name => `${name} is signed out`,
  },
}

const PersonDialogs = ({
  asked: { action, person },
  onClose,
}: {
  asked: PersonAction
  onClose: () => void
}) => {
  const texts = TEXTS[action]
  const change = usePersonChange(
    () =>
      action === 'sign-out' ? signOutPerson(person.id) : setOperator(person.id, action === 'make-operator'),
    () => {
      onClose()
      toast({ title: texts.done(person.name) })
    },
  )
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      onConfirm={() => change.mutate()}
      title={texts.title(person.name)}
      action={texts.action}
      isBusy={change.isPending}
      error={change.error}
    >
      {texts.text}
    </ConfirmDialog>
  )
}

export default PersonDialogs
