import { Link } from '@tanstack/react-router'
import { useLayoutEffect, useRef } from 'react'
import { useScope } from '../../api/use-api.ts'
import { useMembership } from '../../shell/use-session.ts'
import { Page, type PageProps } from '../../ui/page.tsx'
import { SETTINGS } from './settings-navigation.ts'

/** A page of the settings, with their list beside it; on phones, the list is a row above it. */
export const SettingsPage = (props: PageProps) => (
  <div className="grid gap-x-10 gap-y-5 lg:grid-cols-[10.5rem_minmax(0,1fr)]">
    <SettingsList />
    <div className="min-w-0">
      <Page {...props} />
    </div>
  </div>
)

const SettingsList = () => {
  const scope = useScope()
  const { permissions } = useMembership()
  const list = useRef<HTMLElement>(null)
  // On phones, the list is wider than the screen.
  useLayoutEffect(() => {
    if (list.current) centerCurrent(list.current)
  }, [])
  return (
    <nav
      ref={list}
      aria-label="Settings"
      className="-mx-4 flex gap-1 overflow-x-auto border-b border-line px-4 max-lg:pb-2 md:-mx-8 md:px-8 lg:sticky lg:top-20 lg:mx-0 lg:grid lg:content-start lg:gap-5 lg:self-start lg:border-0 lg:px-0 lg:pt-1"
    >
      {SETTINGS.map(({ label, pages }) => (
        <div key={label} className="flex gap-1 lg:grid lg:gap-0.5">
          <p className="px-2.5 pb-1 text-xs text-muted max-lg:hidden">{label}</p>
          {pages
            .filter(({ permission }) => permission === undefined || permissions.includes(permission))
            .map(page => (
              <Link
                key={page.to}
                to={page.to}
                params={scope}
                preload="intent"
                className="flex min-h-8 items-center rounded-control px-2.5 text-sm whitespace-nowrap max-md:min-h-11"
                activeProps={{ className: 'bg-hover font-medium text-ink' }}
                inactiveProps={{ className: 'text-muted hover:bg-hover hover:text-ink' }}
              >
                {page.label}
              </Link>
            ))}
        </div>
      ))}
    </nav>
  )
}

/** Scrolls the list, and nothing else. */
const centerCurrent = (list: HTMLElement): void => {
  const current = list.querySelector('[aria-current="page"]')?.getBoundingClientRect()
  if (!current) return
  const { left, width } = list.getBoundingClientRect()
  list.scrollLeft += current.left + current.width / 2 - (left + width / 2)
}
