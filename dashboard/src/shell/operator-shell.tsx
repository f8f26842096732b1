import { Link, Outlet } from '@tanstack/react-router'
import { ArrowLeft, Menu as MenuIcon } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { IconButton } from '../ui/icon-button.tsx'
import { Mark } from './mark.tsx'
import { OPERATOR_PAGES } from './navigation/operator-pages.ts'
import { PersonMenu } from './navigation/person-menu.tsx'
import { SignInGate } from './sign-in-gate.tsx'
import { useFocusOnNavigation } from './use-focus-on-navigation.ts'
import { useSession } from './use-session.ts'

const Drawer = lazy(async () => ({ default: (await import('../ui/overlays/drawer.tsx')).Drawer }))

/** The frame of the pages for operators, which belong to no organization. */
const OperatorShell = () => {
  const [isOpen, setOpen] = useState(false)
  const main = useFocusOnNavigation()
  return (
    <>
      <a
        href="#main"
        className="absolute start-3 top-3 z-50 -translate-y-20 rounded-control bg-ink px-4 py-3 text-sm font-medium text-paper focus:translate-y-0"
      >
        Skip to the content
      </a>
      <div className="flex min-h-dvh">
        <aside className="sticky top-0 flex h-dvh w-59 shrink-0 flex-col gap-3 border-e border-line px-3 py-4 max-md:hidden">
          <p className="flex items-center gap-2 px-2 pb-1 text-base font-semibold">
            <Mark /> Carabiner
          </p>
          <Navigation />
          <div className="mt-auto">
            <PersonMenu />
          </div>
        </aside>
        <div className="min-w-0 flex-1">
          <header className="sticky top-0 z-20 flex items-center gap-2 bg-ground/90 px-4 py-3 backdrop-blur-sm md:hidden">
            <IconButton
              label="Open the navigation"
              icon={<MenuIcon className="size-5" aria-hidden="true" />}
              onClick={() => setOpen(true)}
            />
            <Mark />
            <span className="text-sm font-medium">Installation</span>
          </header>
          <main
            ref={main}
            id="main"
            tabIndex={-1}
            className="mx-auto max-w-6xl px-4 pt-2 pb-16 outline-none md:px-8 md:pt-6"
          >
            <Outlet />
          </main>
        </div>
      </div>
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

const itemClass =
  'flex min-h-8.5 items-center gap-2.5 rounded-control border px-2.5 text-sm max-md:min-h-11 max-md:text-base'
const quietClass = 'border-transparent text-muted hover:bg-hover hover:text-ink'

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
              className={itemClass}
              activeProps={{ className: 'border-line bg-paper font-medium text-ink shadow-card' }}
              inactiveProps={{ className: quietClass }}
            >
              <Icon className="size-4.25" strokeWidth={1.8} aria-hidden="true" />
              {label}
            </Link>
          </li>
        ))}
      </ul>
      {organizations.length > 0 && (
        <div className="border-t border-line pt-3">
          <Link to="/" className={`${itemClass} ${quietClass}`}>
            <ArrowLeft className="size-4.25" strokeWidth={1.8} aria-hidden="true" />
            Back to the dashboard
          </Link>
        </div>
      )}
    </nav>
  )
}

export default OperatorShell
