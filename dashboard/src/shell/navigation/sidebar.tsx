import { Link } from '@tanstack/react-router'
import { useScope } from '../../api/use-api.ts'
import { NAVIGATION } from './navigation.ts'
import { OrganizationPicker } from './organization-picker.tsx'
import { PersonMenu } from './person-menu.tsx'
import { type Attention, useAttention } from './use-attention.ts'

/** The look of a page in a navigation. */
export const linkProps = {
  className:
    'flex min-h-8.5 items-center gap-2.5 rounded-control border px-2.5 text-sm max-md:min-h-11 max-md:text-base',
  activeProps: { className: 'border-line bg-paper font-medium text-ink shadow-card' },
  inactiveProps: { className: 'border-transparent text-muted hover:bg-hover hover:text-ink' },
}

/** The navigation of wide screens. */
export const Sidebar = () => (
  <>
    <OrganizationPicker />
    <Navigation />
    <div className="mt-auto">
      <PersonMenu />
    </div>
  </>
)

export const Navigation = ({ onNavigate }: { onNavigate?: () => void }) => {
  const scope = useScope()
  const attention = useAttention()
  return (
    <nav aria-label="Pages" className="grid gap-3 overflow-y-auto">
      {NAVIGATION.map(group => (
        <ul
          key={group.label}
          {...(group.label !== null && { 'aria-label': group.label })}
          className="grid gap-0.5"
        >
          {group.label !== null && (
            <li aria-hidden="true" className="px-2.5 pt-2 pb-1 text-xs font-medium text-muted">
              {group.label}
            </li>
          )}
          {group.pages.map(({ label, to, icon: Icon }) => (
            <li key={label}>
              <Link
                to={to}
                params={scope}
                preload="intent"
                activeOptions={{ exact: to === '/o/$organization/$mode', includeSearch: false }}
                {...(onNavigate && { onClick: onNavigate })}
                {...linkProps}
              >
                <Icon className="size-4.25" strokeWidth={1.8} aria-hidden="true" />
                {label}
                <Count attention={attention.get(to)} />
              </Link>
            </li>
          ))}
        </ul>
      ))}
    </nav>
  )
}

const Count = ({ attention }: { attention: Attention | undefined }) =>
  attention && (
    <span className="ms-auto text-xs font-semibold text-bad" title={`${attention.count} ${attention.label}`}>
      {attention.count.toLocaleString()}
      <span className="sr-only"> {attention.label}</span>
    </span>
  )
