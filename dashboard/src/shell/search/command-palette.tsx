import { Dialog as Base } from '@base-ui/react/dialog'
import { useRouter } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { type KeyboardEvent, type RefObject, useEffect, useId, useState } from 'react'
import { useScope } from '../../api/use-api.ts'
import { cx } from '../../ui/cx.ts'
import { closeDialogs } from '../../ui/overlays/overlay-stack.tsx'
import { useMembership, useSession } from '../use-session.ts'
import type { Command, CommandSource } from './command-source.ts'
import { sourcesOf } from './commands.ts'

type Props = {
  /** The typed text. It survives when the palette moves above a drawer that opens late. */
  draft: RefObject<string>
  onClose: () => void
}

/** ⌘K: runs actions, and finds pages, resources and documentation. */
const CommandPalette = ({ draft, onClose }: Props) => {
  const [text, setText] = useState(draft.current)
  const [active, setActive] = useState(0)
  const commands = useCommands(text)
  const router = useRouter()
  const listId = useId()
  const chosen = commands[Math.min(active, commands.length - 1)]

  const run = (command: Command | undefined): void => {
    if (!command) return
    onClose()
    closeDialogs()
    if (command.isExternal) window.open(command.href, '_blank', 'noopener')
    else void router.navigate({ href: `/dashboard${command.href}` })
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 }
    const step = steps[event.key]
    if (step !== undefined && commands.length > 0) {
      event.preventDefault()
      setActive((active + step + commands.length) % commands.length)
    } else if (event.key === 'Enter') {
      event.preventDefault()
      run(chosen)
    }
  }
  return (
    <Base.Root
      open
      // Not when a page that has just loaded moves the focus.
      onOpenChange={(_, { reason }) => (reason === 'escape-key' || reason === 'outside-press') && onClose()}
    >
      <Base.Portal>
        <Base.Backdrop className="fade fixed inset-0 z-40 bg-scrim" />
        <Base.Popup className="pop fixed inset-x-3 top-[12dvh] z-40 mx-auto max-w-xl overflow-hidden rounded-[18px] bg-raised shadow-popup outline-none">
          <Base.Title className="sr-only">Search or jump to</Base.Title>
          <label className="flex items-center gap-3 border-b border-line px-4.5">
            <Search className="size-4.5 text-faint" aria-hidden="true" />
            <input
              role="combobox"
              aria-expanded="true"
              aria-controls={listId}
              aria-activedescendant={chosen && `${listId}-${chosen.id}`}
              aria-label="Search or jump to"
              placeholder="Search or jump to"
              autoComplete="off"
              spellCheck={false}
              value={text}
              onChange={event => {
                draft.current = event.target.value
                setText(event.target.value)
                setActive(0)
              }}
              onKeyDown={onKeyDown}
              className="my-1 h-11 w-full rounded-control bg-transparent px-1.5 text-[16px] outline-offset-0"
            />
          </label>
          <ul id={listId} role="listbox" aria-label="Results" className="max-h-[50dvh] overflow-y-auto p-1.5">
            {commands.map((command, n) => (
              <CommandRow
                key={command.id}
                id={`${listId}-${command.id}`}
                command={command}
                isActive={command === chosen}
                onPoint={() => setActive(n)}
                onRun={() => run(command)}
              />
            ))}
          </ul>
          <p role="status" className={cx('text-sm text-muted', commands.length === 0 && 'px-4.5 pt-2 pb-5')}>
            {commands.length === 0 &&
              'Nothing found. Try a page or an action, or paste an ID, a link, the end of a key, a name or an email address.'}
          </p>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

type RowProps = { id: string; command: Command; isActive: boolean; onPoint: () => void; onRun: () => void }

const CommandRow = ({ id, command, isActive, onPoint, onRun }: RowProps) => {
  const Icon = command.icon ?? Search
  return (
    <li
      id={id}
      role="option"
      aria-selected={isActive}
      onPointerMove={onPoint}
      onClick={onRun}
      className={cx(
        'flex min-h-10 cursor-pointer items-center gap-3 rounded-[10px] px-3 text-sm max-md:min-h-11',
        isActive && 'bg-hover',
      )}
    >
      <Icon className="size-4.25 text-muted" strokeWidth={1.8} aria-hidden="true" />
      <span className="min-w-0 flex-1 truncate">{command.label}</span>
      <span className="truncate text-xs text-muted">{command.hint ?? command.group}</span>
    </li>
  )
}

/** Results of all sources, in their order. A source that fails or is slow does not delay the others. */
const useCommands = (text: string): Command[] => {
  const { organization, mode } = useScope()
  const { is_operator: isOperator, person } = useSession()
  const { permissions } = useMembership()
  const [found, setFound] = useState<Command[][]>([])
  useEffect(() => {
    const controller = new AbortController()
    setFound([])
    const add = async (source: CommandSource, n: number): Promise<void> => {
      const context = { organization, mode, person: person.id, isOperator, permissions }
      const commands = await source(text, context, controller.signal)
      if (!controller.signal.aborted) setFound(previous => Object.assign([...previous], { [n]: commands }))
    }
    for (const [n, source] of sourcesOf(text).entries()) add(source, n).catch(() => undefined)
    return () => controller.abort()
  }, [text, organization, mode, person.id, isOperator, permissions])
  return found.flatMap(commands => commands ?? [])
}

export default CommandPalette
