import { later } from './later.ts'
import type { LinkAppearance } from './types.ts'

const TITLE = 'Connect an account'
const LOADING_TEXT_DELAY_MS = 10_000
const MAX_PHONE_WIDTH = 480

// Styles are set through the CSSOM, which a content security policy always allows; `all:revert` removes the page's own styles
// for buttons and dialogs. The backdrop is a box shadow, because only a style sheet can style `::backdrop`. Two gray bars are
// placeholders for the content of the frame.
const CARD = 'all:revert;width:440px;height:720px;border-radius:20px'
const SHEET = 'all:revert;min-width:100%;min-height:100%'
const BAR = 'linear-gradient(#8882 0 0) 50% '
const DIALOG = `;padding:0;border:0;overflow:hidden;text-align:center;font:15px/600px system-ui;color:#858c99;box-shadow:0 0 0 100vmax #0c0e1480;background:${BAR}76px/56px 56px,${BAR}160px/60% 18px,light-dark(#fff,#171a21);background-repeat:no-repeat;color-scheme:`
const FRAME = 'all:revert;position:absolute;inset:0;width:100%;height:100%;border:0;opacity:0'
const CLOSE =
  'all:revert;position:absolute;top:8px;inset-inline-end:8px;width:44px;height:44px;border:0;background:none;font:24px system-ui'

export type Dialog = { frame: HTMLIFrameElement; ready: () => void }

/** Shows the frame in a modal `<dialog>`, which makes the page inert and restores the focus when it closes. */
export const showDialog = (
  url: string,
  { theme = 'light dark' as never, lang = navigator.language }: LinkAppearance,
  onClose: () => void,
  signal: AbortSignal,
): Dialog => {
  const add = <Tag extends 'dialog' | 'iframe' | 'button'>(
    parent: Element,
    tag: Tag,
    properties: Omit<Partial<HTMLElementTagNameMap[Tag]>, 'style'> & { style: string },
  ): HTMLElementTagNameMap[Tag] =>
    parent.appendChild(Object.assign(document.createElement(tag), properties as object))
  const root = document.documentElement.style
  const { overflow } = root
  const dialog = add(document.body, 'dialog', {
    style: (innerWidth > MAX_PHONE_WIDTH ? CARD : SHEET) + DIALOG + theme,
    ariaLabel: TITLE,
    onclose: onClose,
  })
  const frame = add(dialog, 'iframe', {
    style: FRAME,
    title: TITLE,
    allow: 'clipboard-write',
    referrerPolicy: 'no-referrer',
    src: url,
    // An empty frame is white even in dark mode, so the frame stays transparent until it has loaded.
    onload: () => {
      frame.style.opacity = '1'
    },
  })
  // The close button is used until the framed page shows its own. It has the focus because key events inside the frame,
  // such as Escape, do not reach this page.
  const close = add(dialog, 'button', {
    style: CLOSE,
    ariaLabel: 'Close',
    textContent: '×',
    autofocus: true,
    onclick: onClose,
  })
  later(
    LOADING_TEXT_DELAY_MS,
    () => close.isConnected && dialog.append(lang.startsWith('en') ? 'Still loading…' : '…'),
    signal,
  )
  signal.addEventListener('abort', () => {
    root.overflow = overflow
    dialog.close()
    dialog.remove()
  })

  root.overflow = 'hidden'
  dialog.showModal()
  return {
    frame,
    ready: () => {
      close.remove()
      frame.focus()
    },
  }
}
