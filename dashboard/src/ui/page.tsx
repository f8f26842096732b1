import { ChevronLeft } from 'lucide-react'
import type { ReactNode } from 'react'
import { PageLink } from './page-link.tsx'

export type PageProps = {
  title: string
  /** The list that the page belongs to. */
  parent?: { title: string; path: string }
  note?: ReactNode
  actions?: ReactNode
  children: ReactNode
}

/** The frame of every page. The shell focuses its heading after a navigation and reads the document title from it. */
export const Page = ({ title, parent, note, actions, children }: PageProps) => (
  <div className="grid gap-5">
    <title>{`${title} · Carabiner`}</title>
    <header className="flex flex-wrap items-start gap-x-4 gap-y-3">
      <div className="grid min-w-0 flex-1 basis-60 gap-1">
        {parent && (
          <nav aria-label="Breadcrumb" className="-mt-1 text-sm">
            <PageLink
              path={parent.path}
              className="inline-flex min-h-6 items-center gap-0.5 rounded-md text-muted hover:text-ink max-md:min-h-11"
            >
              <ChevronLeft className="size-4 rtl:rotate-180" aria-hidden="true" />
              {parent.title}
            </PageLink>
          </nav>
        )}
        <h1 tabIndex={-1} className="rounded-md text-xl/7 font-semibold outline-none">
          {title}
        </h1>
        {note && <p className="max-w-2xl text-sm text-muted text-pretty">{note}</p>}
      </div>
      {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
    </header>
    {children}
  </div>
)
