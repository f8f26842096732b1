import { Tabs as Base } from '@base-ui/react/tabs'
import type { ReactNode } from 'react'

export type Tab<Value extends string> = { value: Value; label: string; content: ReactNode }

type Props<Value extends string> = {
  label: string
  /** Keep it in the URL: read it from the search parameters of the route and navigate in `onChange`. */
  value: Value
  onChange: (value: Value) => void
  tabs: readonly Tab<Value>[]
}

export const Tabs = <Value extends string>({ label, value, onChange, tabs }: Props<Value>) => (
  <Base.Root value={value} onValueChange={(next: Value) => onChange(next)} className="grid gap-5">
    <Base.List
      aria-label={label}
      className="-mx-1 flex gap-1 overflow-x-auto overflow-y-hidden border-b border-line px-1"
    >
      {tabs.map(tab => (
        <Base.Tab
          key={tab.value}
          value={tab.value}
          className="-mb-px border-b-2 border-transparent px-2.5 py-2 text-sm font-medium whitespace-nowrap text-muted hover:text-ink focus-visible:-outline-offset-2 data-active:border-ink data-active:text-ink max-md:min-h-11"
        >
          {tab.label}
        </Base.Tab>
      ))}
    </Base.List>
    {tabs.map(tab => (
      <Base.Panel key={tab.value} value={tab.value} className="rounded-lg">
        {tab.content}
      </Base.Panel>
    ))}
  </Base.Root>
)
