import { Toast as Base } from '@base-ui/react/toast'
import { X } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { cx } from '../cx.ts'

export type Message = { id: number; title: string; description?: string; tone?: 'bad' }

const manager = Base.createToastManager<Pick<Message, 'tone'>>()

const ToastHost = ({ messages }: { messages: readonly Message[] }) => {
  const lastShown = useRef(0)
  useEffect(() => {
    for (const { id, title, description, tone } of messages) {
      if (id <= lastShown.current) continue
      lastShown.current = id
      const priority = tone === 'bad' ? 'high' : 'low'
      manager.add({ title, ...(description && { description }), priority, data: { ...(tone && { tone }) } })
    }
  }, [messages])
  return (
    <Base.Provider toastManager={manager} limit={3}>
      <Base.Portal>
        <Base.Viewport className="fixed inset-x-4 bottom-4 z-50 grid gap-2 pb-[env(safe-area-inset-bottom)] md:start-auto md:w-96">
          <ToastList />
        </Base.Viewport>
      </Base.Portal>
    </Base.Provider>
  )
}

const ToastList = () => {
  const { toasts } = Base.useToastManager<Pick<Message, 'tone'>>()
  return toasts.map(shown => (
    <Base.Root
      key={shown.id}
      toast={shown}
      className="pop flex items-start gap-3 rounded-card bg-raised py-3 ps-4 pe-2 shadow-popup"
    >
      <Base.Content className="grid flex-1 gap-0.5 py-1 text-sm">
        <Base.Title className={cx('font-medium', shown.data?.tone === 'bad' && 'text-bad')} />
        <Base.Description className="text-muted" />
      </Base.Content>
      <Base.Close
        aria-label="Close"
        className="grid size-8 shrink-0 place-items-center rounded-control text-muted hover:bg-hover max-md:size-11"
      >
        <X className="size-4" aria-hidden="true" />
      </Base.Close>
    </Base.Root>
  ))
}

export default ToastHost
