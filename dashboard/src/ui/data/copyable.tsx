import { CopyButton } from '../copy-button.tsx'

/** An ID, URL or key with a button that copies it. */
export const Copyable = ({ text, label }: { text: string; label?: string }) => (
  <span className="-my-1.5 flex items-center gap-1">
    <code className="min-w-0 font-mono text-xs">{text}</code>
    <CopyButton text={text} {...(label && { label })} />
  </span>
)
