import { useNavigate } from '@tanstack/react-router'
import { BookOpen, LogOut, Monitor, Moon, Server, Sun } from 'lucide-react'
import type { ReactElement, ReactNode } from 'react'
import { signOut } from '../../api/sign-in.ts'
import { unsavedChanges } from '../../drafts/unsaved-changes.ts'
import { Menu, MenuChoice, MenuItem, MenuSeparator } from '../../ui/overlays/menu.tsx'
import { toast } from '../../ui/overlays/toast.tsx'
import { setTheme, type Theme, useTheme } from '../theme.ts'
import { useSession } from '../use-session.ts'

const icon = 'size-4 text-muted'
const THEMES: readonly { value: Theme; label: string; icon: ReactNode }[] = [
  { value: 'light', label: 'Light', icon: <Sun className={icon} aria-hidden="true" /> },
  { value: 'dark', label: 'Dark', icon: <Moon className={icon} aria-hidden="true" /> },
  { value: 'system', label: 'System', icon: <Monitor className={icon} aria-hidden="true" /> },
]

const PersonMenuPopup = ({ trigger }: { trigger: ReactElement }) => {
  const { person, is_operator: isOperator } = useSession()
  const theme = useTheme()
  const navigate = useNavigate()
  return (
    <Menu align="start" className="min-w-56" isOpenAtFirst trigger={trigger}>
      <p className="px-2.5 py-1.5 text-xs text-muted">{person.email}</p>
      <MenuSeparator />
      {isOperator && (
        <>
          <MenuItem
            onSelect={() => void navigate({ to: '/operator/organizations' })}
            icon={<Server className={icon} aria-hidden="true" />}
          >
            Manage the installation
          </MenuItem>
          <MenuSeparator />
        </>
      )}
      <MenuChoice label="Theme" value={theme} onChange={setTheme} options={THEMES} />
      <MenuSeparator />
      <MenuItem
        onSelect={() => window.open('/docs', '_blank', 'noopener')}
        icon={<BookOpen className={icon} aria-hidden="true" />}
      >
        Documentation
      </MenuItem>
      <MenuItem onSelect={() => void leave()} icon={<LogOut className={icon} aria-hidden="true" />}>
        Sign out
      </MenuItem>
    </Menu>
  )
}

/** Loads the page again, so that no data of this person stays in memory. */
const leave = async (): Promise<void> => {
  try {
    await signOut()
    unsavedChanges.release()
    window.location.assign('/dashboard/sign-in')
  } catch {
    toast({ title: 'Could not sign out', description: 'Check your connection, then try again.', tone: 'bad' })
  }
}

export default PersonMenuPopup
