import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { IconButton } from './icon-button.tsx'
import { toast } from './overlays/toast.tsx'

const SHOWN_FOR_MS = 1500

export const useCopy = (): { isCopied: boolean; copy: (text: string) => void } => {
  const [copiedAt, setCopiedAt] = useState(0)
  useEffect(() => {
    if (copiedAt === 0) return
    const timer = setTimeout(() => setCopiedAt(0), SHOWN_FOR_MS)
    return () => clearTimeout(timer)
  }, [copiedAt])
  const copy = (text: string): void => {
    // Without HTTPS, browsers provide no clipboard.
    const written = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error('no clipboard'))
    written.then(
      () => setCopiedAt(Date.now()),
      () =>
        toast({ title: 'Could not copy', description: 'Select the text and copy it yourself.', tone: 'bad' }),
    )
  }
  return { isCopied: copiedAt !== 0, copy }
}

export const CopyButton = ({ text, label = 'Copy' }: { text: string; label?: string }) => {
  const { isCopied, copy } = useCopy()
  const Icon = isCopied ? Check : Copy
  return (
    <IconButton
      label={isCopied ? 'Copied' : label}
      icon={<Icon className="size-4" aria-hidden="true" />}
      onClick={() => copy(text)}
    />
  )
}
