import { Search } from 'lucide-react'
import { useEffect, useEffectEvent, useState } from 'react'
import { Input } from '../forms/input.tsx'

const DELAY_MS = 250

type Props = { label: string; placeholder: string; value: string; onChange: (value: string) => void }

/** Reports the text when the person pauses, or at once on Enter and when the focus leaves. The key `/` focuses it. */
export const SearchInput = ({ label, placeholder, value, onChange }: Props) => {
  const [text, setText] = useState(value)
  const [seen, setSeen] = useState(value)
  const [reported, setReported] = useState(value)
  if (value !== seen) {
    setSeen(value)
    // Changed outside, for example by the browser's Back button. Otherwise it is the reported text, and the person may have typed more.
    if (value !== reported.trim()) {
      setReported(value)
      setText(value)
    }
  }
  const report = (): void => {
    if (text === reported) return
    setReported(text)
    onChange(text)
  }
  const reportLatest = useEffectEvent(report)
  useEffect(() => {
    const timer = setTimeout(() => reportLatest(), DELAY_MS)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <div role="search" className="relative min-w-40 flex-1 md:max-w-sm">
      <Search
        className="pointer-events-none absolute start-3 top-1/2 size-4 -translate-y-1/2 text-faint"
        aria-hidden="true"
      />
      <Input
        type="search"
        aria-label={label}
        placeholder={placeholder}
        value={text}
        autoComplete="off"
        spellCheck={false}
        data-search
        className="ps-9"
        onChange={event => setText(event.target.value)}
        onKeyDown={event => event.key === 'Enter' && report()}
        // A later report would cancel the navigation of a link that was clicked meanwhile.
        onBlur={report}
      />
    </div>
  )
}
