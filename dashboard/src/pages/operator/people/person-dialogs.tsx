import type { InstalledPerson } from '@carabiner/contract'
import { setOperator, signOutPerson } from '../../../api/installation.ts'
import { ConfirmDialog } from '../../../ui/overlays/confirm-dialog.tsx'
import { toast } from '../../../ui/overlays/toast.tsx'
import { usePersonChange } from './use-people.ts'

export type PersonAction = {
  action: 'make-operator' | 'remove-operator' | 'sign-out'
  person: InstalledPerson
}

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
    text: 'Takes effect immediately. Organization memberships are kept.',
    done: name => `${name} is no longer an operator`,
  },
  'sign-out': {
    title: name => `Sign ${name} out everywhere?`,
    action: 'Sign out',
    text: 'All their sessions end immediately, and unused sign-in links stop working. They can sign in again with a password, passkey or single sign-on.',
    done: name => `${name} is signed out`,
  },
}

const PersonDialogs = ({
  dialog: { action, person },
  onClose,
}: {
  dialog: PersonAction
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
      request={change}
    >
      {texts.text}
    </ConfirmDialog>
  )
}

export default PersonDialogs
