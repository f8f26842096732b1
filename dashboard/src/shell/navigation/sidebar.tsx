import { Link } from '@tanstack/react-router'
import { useScope } from '../../api/use-api.ts'
import { Mark } from '../mark.tsx'
import { NAVIGATION } from './navigation.ts'
import { OrganizationPicker } from './organization-picker.tsx'
import { PersonMenu } from './person-menu.tsx'

/** The navigation of wide screens. */
export const Sidebar = () => (
  <aside className="sticky top-0 flex h-dvh w-59 shrink-0 flex-col gap-3 border-e border-line px-3 py-4 max-md:hidden">
    <p className="flex items-center gap-2 px-2 pb-1 text-base font-semibold">
      <Mark /> Carabiner
    </p>
    <OrganizationPicker />
    <Navigation />
    <div className="mt-auto">
      <PersonMenu />
    </div>
  </aside>
)

export const Navigation = ({ onNavigate }: { onNavigate?: () => void }) => {
  const scope = useScope()
  return (
    <nav aria-label="Pages" className="grid gap-3 overflow-y-auto">
      {NAVIGATION.map((group, n) => (
        <ul
          key={group[0]?.label}
          className={n > 0 ? 'grid gap-0.5 border-t border-line pt-3' : 'grid gap-0.5'}
        >
          {group.map(({ label, to, icon: Icon }) => (
            <li key={label}>
              <Link
                to={to}
                params={scope}
                preload="intent"
                activeOptions={{ exact: to === '/o/$organization/$mode', includeSearch: false }}
                {...(onNavigate && { onClick: onNavigate })}
                className="flex min-h-8.5 items-center gap-2.5 rounded-control border px-2.5 text-sm max-md:min-h-11 max-md:text-base"
                activeProps={{ className: 'border-line bg-paper font-medium text-ink shadow-card' }}
                inactiveProps={{ className: 'border-transparent text-muted hover:bg-hover hover:text-ink' }}
              >
                <Icon className="size-4.25" strokeWidth={1.8} aria-hidden="true" />
                {label}
              </Link>
            </li>
          ))}
        </ul>
      ))}
    </nav>
  )
}
