import { renderToStaticMarkup } from 'react-dom/server'
import { cx } from '../ui/cx.ts'
import { Frame } from './frame.tsx'
import { Mark } from './mark.tsx'
import { NAVIGATION } from './navigation/navigation.ts'

const Bar = ({ className }: { className: string }) => (
  <span className={cx('shimmer block rounded-md', className)} />
)

const sidebar = (
  <>
    <Bar className="h-9.5" />
    <div className="grid gap-3">
      {NAVIGATION.map(group => (
        <ul key={group.label} className="grid gap-0.5">
          {group.label !== null && <li className="h-7" />}
          {group.pages.map(({ label }) => (
            <li key={label} className="flex min-h-8.5 items-center px-2.5">
              <Bar className="h-3.5 w-2/3" />
            </li>
          ))}
        </ul>
      ))}
    </div>
  </>
)

const header = (
  <>
    <span className="size-11 md:hidden" />
    <span className="md:hidden">
      <Mark />
    </span>
    <Bar className="ms-auto size-11 md:h-9 md:w-60" />
    <Bar className="h-11.5 w-36 md:h-8.5" />
  </>
)

/**
 * The build writes this markup into the document, so that the page is painted before any script has run. The first render of React
 * replaces it. It is inert, because nothing in it works.
 */
export const renderFrameSkeleton = (): string =>
  renderToStaticMarkup(
    <>
      <p role="status" className="sr-only">
        Loading the dashboard
      </p>
      <div inert>
        <Frame sidebar={sidebar} header={header}>
          <div className="grid gap-5">
            <Bar className="h-7 w-44" />
            <div className="grid h-72 content-start gap-4 rounded-card border border-line bg-paper px-4.5 py-5 shadow-card md:px-5">
              {['w-full', 'w-2/3', 'w-full', 'w-1/2'].map((width, n) => (
                <Bar key={n} className={cx('h-4', width)} />
              ))}
            </div>
          </div>
        </Frame>
      </div>
    </>,
  )
