import { Link, Outlet } from '@tanstack/react-router'
import { ArrowLeft, Menu as MenuIcon } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { IconButton } from '../ui/icon-button.tsx'
import { Frame } from './frame.tsx'
import { Mark } from './mark.tsx'
import { OPERATOR_PAGES } from './navigation/operator-pages.ts'
import { PersonMenu } from './navigation/person-menu.tsx'
import { linkProps } from './navigation/sidebar.tsx'
import { SignInGate } from './sign-in-gate.tsx'
import { useFocusOnNavigation } from './use-focus-on-navigation.ts'
import { needsPassword, useSession } from './use-session.ts'

const PasswordReminder = lazy(() => import('./password-reminder.tsx'))
const Drawer = lazy(async () => ({ default: (await import('../ui/overlays/drawer.tsx')).Drawer }))

/** Around the pages for operators, which belong to no organization. */
const OperatorShell = () => {
  const [isOpen, setOpen] = useState(false)
  const { person } = useSession()
  const main = useFocusOnNavigation()
  return (
    <>
      <Frame
        sidebar={
          <>
            <Navigation />
            <div className="mt-auto">
              <PersonMenu />
            </div>
          </>
        }
        header={
          <>
            <IconButton
              label="Open navigation"
              icon={<MenuIcon className="size-5" aria-hidden="true" />}
              onClick={() => setOpen(true)}
            />
            <Mark />
            <span className="text-sm font-medium">Installation</span>
          </>
        }
        isHeaderForPhones
        banners={
          needsPassword(person) && (
            <Suspense>
              <PasswordReminder />
            </Suspense>
          )
        }
        mainRef={main}
      >
        <Outlet />
      </Frame>
      <Suspense>
        {isOpen && (
          <Drawer side="start" isOpen onClose={() => setOpen(false)} title="Installation">
            <Navigation onNavigate={() => setOpen(false)} />
            <PersonMenu />
          </Drawer>
        )}
      </Suspense>
      <SignInGate />
    </>
  )
}

const Navigation = ({ onNavigate }: { onNavigate?: () => void }) => {
  const { organizations } = useSession()
  return (
    <nav aria-label="Pages" className="grid gap-3">
      <p className="rounded-control border border-line bg-paper px-3 py-2 text-sm font-medium max-md:hidden">
        Installation
      </p>
      <ul className="grid gap-0.5">
        {OPERATOR_PAGES.map(({ label, to, icon: Icon }) => (
          <li key={to}>
            <Link
              to={to}
              activeOptions={{ includeSearch: false }}
              {...(onNavigate && { onClick: onNavigate })}
              {...linkProps}
            >
              <Icon className="size-4.25" strokeWidth={1.8} aria-hidden="true" />
              {label}
            </Link>
          </li>
        ))}
      </ul>
      {organizations.length > 0 && (
        <div className="border-t border-line pt-3">
          <Link to="/" activeOptions={{ exact: true }} {...linkProps}>
            <ArrowLeft className="size-4.25" strokeWidth={1.8} aria-hidden="true" />
            Back to the dashboard
          </Link>
        </div>
      )}
    </nav>
  )
}

export default OperatorShell
