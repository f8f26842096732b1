import type { ReactNode } from 'react'
import { Mark } from '../../shell/mark.tsx'

/** The pages before a session: one column, one card. */
export const SignInFrame = ({
  title,
  note,
  children,
}: {
  title: string
  note?: ReactNode
  children: ReactNode
}) => (
  <main className="mx-auto grid min-h-dvh w-full max-w-md content-center gap-6 px-5 py-10">
    <title>{`${title} · Carabiner`}</title>
    <p className="flex items-center justify-center gap-2.5 text-lg font-semibold">
      <Mark className="size-7" /> Carabiner
    </p>
    <section className="grid gap-5 rounded-[20px] border border-line bg-paper p-6 shadow-card md:p-8">
      <header className="grid gap-1.5">
        <h1 className="text-xl/7 font-semibold">{title}</h1>
        {note && <p className="text-sm text-muted text-pretty">{note}</p>}
      </header>
      {children}
    </section>
  </main>
)
