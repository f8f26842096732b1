import { useLink } from '@carabiner/link/react'
import { type ReactElement, StrictMode, useState } from 'react'
import { createRoot } from 'react-dom/client'

const root = document.getElementById('root') as HTMLElement

/** Strict mode mounts every component twice. Link must still create one frame and report one success. */
const Connect = (): ReactElement => {
  const [log, setLog] = useState<string[]>([])
  const append = (text: string) => setLog(previous => [...previous, text])
  const { linkToken, linkUrl } = root.dataset
  const { open, isReady, error } = useLink({
    linkToken,
    linkUrl,
    onSuccess: ({ Connector }) => append(`success ${Connector}`),
    onExit: problem => append(`exit ${problem?.code ?? 'clean'}`),
  })
  return (
    <main>
      <button type="button" onClick={open} disabled={!isReady}>
        Connect
      </button>
      <p role="status">{error?.code}</p>
      <ol>
        {log.map((text, index) => (
          <li key={index}>{text}</li>
        ))}
      </ol>
    </main>
  )
}

createRoot(root).render(
  <StrictMode>
    <Connect />
  </StrictMode>,
)
