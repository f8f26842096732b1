import { hasHidden, revealHidden } from '@carabiner/contract/hidden-characters'
import { memo, useEffect, useRef } from 'react'
import { cx } from '../cx.ts'

/** A text with more marks is shown without their color, because an element for each of them would block the page. */
const MAX_MARKS = 100

/**
 * A text that someone else has chosen: its hidden characters are visible, and its direction does not affect the text around it.
 */
export const Revealed = ({ text }: { text: string }) => (
  <bdi>{hasHidden(text) ? <Marked text={text} /> : text}</bdi>
)

const Marked = ({ text }: { text: string }) => {
  const parts = revealHidden(text)
  if (parts.length > 2 * MAX_MARKS) return parts.map(part => part.mark ?? part.text).join('')
  return parts.map((part, n) =>
    part.mark === undefined ? (
      <bdi key={n}>{part.text}</bdi>
    ) : (
      <mark
        key={n}
        dir="ltr"
        className="rounded-sm bg-warn-soft px-0.5 font-mono text-[0.92em] text-warn [unicode-bidi:isolate]"
      >
        {part.mark}
      </mark>
    ),
  )
}

const CHUNK_LENGTH = 4000

/** At a line break if there is one, and never inside of a character. */
const chunksOf = (text: string): string[] => {
  const chunks: string[] = []
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + CHUNK_LENGTH, text.length)
    if (end < text.length) {
      const line = text.lastIndexOf('\n', end - 1) + 1
      if (line > start) end = line
      else if (/^[\uDC00-\uDFFF]/.test(text[end] ?? '')) end -= 1
    }
    chunks.push(text.slice(start, end))
    start = end
  }
  return chunks
}

type Props = {
  text: string
  label: string
  isScrollable?: boolean
  /** For a text that a button has opened: the button is gone. */
  takesFocus?: boolean
}

/** A text of any length in a box of its own. The browser lays out only the part that is in view. */
export const RevealedBlock = memo(({ text, label, isScrollable = false, takesFocus = false }: Props) => {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (takesFocus) box.current?.focus({ preventScroll: true })
  }, [takesFocus])
  const chunks = chunksOf(text)
  return (
    <div
      ref={box}
      role="group"
      aria-label={label}
      {...(isScrollable && { tabIndex: 0 })}
      className={cx(
        'overflow-auto rounded-control border border-line bg-ground px-3 py-2 font-mono text-xs leading-5 wrap-anywhere whitespace-pre-wrap [contain:content]',
        isScrollable && 'max-h-96',
      )}
    >
      {chunks.length <= 1 ? (
        <Revealed text={text} />
      ) : (
        chunks.map((chunk, n) => (
          <div key={n} className="[contain-intrinsic-size:auto_60rem] [content-visibility:auto]">
            <Revealed text={chunk} />
          </div>
        ))
      )}
    </div>
  )
})
