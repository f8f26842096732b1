import type { ReactNode, Ref } from 'react'
import { cx } from '../ui/cx.ts'
import { Mark } from './mark.tsx'

type Props = {
  /** Below the name of the product, on wide screens. */
  sidebar: ReactNode
  header: ReactNode
  /** Wide screens show the sidebar instead. */
  isHeaderForPhones?: boolean
  banners?: ReactNode
  mainRef?: Ref<HTMLElement>
  children: ReactNode
}

/** The layout of all pages of a signed-in person, and of the skeleton that the document contains. */
export const Frame = ({ sidebar, header, isHeaderForPhones = false, banners, mainRef, children }: Props) => (
  <>
    <a
      href="#main"
      className="absolute start-3 top-3 z-50 -translate-y-20 rounded-control bg-ink px-4 py-3 text-sm font-medium text-paper focus:translate-y-0"
    >
      Skip to content
    </a>
    <div className="flex min-h-dvh">
      <aside className="sticky top-0 flex h-dvh w-59 shrink-0 flex-col gap-3 border-e border-line px-3 py-4 max-md:hidden">
        <p className="flex items-center gap-2 px-2 pb-1 text-base font-semibold">
          <Mark /> Carabiner
        </p>
        {sidebar}
      </aside>
      <div className="min-w-0 flex-1">
        <header
          className={cx(
            'sticky top-0 z-20 flex items-center gap-2 bg-ground/90 px-4 py-3 backdrop-blur-sm',
            isHeaderForPhones ? 'md:hidden' : 'md:gap-3 md:px-8 md:pt-4',
          )}
        >
          {header}
        </header>
        {banners}
        <main
          ref={mainRef}
          id="main"
          tabIndex={-1}
          className={cx(
            'mx-auto max-w-6xl has-data-wide:max-w-[100rem] px-4 pt-2 pb-16 outline-none md:px-8',
            isHeaderForPhones && 'md:pt-6',
          )}
        >
          {children}
        </main>
      </div>
    </div>
  </>
)
