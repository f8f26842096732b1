import { useState } from 'react'

/** The control that opened the current dialog, and those of the dialogs that it followed. */
let openers: HTMLElement[] = []

/**
 * Returns what receives the focus when a dialog closes: the control that opened it. A dialog that follows another one, such as one that shows
 * what was created, returns it to the control that opened the first of them; if the change has removed that control, to the heading.
 */
export const useOpener = (isOpen: boolean): (() => HTMLElement | true) => {
  const [wasOpen, setWasOpen] = useState(false)
  // While rendering, because an opened dialog takes the focus before its effects run.
  if (isOpen !== wasOpen) {
    setWasOpen(isOpen)
    if (isOpen) remember()
  }
  return () =>
    openers.findLast(element => element.isConnected) ?? document.querySelector<HTMLElement>('main h1') ?? true
}

const remember = (): void => {
  const { activeElement: active } = document
  if (!(active instanceof HTMLElement) || active === document.body) return
  const isInDialog = active.closest('[role="dialog"], [role="alertdialog"]') !== null
  openers = [...(isInDialog ? openers : []), triggerOf(active)]
}

/** The items of a menu disappear with it. */
const triggerOf = (element: HTMLElement): HTMLElement => {
  const trigger = element.closest('[role="menu"]')?.getAttribute('aria-labelledby')
  return (trigger && document.getElementById(trigger)) || element
}
