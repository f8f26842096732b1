import { useState } from 'react'
import { CopyButton } from '../copy-button.tsx'
import { cx } from '../cx.ts'

export type Code = { language: string; text: string }

/** Code with a copy button; with several languages, a choice between them. */
export const Snippet = ({ codes, label = 'Code' }: { codes: readonly [Code, ...Code[]]; label?: string }) => {
  const [chosen, setChosen] = useState(codes[0].language)
  const code = codes.find(({ language }) => language === chosen) ?? codes[0]
  return (
    <figure aria-label={label} className="min-w-0 overflow-hidden rounded-popup border border-line bg-ground">
      <div className="flex min-h-10 items-center gap-1 border-b border-line ps-3 pe-1">
        {codes.map(({ language }) =>
          codes.length === 1 ? (
            <span key={language} className="text-xs text-muted">
              {language}
            </span>
          ) : (
            <button
              key={language}
              type="button"
              aria-pressed={language === code.language}
              onClick={() => setChosen(language)}
              className={cx(
                'min-h-7 rounded-md px-2 text-xs font-medium max-md:min-h-11',
                language === code.language ? 'bg-paper text-ink shadow-card' : 'text-muted hover:text-ink',
              )}
            >
              {language}
            </button>
          ),
        )}
        <span className="ms-auto">
          <CopyButton text={code.text} label="Copy the code" />
        </span>
      </div>
      <pre className="overflow-x-auto px-3.5 py-3 font-mono text-xs leading-5 whitespace-pre" tabIndex={0}>
        {code.text}
      </pre>
    </figure>
  )
}
