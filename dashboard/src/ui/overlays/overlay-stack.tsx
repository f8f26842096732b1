import { type ReactNode, useEffect, useId, useRef, useSyncExternalStore } from 'react'

/** The open dialogs and drawers, the topmost last. */
type Open = { id: string; mustAnswer: boolean; close: () => void }

let stack: readonly Open[] = []
const listeners = new Set<() => void>()
const change = (next: readonly Open[]): void => {
  stack = next
  for (const listener of listeners) listener()
}
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
const isStackEmpty = (): boolean => stack.length === 0
const topmost = (): Open | undefined => stack.at(-1)

/** Whether the topmost dialog must be answered before anything else. */
export const isAnswerPending = (): boolean => topmost()?.mustAnswer ?? false

/** Closes the open dialogs, before navigating, because the same page may stay mounted. Drawers belong to the URL, and close with it. */
export const closeDialogs = (): void => {
  for (const { close } of stack.toReversed()) close()
}

/** Content of the shell that opens above everything else. */
let above: ReactNode = null
const readAbove = (): ReactNode => above
export const useShowAbove = (content: ReactNode): void => {
  useEffect(() => {
    above = content
    change(stack)
  }, [content])
  useEffect(
    () => () => {
      above = null
      change(stack)
    },
    [],
  )
}

/**
 * Where the content above appears. It is a descendant of the topmost dialog or drawer, because a modal dialog keeps the focus
 * inside of itself and its descendants.
 */
export const AbovePage = () => {
  const isTopmost = useSyncExternalStore(subscribe, isStackEmpty, isStackEmpty)
  const content = useSyncExternalStore(subscribe, readAbove, readAbove)
  return isTopmost ? content : null
}

type Props = { mustAnswer?: boolean; onClose?: () => void }

export const AboveOverlay = ({ mustAnswer = false, onClose }: Props) => {
  const id = useId()
  const close = useRef(onClose)
  close.current = onClose
  useEffect(() => {
    // A frame later, because a modal dialog hides everything from assistive technology that is mounted before it has opened.
    const frame = requestAnimationFrame(() =>
      change([...stack, { id, mustAnswer, close: () => close.current?.() }]),
    )
    return () => {
      cancelAnimationFrame(frame)
      change(stack.filter(open => open.id !== id))
    }
  }, [id, mustAnswer])
  const isTopmost = useSyncExternalStore(subscribe, () => topmost()?.id === id)
  const content = useSyncExternalStore(subscribe, readAbove)
  return isTopmost ? content : null
}
