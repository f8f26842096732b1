import { Kbd } from '../ui/kbd.tsx'
import { Dialog } from '../ui/overlays/dialog.tsx'
import { ALL_PAGES } from './navigation/other-pages.ts'
import { COMMAND_KEY } from './platform.ts'

const GENERAL: readonly [keys: string[], meaning: string][] = [
  [[COMMAND_KEY, 'K'], 'Search or jump to a page'],
  [['/'], 'Search in the list'],
  [['↑', '↓'], 'Move between the rows of a table'],
  [['?'], 'Show this list'],
]

const ShortcutHelp = ({ onClose }: { onClose: () => void }) => (
  <Dialog isOpen onClose={onClose} title="Keyboard shortcuts">
    <dl className="grid grid-cols-[1fr_max-content] gap-x-6 gap-y-2.5 text-sm">
      {[
        ...GENERAL,
        ...ALL_PAGES.filter(({ shortcut }) => shortcut).map(
          ({ label, shortcut = '' }) =>
            [['G', shortcut.toUpperCase()], `Go to ${label}`] as [string[], string],
        ),
      ].map(([keys, meaning]) => (
        <div key={meaning} className="contents">
          <dt>{meaning}</dt>
          <dd className="flex justify-end gap-1">
            {keys.map(key => (
              <Kbd key={key}>{key}</Kbd>
            ))}
          </dd>
        </div>
      ))}
    </dl>
  </Dialog>
)

export default ShortcutHelp
