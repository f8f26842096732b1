import { getRouteApi, Link } from '@tanstack/react-router'
import { cx } from '../../ui/cx.ts'
import type { ListedTool } from './list-tools.ts'

const route = getRouteApi('/o/$organization/$mode/playground')
/** More would slow the page down; the search narrows the list. */
const MAX_SHOWN = 200

type Props = { tools: readonly ListedTool[]; text: string; chosen: string | undefined }

export const ToolList = ({ tools, text, chosen }: Props) => {
  const found = tools.filter(({ name, title = '', description }) =>
    `${name} ${title} ${description}`.toLowerCase().includes(text.toLowerCase()),
  )
  return (
    <>
      <ul aria-label="Tools" className="max-h-[60dvh] overflow-y-auto border-t border-line p-1.5">
        {found.slice(0, MAX_SHOWN).map(({ name, title }) => (
          <li key={name}>
            <Link
              from={route.id}
              search={previous => ({ ...previous, tool: name })}
              {...(name === chosen && { 'aria-current': 'true' as const })}
              className={cx(
                'grid rounded-lg px-2.5 py-2 hover:bg-hover max-md:min-h-11',
                name === chosen && 'bg-hover',
              )}
            >
              <span className="text-sm font-medium">{title ?? name}</span>
              <code className="font-mono text-xs text-muted">{name}</code>
            </Link>
          </li>
        ))}
      </ul>
      {found.length !== Math.min(found.length, MAX_SHOWN) && (
        <p className="border-t border-line px-4 py-2.5 text-xs text-muted">
          {MAX_SHOWN} of {found.length} tools are shown. Search to see others.
        </p>
      )}
      {found.length === 0 && <p className="px-4 pb-4 text-sm text-muted">No tool matches “{text}”.</p>}
    </>
  )
}
