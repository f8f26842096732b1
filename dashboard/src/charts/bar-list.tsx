import type { ReactNode } from 'react'

type Props = { label: string; items: readonly { key: string; name: ReactNode; value: number }[] }

/** A ranking: names with bars and exact figures. */
export const BarList = ({ label, items }: Props) => {
  const max = Math.max(1, ...items.map(({ value }) => value))
  return (
    <ol aria-label={label} className="grid gap-1.5">
      {items.map(({ key, name, value }) => (
        <li key={key} className="relative flex min-h-8 items-center justify-between gap-4 px-2.5 text-sm">
          <span
            aria-hidden="true"
            className="absolute inset-y-0 start-0 rounded-md bg-hover"
            style={{ width: `${(value / max) * 100}%` }}
          />
          <span className="relative min-w-0 truncate">{name}</span>
          <span className="relative font-medium">{value.toLocaleString()}</span>
        </li>
      ))}
    </ol>
  )
}
