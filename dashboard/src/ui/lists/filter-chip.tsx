import { X } from 'lucide-react'

type Props = { label: string; value: string; onRemove: () => void }

/** A filter that came from a search or a link, with a button that removes it. */
export const FilterChip = ({ label, value, onRemove }: Props) => (
  <button
    type="button"
    onClick={onRemove}
    aria-label={`Remove the filter ${label} ${value}`}
    className="inline-flex h-9 max-w-full items-center gap-1.5 rounded-full border border-ink bg-paper px-3.5 text-sm hover:bg-hover max-md:h-11"
  >
    <span className="text-muted">{label}</span>
    <span className="truncate font-medium">{value}</span>
    <X className="size-3.5 shrink-0 text-faint" aria-hidden="true" />
  </button>
)
